package eval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
)

const toolsFile = `{"server":"wiki","name":"list_pages","description":"Lists pages.","inputSchema":{"type":"object"},"annotations":null,"authority":"read"}

{"server":"wiki","name":"delete_page","description":"Deletes a page.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"authority":"destructive"}
{"server":"wiki","name":"show_pages","description":"Shows pages.","inputSchema":{"type":"object"},"authority":"remote-write"}
`

func toolsIn(t *testing.T, content string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tools.jsonl"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAuthorityIsMeasuredTierByTier(t *testing.T) {
	t.Parallel()
	code, out, errOut := run(t, toolsIn(t, toolsFile), true, nil, "authority", "--tools", "tools.jsonl")
	var d struct {
		Schema   string
		Accuracy float64
		Tiers    map[string]struct {
			Precision, Recall float64
			Rows              int
		}
	}
	if err := json.Unmarshal([]byte(out), &d); code != cmdutil.OK || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, errOut)
	}
	if d.Schema != "ctx.eval.authority/v1" || d.Accuracy < .66 || d.Accuracy > .67 || len(d.Tiers) != 4 {
		t.Errorf("%+v", d)
	}
	if r := d.Tiers["read"]; r.Precision != .5 || r.Recall != 1 || r.Rows != 1 {
		t.Errorf("read %+v", r)
	}
	if r := d.Tiers["remote-write"]; r.Recall != 0 || r.Rows != 1 {
		t.Errorf("remote-write %+v", r)
	}
}

func TestAWrongRowIsShownWithItsEvidence(t *testing.T) {
	t.Parallel()
	_, out, _ := run(t, toolsIn(t, toolsFile), false, nil, "authority", "--tools", "tools.jsonl")
	for _, want := range []string{"3 tools, accuracy 0.667", "line 4: wiki:show_pages is remote-write, judged read", "Shows pages"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestEveryBadRowIsNamedByFileAndLine(t *testing.T) {
	t.Parallel()
	dir := toolsIn(t, toolsFile+`{"server":"wiki","name":"x","authority":"harmless"}
{"server":"wiki","name":"x"}
{"server":"wiki","authority":"read"}
{"server":
`)
	code, out, errOut := run(t, dir, false, nil, "authority", "--tools", "tools.jsonl")
	for _, want := range []string{"tools.jsonl:5: unknown authority \"harmless\"", "tools.jsonl:6:", "tools.jsonl:7:", "tools.jsonl:8:", "hint:"} {
		if code != cmdutil.No || out != "" || !strings.Contains(errOut, want) {
			t.Errorf("exit %d, no %q in %s", code, want, errOut)
		}
	}
	if code, _, errOut := run(t, dir, false, nil, "authority", "--tools", "none.jsonl"); code != cmdutil.Missing || !strings.Contains(errOut, "none.jsonl") {
		t.Errorf("exit %d: %s", code, errOut)
	}
	if code, _, _ := run(t, dir, false, nil, "authority"); code != cmdutil.Usage {
		t.Errorf("exit %d", code)
	}
}
