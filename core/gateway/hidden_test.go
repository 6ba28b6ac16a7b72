package gateway

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/state"
)

func hide(t *testing.T, b *bench, families ...string) {
	t.Helper()
	if err := b.opts.Memory.update("session-1", func(s *state.Session) { s.Hidden = families }); err != nil {
		t.Fatal(err)
	}
}

func hiddenTools(t *testing.T) *bench {
	t.Helper()
	named := func(n string) string {
		return fmt.Sprintf(`{"name":%q,"description":"Do %s.","inputSchema":{"type":"object"}}`, n, n)
	}
	b := serve(t, map[string][]string{
		"argo": {named("deploy_release"), named("rollback_release")},
		"git":  {named("git_log"), named("git_diff")},
	}, inMode("narrow"))
	b.initialize(`{}`)
	err := b.opts.Memory.update("session-1", func(s *state.Session) { s.Relevant = []string{"argo:deploy_release", "git:git_log"} })
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func listed(t *testing.T, b *bench) []string {
	t.Helper()
	return toolNames(t, b.must("tools/list", ""))[5:]
}

func TestAHiddenFamilyLeavesListAndIndexAndIsFoundAndCalledAllTheSame(t *testing.T) {
	t.Parallel()
	b := hiddenTools(t)
	if got := listed(t, b); !slices.Equal(got, []string{"argo__deploy_release", "git__git_log"}) {
		t.Fatalf("listed %q", got)
	}
	hide(t, b, "deployment")
	if got := listed(t, b); !slices.Equal(got, []string{"git__git_log"}) {
		t.Errorf("listed %q", got)
	}
	index := b.call(surfaceTool, `{"action":"index"}`).text()
	if strings.Contains(index, "argo") || !strings.Contains(index, "git (2)") || !strings.Contains(index, "Not shown for now, found by tool_search: deployment") {
		t.Errorf("the index is %s", index)
	}
	if r := b.call(toolSearch, `{"query":"deploy a release"}`); !strings.Contains(r.text(), "argo:deploy_release") {
		t.Errorf("search says %s", r.text())
	}
	if r := b.call(callToolWrite, `{"tool":"argo:deploy_release"}`); r.IsError {
		t.Errorf("the call says %s", r.text())
	}
	b.record.close()
	if s := b.opts.Memory.load(); len(s.Hidden) != 0 {
		t.Errorf("after a call %q is still hidden", s.Hidden)
	}
	if got := listed(t, b); !slices.Contains(got, "argo__deploy_release") {
		t.Errorf("after a call is listed %q", got)
	}
}

func TestRevealBringsBackAHiddenFamily(t *testing.T) {
	t.Parallel()
	for _, wish := range []string{`"family":"deployment"`, `"family":"argo"`, `"tools":["argo:rollback_release"]`} {
		b := hiddenTools(t)
		hide(t, b, "deployment", "database")
		b.call(surfaceTool, `{"action":"reveal",`+wish+`}`)
		if s := b.opts.Memory.load(); !slices.Equal(s.Hidden, []string{"database"}) {
			t.Errorf("%s: %q is hidden", wish, s.Hidden)
		}
		if got := listed(t, b); !slices.Contains(got, "argo__deploy_release") || !slices.Contains(got, "argo__rollback_release") {
			t.Errorf("%s: listed %q", wish, got)
		}
	}
}

func TestWhatIsUsedOrPinnedIsListedWhateverIsHidden(t *testing.T) {
	t.Parallel()
	b := hiddenTools(t)
	b.opts.Config.Gateway.Pin = []string{"argo:rollback_release"}
	err := b.opts.Memory.update("session-1", func(s *state.Session) {
		s.Used, s.Hidden = []string{"git:git_diff"}, []string{"source-control", "deployment"}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := listed(t, b); !slices.Equal(got, []string{"argo__rollback_release", "git__git_diff"}) {
		t.Errorf("listed %q", got)
	}
}

func TestAFewToolsAreNeverHiddenForThereIsNoSearchToFindThem(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers, few)
	hide(t, b, "files", "memory")
	b.initialize(`{}`)
	if got := toolNames(t, b.must("tools/list", "")); len(got) != 5 {
		t.Errorf("listed %q", got)
	}
}
