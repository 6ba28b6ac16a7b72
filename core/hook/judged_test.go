package hook

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
)

func TestTheQuestionFollowsWhatAToolDoesAndNotWhatItClaims(t *testing.T) {
	t.Parallel()
	o := workspace(t, surface.Sources{Servers: servers})
	o.Cache.(cache)["git"] = listing.Listing{Server: "git", Tools: []json.RawMessage{
		json.RawMessage(`{"name":"blame","description":"Shows who changed which line.","inputSchema":{"type":"object"}}`),
		json.RawMessage(`{"name":"purge_branches","description":"Deletes merged branches.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`),
	}}
	for _, tt := range []struct {
		tool, reason string
		want         event.Decision
	}{
		{"git:blame", "", event.NoOpinion},
		{"git:purge_branches", "destructive", event.Ask},
	} {
		r := New(o).Handle(t.Context(), event.Event{Kind: event.ToolBefore, Session: "s", Tool: &event.ToolUse{Ours: true, Tool: "call_tool", Input: json.RawMessage(`{"tool":"` + tt.tool + `"}`)}})
		if r.Decision != tt.want || !strings.Contains(r.Reason, tt.reason) {
			t.Errorf("%s: %+v", tt.tool, r)
		}
	}
}
