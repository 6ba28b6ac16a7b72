package hook

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/surface"
)

func TestACallThatTheProfileLeavesOutIsDeniedWithoutAQuestion(t *testing.T) {
	t.Parallel()
	o := workspace(t, surface.Sources{Servers: servers})
	o.Config.Surface.Profiles = map[string]config.Profile{"mine": {Exclude: []string{"git:push"}}}
	o.Config.Surface.DefaultProfile = "mine"
	h := New(o)
	for name, want := range map[string]event.Decision{"git:push": event.Deny, "mcp__git__push": event.Deny, "git:show": ""} {
		r := h.Handle(t.Context(), event.Event{Kind: event.ToolBefore, Session: "s", Tool: &event.ToolUse{
			Ours: true, Tool: "call_tool_write", Input: json.RawMessage(`{"tool":"` + name + `"}`),
		}})
		if name == "git:show" {
			if r.Decision == event.Deny {
				t.Errorf("%s: %+v", name, r)
			}
			continue
		}
		if r.Decision != want || !strings.Contains(r.Reason, "profile mine excludes git:push") {
			t.Errorf("%s: %+v, want %q", name, r, want)
		}
	}
}
