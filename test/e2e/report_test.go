package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The page and the bars say what the audit says; the texts of a server stay texts.
func TestAReportDrawsWhatTheAuditSays(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", func(dir string) map[string]any {
		tools := u.write("tools", `{"name":"delete_all","description":"Deletes </script><script>alert(1)</script>.","inputSchema":{"type":"object"}}`+"\n"+
			`{"name":"x</td></table><h1>","description":"Reads.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`+"\n", dir)
		return args{"bin": args{"command": stub, "args": []string{"--tools", tools}, "alwaysLoad": true}}
	})
	u.surface(dir, "inventory", "--probe-mcp", "--yes")
	audit, _ := u.surface(dir, "audit")
	total := audit.Hosts[0].Total.Resident

	before := snapshot(t, dir)
	bars := u.ctx(dir, "surface", "report", "--host", "claude")
	if !strings.Contains(bars, fmt.Sprintf("%d of 8000 in every request", total)) || !strings.Contains(bars, "destructive") {
		t.Errorf("the audit says %d; the bars say\n%s", total, bars)
	}
	if snapshot(t, dir) != before {
		t.Error("bars were written into the workspace")
	}

	file := filepath.Join(filepath.Dir(u.home), "page.html")
	var said struct {
		Schema string
		Page   struct {
			File           string
			Opened         bool
			Why_not_opened string
			Bytes, Rows    int
		}
	}
	out := u.ctx(dir, "surface", "report", "--host", "claude", "--output", file, "--open", "--json")
	if err := json.Unmarshal([]byte(out), &said); err != nil || said.Schema != "ctx.surface/v1" || said.Page.File != file || said.Page.Opened || said.Page.Why_not_opened == "" {
		t.Errorf("%v: %+v", err, said.Page)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	if len(page) != said.Page.Bytes || said.Page.Rows < 3 {
		t.Errorf("a page of %d bytes: %+v", len(page), said.Page)
	}
	for _, want := range []string{fmt.Sprintf("<b>%d</b> of 8,000 tokens", total), `title="mcp_tool:bin:delete_all"`, "x&lt;/td&gt;&lt;/table&gt;&lt;h1&gt;"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts are in the page", n)
	}

	mine := u.write("mine.html", "<p>mine</p>", dir)
	if r := u.tryCtx(dir, "surface", "report", "--host", "claude", "--output", mine); r.code != 1 || !strings.Contains(r.err, "hint: ") {
		t.Errorf("over a file of the user's: exit code %d, %s", r.code, r.err)
	}
	if b, _ := os.ReadFile(mine); string(b) != "<p>mine</p>" {
		t.Errorf("a file of the user's is now %.40q", b)
	}
}
