package surface

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/inventory"
	page "github.com/ctx-sidecar/ctx/core/report"
	"github.com/ctx-sidecar/ctx/core/surface"
)

func drawing(budget int) Drawn {
	tool := inventory.Record{
		ID: "mcp_tool:github:delete_repo", Kind: surface.KindTool, Provider: "github", Name: "delete_repo", Standing: inventory.Loaded,
		Cost: surface.Cost{Resident: 300, Deferred: 100}, Authority: &authority.Judgement{Tier: authority.Destructive, Confidence: .9},
	}
	skill := inventory.Record{ID: "skill:user:é", Kind: surface.KindSkill, Provider: "user", Name: "é", Standing: inventory.Loaded, Cost: surface.Cost{Resident: 100, OnDemand: 700}}
	server := inventory.Record{ID: "mcp_server:user:ji\x1b[2Jra", Kind: surface.KindServer, Provider: "user", Name: "ji\x1b[2Jra", Standing: inventory.Loaded, Unmeasured: "never asked"}
	inv := inventory.Inventory{
		Records: []inventory.Record{tool, skill, server}, Total: surface.Cost{Resident: 440, Deferred: 100, OnDemand: 700},
		Kinds:  []surface.KindCost{{Kind: surface.KindTool, Count: 1, Cost: tool.Cost}, {Kind: surface.KindSkill, Count: 1, Cost: skill.Cost}, {Kind: surface.KindServer, Count: 1}},
		Around: []inventory.Around{{Kind: surface.KindSkill, Cost: surface.Cost{Resident: 40}}},
		Unseen: []string{"the host's own prompt"},
	}
	h := HostReport{Inventory: inv, Title: "Workshop", Findings: []Finding{{Kind: "never_used", ID: skill.ID, Text: "x"}}}
	return Drawn{Report: Report{Workspace: "/ws", Tokenizer: "bytes4", Budget: budget, Hosts: []HostReport{h}}}
}

func TestBarsShowWhereTheTokensGo(t *testing.T) {
	t.Parallel()
	s, _, out, _ := iostreams.Test()
	drawing(8000).printBars(s)
	want := `Workshop in /ws, in tokens (bytes4)
  ###...........................................  440 of 8000 in every request
  KIND          RESIDENT  DEFERRED  ON DEMAND  AUTHORITY
  mcp_tool           300       100          0                ##############====
  skill              100         0        700                #####
  mcp_server           ?         ?          0
  around skill        40         0          0                ##
  FROM          RESIDENT  DEFERRED  ON DEMAND  AUTHORITY
  github             300       100          0  destructive   ##############====
  skill · user       100         0        700  text          #####
  ji\x1b[2Jra          ?         ?          0  text
  # in every request  = deferred until the host asks; ctx surface report --output FILE.html draws a map
  1 finding: ctx surface audit
  1 record of unknown price, in no bar: ctx surface inventory says why
  not seen: the host's own prompt

`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func TestBarsAreAsWideAsTheTerminal(t *testing.T) {
	t.Parallel()
	longest := 0
	for _, width := range []int{40, 80, 100, 200} {
		s, _, out, _ := iostreams.Test()
		s.Width, s.Unicode = width, true
		drawing(8000).printBars(s)
		widest := 0
		for line := range strings.Lines(out.String()) {
			if n := strings.Count(line, "█") + strings.Count(line, "▒"); n > 0 && !strings.Contains(line, "deferred") {
				widest = max(widest, n)
				if columns := utf8.RuneCountInString(strings.TrimRight(line, "\n")); columns > max(width, 72) {
					t.Errorf("%d columns wide of %d: %q", columns, width, line)
				}
			}
		}
		if widest < longest {
			t.Errorf("in %d columns the longest bar has %d", width, widest)
		}
		longest = widest
	}
	if longest != widestBar {
		t.Errorf("the longest bar of a wide terminal has %d columns", longest)
	}
}

func TestBarsOfEveryAuthorityLineUp(t *testing.T) {
	t.Parallel()
	d := drawing(8000)
	h := &d.Hosts[0]
	for _, tier := range authority.Tiers() {
		r := h.Records[0]
		r.Provider, r.Authority = tier.String(), &authority.Judgement{Tier: tier}
		h.Records = append(h.Records, r)
	}
	s, _, out, _ := iostreams.Test()
	d.printBars(s)
	at := 0
	for line := range strings.Lines(out.String()) {
		if i := strings.Index(line, "#"); i > 10 {
			i = utf8.RuneCountInString(line[:i])
			if at != 0 && i != at {
				t.Errorf("a bar begins at %d, others at %d: %q", i, at, line)
			}
			at = i
		}
	}
	for _, tier := range authority.Tiers() {
		if !strings.Contains(out.String(), "  "+tier.String()+"  ") {
			t.Errorf("no bar says %s:\n%s", tier, out)
		}
	}
}

func TestBarsSayThatTheBudgetIsExceeded(t *testing.T) {
	t.Parallel()
	s, _, out, _ := iostreams.Test()
	s.Color = true
	drawing(400).printBars(s)
	if got := out.String(); !strings.Contains(got, "440 in every request, 40 over the budget of 400") || !strings.Contains(got, "\x1b[31m#") {
		t.Errorf("got %q", got)
	}
}

func TestBarsOfManyOriginsEndWithTheRest(t *testing.T) {
	t.Parallel()
	d := drawing(8000)
	h := &d.Hosts[0]
	for i := range 40 {
		r := h.Records[0]
		r.Provider = "server-" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		h.Records = append(h.Records, r)
	}
	s, _, out, _ := iostreams.Test()
	d.printBars(s)
	if got := out.String(); !strings.Contains(got, "  28 more ") || strings.Count(got, "server-") != mostOrigins-1 {
		t.Errorf("got\n%s", got)
	}
}

func TestAPageIsWrittenOverNothingButAPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := drawing(8000).pageOf()
	p.Made = time.Unix(0, 0)
	path := filepath.Join(dir, "page.html")
	first, err := write(path, p)
	if err != nil || first.Rows != 3 {
		t.Fatalf("%+v, %v", first, err)
	}
	if info, _ := os.Stat(path); info.Size() != int64(first.Bytes) || info.Mode().Perm() != 0o600 {
		t.Errorf("%d bytes, %s; it says %d", info.Size(), info.Mode(), first.Bytes)
	}
	if _, err := write(path, p); err != nil {
		t.Errorf("an older page: %v", err)
	}
	mine := filepath.Join(dir, "notes.html")
	if err := os.WriteFile(mine, []byte("<!doctype html><title>mine</title>"), 0o644); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]int{mine: cmdutil.No, dir: cmdutil.No, filepath.Join(dir, "no", "page.html"): cmdutil.Missing} {
		var told strings.Builder
		_, err := write(at, p)
		if code := cmdutil.Report(&told, err); code != want || !strings.Contains(told.String(), "hint: ") {
			t.Errorf("%s: exit code %d, %q", at, code, told.String())
		}
	}
	if b, _ := os.ReadFile(mine); string(b) != "<!doctype html><title>mine</title>" {
		t.Errorf("a file of the user's is now %.40q", b)
	}
}

// browserThat puts a program in the place of the user's browser.
func browserThat(t *testing.T, script string) (opened func() string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("OPENED", filepath.Join(dir, "opened"))
	return func() string {
		b, _ := os.ReadFile(filepath.Join(dir, "opened"))
		return string(b)
	}
}

func TestOpenShowsThePageOnATerminalAlone(t *testing.T) {
	opened := browserThat(t, `echo "$1" >"$OPENED"`)
	s, _, _, _ := iostreams.Test()
	p := &WrittenPage{File: "/home/ann/a b#1?.html"}
	p.open(s)
	if opened() != "" || p.Opened || p.Why == "" {
		t.Errorf("without a terminal: %+v, opened %q", p, opened())
	}
	s.Terminal = true
	p = &WrittenPage{File: "/home/ann/a b#1?.html"}
	p.open(s)
	u, err := url.Parse(strings.TrimSpace(opened()))
	if err != nil || u.Scheme != "file" || u.Path != p.File || !p.Opened || p.Why != "" {
		t.Errorf("on a terminal: %+v, opened %q", p, opened())
	}
}

func TestOpenSaysWhyNothingOpened(t *testing.T) {
	browserThat(t, `echo "no display" >&2; exit 3`)
	s, _, _, errOut := iostreams.Test()
	s.Terminal = true
	p := &WrittenPage{File: "/x.html"}
	p.open(s)
	if p.Opened || p.Why == "" || !strings.Contains(errOut.String(), "no display") {
		t.Errorf("%+v, %q", p, errOut)
	}
}

func TestReportPrintsThePageAsJSON(t *testing.T) {
	t.Parallel()
	d := drawing(8000)
	d.Page = &WrittenPage{File: "/x.html", Size: page.Size{Bytes: 9, Rows: 3, Records: 3}}
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Workspace string
		Page      struct {
			File                 string
			Bytes, Rows, Records int
			Opened               bool
		}
	}
	if err := json.Unmarshal(b, &got); err != nil || got.Workspace != "/ws" || got.Page.File != "/x.html" || got.Page.Bytes != 9 || got.Page.Rows != 3 {
		t.Errorf("%s: %v", b, err)
	}
}
