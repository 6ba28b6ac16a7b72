package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/plugins"
)

func decode(t *testing.T, raw plugins.RawEvent) event.Event {
	t.Helper()
	ev, err := newAdapter().Decode(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

// TestRecordedEvents decodes the events that the real program sent.
func TestRecordedEvents(t *testing.T) {
	t.Parallel()
	d, err := newAdapter().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const session = "a031d29d-c05e-4f0f-bd87-99fda21005b9"
	base := event.Event{
		Host: "claude", Session: session, Dir: "/work space", Transcript: "/work space/.claude/transcript.jsonl",
	}
	in := func(name string, kind event.Kind, change func(*event.Event)) event.Event {
		ev := base
		ev.Name, ev.Kind = name, kind
		change(&ev)
		return ev
	}
	bypass := func(ev *event.Event) { ev.PermissionMode, ev.Unattended = "bypassPermissions", true }
	want := []event.Event{
		in("SessionStart", event.SessionStart, func(ev *event.Event) { ev.Source = event.Startup }),
		in("UserPromptSubmit", event.Prompt, func(ev *event.Event) { bypass(ev); ev.Prompt = "hello there friend" }),
		in("PreToolUse", event.ToolBefore, func(ev *event.Event) {
			bypass(ev)
			ev.Tool = &event.ToolUse{
				ID: "toolu_1", Name: "mcp__plugin_ctx_ctx__tool_search", Server: "plugin:ctx:ctx", Tool: "tool_search", Ours: true,
				Input: json.RawMessage(`{"query":"read a graph"}`),
			}
		}),
		in("PostToolUse", event.ToolAfter, func(ev *event.Event) {
			bypass(ev)
			ev.Tool = &event.ToolUse{
				ID: "toolu_4", Name: "mcp__memory__read_graph", Server: "memory", Tool: "read_graph", Input: json.RawMessage(`{}`),
			}
		}),
		in("PostToolUseFailure", event.ToolAfter, func(ev *event.Event) {
			bypass(ev)
			ev.Tool = &event.ToolUse{
				ID: "toolu_3", Name: "mcp__plugin_ctx_ctx__call_tool", Server: "plugin:ctx:ctx", Tool: "call_tool", Ours: true,
				Input: json.RawMessage(`{"tool":"memory:read_graph","arguments":{}}`), Failed: true,
			}
		}),
		in("SessionEnd", event.SessionEnd, func(*event.Event) {}),
	}
	var got []event.Event
	for _, e := range d.Events {
		payload := strings.ReplaceAll(string(e.Sample), "{{WORKSPACE}}", "/work space")
		if strings.Contains(payload, "{{") {
			t.Errorf("%s: a placeholder that nobody fills: %s", e.Name, payload)
		}
		got = append(got, decode(t, plugins.RawEvent{Name: e.Name, Payload: []byte(payload)}))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestEventsOutsideTheRecorded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		raw  plugins.RawEvent
		want event.Event
	}{
		{
			"an event that nobody acts on",
			plugins.RawEvent{Name: "Notification", Payload: []byte(`{"session_id":"s","cwd":"/w","hook_event_name":"Notification"}`)},
			event.Event{Name: "Notification", Dir: "/w"},
		},
		{
			"the folder of the start, not the one the model went to",
			plugins.RawEvent{
				Name: "SessionStart", Payload: []byte(`{"session_id":"s","cwd":"/w/sub","source":"clear"}`),
				Machine: plugins.Machine{Env: []string{"CLAUDE_PROJECT_DIR=/w"}},
			},
			event.Event{Name: "SessionStart", Kind: event.SessionStart, Source: event.Clear, Dir: "/w"},
		},
		{
			"a conversation that has a title",
			plugins.RawEvent{Name: "UserPromptSubmit", Dir: "/w", Payload: []byte(`{"session_id":"s","session_title":"The voyage home","prompt":"go on"}`)},
			event.Event{Name: "UserPromptSubmit", Kind: event.Prompt, Title: "The voyage home", Prompt: "go on", Dir: "/w"},
		},
		{
			"a fork carries a conversation on",
			plugins.RawEvent{Name: "SessionStart", Dir: "/hook", Payload: []byte(`{"session_id":"s","source":"fork"}`)},
			event.Event{Name: "SessionStart", Kind: event.SessionStart, Source: event.Resume, Dir: "/hook"},
		},
		{
			"a start for a reason not known yet",
			plugins.RawEvent{Name: "SessionStart", Dir: "/w", Payload: []byte(`{"session_id":"s","source":"reborn"}`)},
			event.Event{Name: "SessionStart", Kind: event.SessionStart, Dir: "/w"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.Host, c.want.Session = "claude", "s"
			if diff := cmp.Diff(c.want, decode(t, c.raw)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestToolNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, said   string // the tool, and the server that the event says it belongs to
		server, tool string
		ours         bool
	}{
		{"Bash", "", "", "", false},
		{"mcp__github__get_issue", "", "github", "get_issue", false},
		{"mcp__my_server__get", "my server", "my server", "get", false},
		{"mcp__a__b__get", "a__b", "a__b", "get", false},
		{"mcp__a__b__get", "", "a", "b__get", false},
		{"mcp__plugin_shop_tools__get", "plugin:shop:tools", "plugin:shop:tools", "get", false},
		{"mcp__plugin_shop_tools__get", "", "plugin_shop_tools", "get", false},
		{"mcp__plugin_ctx_ctx__call_tool", "", "plugin:ctx:ctx", "call_tool", true},
		{"mcp__plugin_ctx_ctx__memory__read", "plugin:ctx:ctx", "plugin:ctx:ctx", "memory__read", true},
		{"mcp__ctx__tool_search", "ctx", "ctx", "tool_search", false},
	} {
		var in input
		in.ToolName, in.Server.Name = c.name, c.said
		got := toolUse(in)
		if got.Name != c.name || got.Server != c.server || got.Tool != c.tool || got.Ours != c.ours {
			t.Errorf("%s of %q: server %q, tool %q, ours %v", c.name, c.said, got.Server, got.Tool, got.Ours)
		}
	}
}

func TestBytesThatAreNoEvent(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{"", "{", "[]", "null", `{"cwd":"/w"}`, `{"session_id":7}`} {
		ev, err := newAdapter().Decode(t.Context(), plugins.RawEvent{Name: "SessionStart", Payload: []byte(payload)})
		if err == nil {
			t.Errorf("%q was taken for %+v", payload, ev)
		}
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	says := event.Reply{Context: "39 tools"}
	asks := event.Reply{Decision: event.Ask, Reason: "a write"}
	for _, c := range []struct {
		name  string
		reply event.Reply
		want  string
	}{
		{"SessionStart", says, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"39 tools"}}`},
		{"UserPromptSubmit", says, `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"39 tools"}}`},
		{"PostToolUse", says, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"39 tools"}}`},
		{"PreToolUse", asks, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"a write"}}`},
		{"PreToolUse", event.Reply{Decision: event.Allow}, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`},
		{"SessionStart", event.Reply{}, ""},
		{"SessionStart", asks, ""},
		{"PreToolUse", event.Reply{}, ""},
		{"SessionEnd", says, ""},
		{"Notification", says, ""},
	} {
		ev := event.Event{Name: c.name, Kind: kindOf(c.name)}
		got, err := newAdapter().Encode(t.Context(), ev, c.reply)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
