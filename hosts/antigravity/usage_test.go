package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/plugins"
)

// usageOf reads the use in a home made of files; {{WS}} stands for the workspace.
func usageOf(t *testing.T, files map[string]string) plugins.Usage {
	t.Helper()
	dir := t.TempDir()
	home, ws := filepath.Join(dir, "home"), filepath.Join(dir, "ws")
	if err := os.MkdirAll(filepath.Join(ws, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(home, ".gemini", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "{{WS}}", ws)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	u, err := adapter{}.Usage(t.Context(), plugins.UsageRequest{Machine: plugins.Machine{Home: home}, Workspace: ws})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func usesOf(u plugins.Usage) []string {
	var got []string
	for _, x := range u.Uses {
		s := strings.Join([]string{x.Session, string(x.Kind), x.Server, x.Name, x.At.Format("15:04")}, " ")
		if x.Through {
			s += " through"
		}
		if x.Failed {
			s += " failed"
		}
		got = append(got, s)
	}
	slices.Sort(got)
	return got
}

func transcriptOf(dir, id string) string {
	return dir + "/brain/" + id + "/.system_generated/logs/transcript.jsonl"
}

// Fault 9: use was seen through one vendor's proxy alone. Lines are as agy
// writes them: arguments as JSON within strings, or as they are.
func TestUsageIsReadFromConversations(t *testing.T) {
	t.Parallel()
	recorded, err := os.ReadFile("testdata/usage/transcript.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	u := usageOf(t, map[string]string{
		transcriptOf("antigravity-cli", "a"):                                   string(recorded),
		"antigravity-cli/brain/a/.system_generated/logs/transcript_full.jsonl": string(recorded),
		"antigravity-cli/history.jsonl":                                        `{"display":"x","timestamp":1,"workspace":"{{WS}}/sub","conversationId":"a"}` + "\n{ broken\n",
	})
	want := []string{
		"a mcp_tool  git:log 10:04 through",
		"a mcp_tool  git__log 10:05 through",
		"a mcp_tool ctx tool_search 10:03",
		"a mcp_tool git push 10:01",
		"a mcp_tool git push 10:02 failed",
		"a mcp_tool notes list_notes 10:02",
	}
	if diff := cmp.Diff(want, usesOf(u)); diff != "" {
		t.Error(diff)
	}
	if u.Sessions != 1 || u.Since.Format(time.RFC3339) != "2026-09-20T10:00:00Z" {
		t.Errorf("%d sessions since %s", u.Sessions, u.Since)
	}
}

func TestAConversationCountsWhereItWasHeld(t *testing.T) {
	t.Parallel()
	call := func(more string) string {
		return `{"step_index":1,"source":"MODEL","type":"PLANNER_RESPONSE","status":"DONE","created_at":"2026-09-20T10:01:00Z","tool_calls":[` + more +
			`{"name":"call_mcp_tool","args":{"ServerName":"git","ToolName":"push","Arguments":{}}}]}` + "\n"
	}
	at := func(path string) string { return call(`{"name":"view_file","args":{"AbsolutePath":"` + path + `"}},`) }
	u := usageOf(t, map[string]string{
		transcriptOf("antigravity-cli", "told"):         at("/somewhere/else/a"),
		transcriptOf("antigravity", "last"):             call(""),
		transcriptOf("antigravity-ide", "path"):         at("{{WS}}/main.go"),
		transcriptOf("antigravity-cli", "other"):        at("{{WS}}/main.go"),
		transcriptOf("antigravity-cli", "away"):         at("{{WS}}-2/main.go"),
		transcriptOf("antigravity-cli", "lost"):         at("/home/x/.gemini/antigravity-cli/brain/lost/task.md"),
		"antigravity-cli/history.jsonl":                 `{"workspace":"{{WS}}","conversationId":"told"}` + "\n" + `{"workspace":"/elsewhere","conversationId":"other"}` + "\n",
		"antigravity/cache/last_conversations.json":     `{"{{WS}}":"last"}`,
		"antigravity-ide/cache/last_conversations.json": `[`,
	})
	var sessions []string
	for _, x := range u.Uses {
		sessions = append(sessions, x.Session)
	}
	slices.Sort(sessions)
	if want := []string{"last", "path", "told"}; !slices.Equal(sessions, want) || u.Sessions != 3 {
		t.Errorf("%q in %d sessions", sessions, u.Sessions)
	}
	if !slices.ContainsFunc(u.Unseen, func(s string) bool { return strings.HasPrefix(s, "use in 1 conversations") }) {
		t.Errorf("it is not said that one is lost: %q", u.Unseen)
	}
}

func TestNoConversationsAreNoFault(t *testing.T) {
	t.Parallel()
	if u := usageOf(t, nil); u.Sessions != 0 || len(u.Uses) != 0 || len(u.Unseen) != 1 {
		t.Errorf("%+v", u)
	}
}
