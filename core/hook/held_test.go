package hook

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/surface"
)

func TestACallToAToolThatItsServerChangedIsDenied(t *testing.T) {
	t.Parallel()
	o := workspace(t, surface.Sources{Servers: servers})
	o.Baseline = baseline.Open(filepath.Join(t.TempDir(), "baselines"), o.Workspace, nil)
	accepted := tools("git", "log", "show", "push!")
	accepted.Tools[0] = json.RawMessage(strings.Replace(string(accepted.Tools[0]), "secret", "harmless", 1))
	o.Baseline.Observe(servers[0], accepted)
	h := New(o)
	call := func(tool string) event.Reply {
		return h.Handle(t.Context(), event.Event{Kind: event.ToolBefore, Session: "s", Tool: &event.ToolUse{
			Ours: true, Tool: "call_tool", Input: json.RawMessage(`{"tool":"` + tool + `"}`),
		}})
	}
	for _, name := range []string{"git:log", "mcp__git__log", "log", "Git.Log"} {
		r := call(name)
		if r.Decision != event.Deny || !strings.Contains(r.Reason, "git:log was changed") || strings.Contains(r.Reason, "secret") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for name, want := range map[string]event.Decision{"git:show": event.NoOpinion, "git:push": event.Ask, "fs:read_file": event.NoOpinion} {
		if r := call(name); r.Decision != want {
			t.Errorf("%s: %+v, want %q", name, r, want)
		}
	}
	entries, _ := o.Baseline.Entries()
	if len(entries) != 0 {
		t.Errorf("a hook put on record what it judged: %+v", entries)
	}
	if r := h.Handle(t.Context(), start("s2", event.Startup)); strings.Contains(r.Context, "secret") {
		t.Errorf("advisory: %s", r.Context)
	}
	if err := o.Baseline.Flush(); err != nil {
		t.Error(err)
	}
}
