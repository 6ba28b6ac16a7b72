package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/hosts/internal/hometest"
	"github.com/ctx-sidecar/ctx/plugins"
)

const (
	session    = "01a2290a-8119-7f01-854d-5335d24a6fdd"
	transcript = "/w/.codex/sessions/2026/11/29/rollout-2026-11-29T20-41-24-" + session + ".jsonl"
)

func recorded(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/events/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.ReplaceAll(string(b), "{{WORKSPACE}}", "/w"))
}

func TestEventsThatCodexSent(t *testing.T) {
	t.Parallel()
	base := func(name string, kind event.Kind) event.Event {
		return event.Event{
			Host: "codex", Name: name, Kind: kind, Session: session, Dir: "/w", Transcript: transcript,
			PermissionMode: "bypassPermissions", Unattended: true,
		}
	}
	start := base("SessionStart", event.SessionStart)
	start.Source = event.Startup
	prompt := base("UserPromptSubmit", event.Prompt)
	prompt.Prompt = "hello there"
	after := base("PostToolUse", event.ToolAfter)
	after.Tool = &event.ToolUse{
		ID: "call_1", Name: "mcp__ctx__tool_search", Server: "ctx", Tool: "tool_search", Ours: true, Input: []byte(`{"query":"notes"}`),
	}
	end := base("SessionEnd", event.SessionEnd)
	end.PermissionMode, end.Unattended = "", false // this event alone does not say

	for _, want := range []event.Event{start, prompt, after, end} {
		got, err := adapter{}.Decode(context.Background(), plugins.RawEvent{
			Name: want.Name, Payload: recorded(t, want.Name), Dir: "/elsewhere", Machine: plugins.Machine{Home: t.TempDir()},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Name, diff)
		}
	}
}

func TestDecodeIsLenientWithWhatCodexMayAddAndStrictWithWhatIsNoEvent(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]event.Event{
		`{"hook_event_name":"Stop","session_id":"s","cwd":"/w"}`: {Host: "codex", Name: "Stop", Session: "s", Dir: "/w"},
		`{"session_id":"s"}`: {Host: "codex", Name: "SessionStart", Kind: event.SessionStart, Session: "s", Dir: "/hook"},
		`{"hook_event_name":"SessionStart","source":"fork","transcript_path":null,"new":{"a":[1]}}`:     {Host: "codex", Name: "SessionStart", Kind: event.SessionStart, Source: event.Resume, Dir: "/hook"},
		`{"hook_event_name":"SessionStart","source":"clear","cwd":"/w","permission_mode":"default"}`:    {Host: "codex", Name: "SessionStart", Kind: event.SessionStart, Source: event.Clear, Dir: "/w", PermissionMode: "default"},
		"{\"hook_event_name\":\"UserPromptSubmit\",\"cwd\":\"/w\",\"prompt\":\"\\ud83d lone \\u00e9\"}": {Host: "codex", Name: "UserPromptSubmit", Kind: event.Prompt, Dir: "/w", Prompt: "\ufffd lone \u00e9"},
	} {
		got, err := adapter{}.Decode(context.Background(), plugins.RawEvent{Name: "SessionStart", Payload: []byte(payload), Dir: "/hook"})
		if err != nil {
			t.Errorf("%s: %v", payload, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", payload, diff)
		}
	}
	for _, payload := range []string{"", "[]", "null and void", `{"session_id":`, `{"session_id": 5}`} {
		if _, err := (adapter{}).Decode(context.Background(), plugins.RawEvent{Name: "SessionStart", Payload: []byte(payload)}); err == nil {
			t.Errorf("%q: decoded", payload)
		}
	}
}

func TestToolNamesLeadBackToTheServersOfTheConfiguration(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	config := `
[mcp_servers.my-server]
command = "/bin/a"
[mcp_servers.a]
command = "/bin/b"
[mcp_servers.a__b]
command = "/bin/c"
[mcp_servers.ctx]
command = "%s"
`
	for _, c := range []struct {
		name, program, server, tool string
		ours                        bool
	}{
		{"mcp__my_server__odd_name_x", "/p/bin/ctx-gateway", "my-server", "odd_name_x", false},
		{"mcp__a__b__read", "/p/bin/ctx-gateway", "a__b", "read", false},
		{"mcp__a__read", "/p/bin/ctx-gateway", "a", "read", false},
		{"mcp__a__b", "/p/bin/ctx-gateway", "a", "b", false},
		{"mcp__unknown__x__y", "/p/bin/ctx-gateway", "unknown", "x__y", false},
		{"mcp__ctx__call_tool", "/p/bin/ctx-gateway", "ctx", "call_tool", true},
		{"mcp__ctx__call_tool", "/usr/bin/something-else", "ctx", "call_tool", false},
		{"Bash", "/p/bin/ctx-gateway", "", "", false},
	} {
		dir := filepath.Join(home, c.program)
		hometest.Write(t, filepath.Join(dir, "config.toml"), strings.ReplaceAll(config, "%s", c.program))
		m := plugins.Machine{Home: home, Env: []string{"CODEX_HOME=" + dir}}
		use := adapter{}.toolUse(hookInput{ToolName: c.name}, m, home)
		if use.Server != c.server || use.Tool != c.tool || use.Ours != c.ours {
			t.Errorf("%s with %s: got %q %q ours=%v, want %q %q ours=%v", c.name, c.program, use.Server, use.Tool, use.Ours, c.server, c.tool, c.ours)
		}
	}
}

func TestEncodeSaysWhatCodexTakesAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ev    event.Event
		reply event.Reply
		want  string
	}{
		{
			event.Event{Name: "SessionStart", Kind: event.SessionStart}, event.Reply{Context: "39 tools <held back> & \"quoted\""},
			`{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"39 tools \u003cheld back\u003e \u0026 \"quoted\""}}`,
		},
		{
			event.Event{Name: "UserPromptSubmit", Kind: event.Prompt}, event.Reply{Context: "see x"},
			`{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"see x"}}`,
		},
		{event.Event{Name: "SessionStart", Kind: event.SessionStart}, event.Reply{}, ""},
		{event.Event{Name: "PostToolUse", Kind: event.ToolAfter}, event.Reply{Context: "no place for it"}, ""},
		{event.Event{Name: "SessionEnd", Kind: event.SessionEnd}, event.Reply{Context: "no place for it"}, ""},
		{event.Event{Name: "UserPromptSubmit", Kind: event.Prompt}, event.Reply{Decision: event.Deny, Reason: "not ours to say"}, ""},
	} {
		got, err := adapter{}.Encode(context.Background(), c.ev, c.reply)
		if err != nil || string(got) != c.want {
			t.Errorf("%s %+v: got %q, %v; want %q", c.ev.Name, c.reply, got, err, c.want)
		}
	}
}

func TestDescribeCarriesARecordedSampleOfEachEvent(t *testing.T) {
	t.Parallel()
	d, err := adapter{}.Describe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range d.Events {
		names = append(names, e.Name)
		if !strings.Contains(string(e.Sample), `"hook_event_name":"`+e.Name+`"`) {
			t.Errorf("%s: the sample is of another event: %s", e.Name, e.Sample)
		}
	}
	if diff := cmp.Diff([]string{"SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd"}, names); diff != "" {
		t.Error(diff)
	}
}
