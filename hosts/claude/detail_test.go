package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/hosts/internal/conversation"
	"github.com/ctx-sidecar/ctx/plugins"
)

// house makes a home and a workspace of name, content pairs and returns the
// folder that holds both.
func house(t *testing.T, pairs ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"home", "ws/.git"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		path := filepath.Join(dir, pairs[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(pairs[i+1], "{{WS}}", filepath.Join(dir, "ws"))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func detail(t *testing.T, dir, from string) surface.Sources {
	t.Helper()
	a := &adapter{managed: filepath.Join(dir, "managed")}
	s, err := a.Sources(t.Context(), plugins.SourcesRequest{
		Machine: plugins.Machine{Home: filepath.Join(dir, "home")}, Workspace: filepath.Join(dir, "ws"), Dir: filepath.Join(dir, from), Detail: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sent are the instruction files of every request, in their order.
func sent(dir string, s surface.Sources) []string {
	var files []string
	for _, it := range s.Items {
		if it.Kind == surface.KindInstructions && it.Resident > 0 {
			rel, _ := filepath.Rel(dir, it.Place.File)
			files = append(files, rel)
		}
	}
	return files
}

// Each case was seen on the real client.
func TestWordsForEveryAgentCountWhereThereAreNoneForClaude(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name  string
		files []string
		from  string
		want  []string
	}{
		{"beside a CLAUDE.md further down", []string{"ws/AGENTS.md", "a", "ws/sub/CLAUDE.md", "c"}, "ws/sub", []string{"ws/sub/CLAUDE.md"}},
		{"beside a CLAUDE.md further up", []string{"ws/CLAUDE.md", "c", "ws/sub/AGENTS.md", "a"}, "ws/sub", []string{"ws/CLAUDE.md"}},
		{"the user's", []string{"home/.claude/AGENTS.md", "a"}, "ws", nil},
		{"in .claude", []string{"ws/.claude/AGENTS.md", "a"}, "ws", []string{"ws/.claude/AGENTS.md"}},
		{"beside a CLAUDE.local.md", []string{"ws/AGENTS.md", "a", "ws/CLAUDE.local.md", "c"}, "ws", []string{"ws/CLAUDE.local.md"}},
		{"beside the user's CLAUDE.md", []string{"home/.claude/CLAUDE.md", "c", "ws/AGENTS.md", "a @inc.md", "ws/inc.md", "i"}, "ws", []string{"home/.claude/CLAUDE.md", "ws/AGENTS.md", "ws/inc.md"}},
		{"beside an empty CLAUDE.md", []string{"ws/AGENTS.md", "a", "ws/CLAUDE.md", "<!-- nothing -->"}, "ws", []string{"ws/AGENTS.md"}},
		{"beside rules", []string{"ws/AGENTS.md", "a", "ws/.claude/rules/r.md", "r"}, "ws", []string{"ws/.claude/rules/r.md", "ws/AGENTS.md"}},
		{"one of each folder", []string{"AGENTS.md", "a", "ws/AGENTS.md", "a", "ws/sub/AGENTS.md", "a"}, "ws/sub", []string{"AGENTS.md", "ws/AGENTS.md", "ws/sub/AGENTS.md"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			dir := house(t, x.files...)
			if err := os.MkdirAll(filepath.Join(dir, x.from), 0o755); err != nil {
				t.Fatal(err)
			}
			s := detail(t, dir, x.from)
			if diff := cmp.Diff(x.want, sent(dir, s)); diff != "" {
				t.Error(diff)
			}
			if framed := len(s.Frames) > 0; framed != (len(x.want) > 0) {
				t.Errorf("words around the files: %v", framed)
			}
		})
	}
}

func TestInstructionsThatTheUserExcludesAreNotSent(t *testing.T) {
	t.Parallel()
	dir := house(t, "ws/CLAUDE.md", "c", "ws/sub/CLAUDE.md", "s", "ws/.claude/rules/a.md", "a", "managed/CLAUDE.md", "m",
		"home/.claude/settings.json", `{"claudeMdExcludes": ["{{WS}}/CLAUDE.md", "**/rules/*.md"]}`)
	if diff := cmp.Diff([]string{"managed/CLAUDE.md", "ws/sub/CLAUDE.md"}, sent(dir, detail(t, dir, "ws/sub"))); diff != "" {
		t.Error(diff)
	}
}

func TestWhatClaudeWroteDownItselfIsSent(t *testing.T) {
	t.Parallel()
	dir := house(t)
	memory := filepath.Join(dir, "home/.claude/projects", slug(filepath.Join(dir, "ws")), "memory")
	for name, text := range map[string]string{"MEMORY.md": strings.Repeat("- [A](a.md)\n", 300), "a.md": "later"} {
		if err := os.MkdirAll(memory, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(memory, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	items := detail(t, dir, "ws").Items
	if len(items) != 2 || strings.Count(items[0].Text, "- [A]") != mostMemoryLines || items[1].Resident != 0 || items[1].OnDemand != 5 {
		t.Errorf("%+v", items)
	}
	if err := os.WriteFile(filepath.Join(dir, "home/.claude/settings.json"), []byte(`{"autoMemoryEnabled": false}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if items := detail(t, dir, "ws").Items; len(items) != 0 {
		t.Errorf("switched off: %+v", items)
	}
	long := []byte(strings.Repeat("x", mostMemoryBytes) + "\nshort\n")
	if n := len(shortened(long)); n != mostMemoryBytes {
		t.Errorf("one long line is cut to %d bytes", n)
	}
}

func TestDetailListsWhatIsInNoRequest(t *testing.T) {
	t.Parallel()
	dir := house(t,
		"ws/deep/down/CLAUDE.md", "later",
		"ws/node_modules/x/CLAUDE.md", "nobody's",
		"ws/.claude/settings.json", "{\n \"hooks\": {\"Stop\": [{\"hooks\": [\n  {\"type\": \"command\", \"command\": \"true\"}]}],\n \"SessionEnd\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}",
		"home/.claude/skills/kit/.claude-plugin/plugin.json", `{"name": "kit"}`,
		"home/.claude/skills/kit/hooks/hooks.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "y"}]}]}}`,
	)
	s := detail(t, dir, "ws")
	var got []string
	for _, it := range s.Items {
		if it.Resident != 0 {
			t.Errorf("%s is resident", it.Name)
		}
		known := "known"
		if it.Unmeasured != "" {
			known = "unmeasured"
		}
		got = append(got, strings.Join([]string{string(it.Kind), it.Provider, it.Name, known}, " "))
		if it.Kind == surface.KindHook && it.Name == "Stop" && it.Place.Line != 3 {
			t.Errorf("the hook stands in line 3, not %d", it.Place.Line)
		}
	}
	slices.Sort(got)
	want := []string{
		"hook plugin:kit PreToolUse(Bash) unmeasured",
		"hook project SessionEnd known",
		"hook project Stop unmeasured",
		"plugin user kit known",
		"repo_instructions project deep/down/CLAUDE.md known",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUsageIsReadFromConversations(t *testing.T) {
	t.Parallel()
	line := func(session, at, kind, content string) string {
		return `{"type":"` + kind + `","sessionId":"` + session + `","cwd":"{{WS}}/sub","timestamp":"` + at + `","message":{"content":` + content + `}}` + "\n"
	}
	call := func(id, name, input string) string {
		return `[{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":` + input + `}]`
	}
	const early, late = "2026-11-01T10:00:00Z", "2026-11-02T10:00:00Z"
	dir := house(t)
	projects := filepath.Join(dir, "home/.claude/projects", slug(filepath.Join(dir, "ws")))
	other := filepath.Join(dir, "home/.claude/projects", slug(filepath.Join(dir, "ws"))+"-2")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "{{WS}}", filepath.Join(dir, "ws"))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(projects+"/a.jsonl",
		line("a", early, "user", `"<command-message>fix</command-message>\n<command-name>/fix</command-name>"`)+
			line("a", early, "assistant", call("1", "mcp__git__push", `{}`))+
			line("a", early, "assistant", call("1", "mcp__git__push", `{}`))+ // one message, two lines
			line("a", early, "user", `[{"type":"tool_result","tool_use_id":"1","is_error":true,"content":"x"}]`)+
			"{ broken\n"+
			line("a", late, "assistant", call("2", "mcp__plugin_ctx_ctx__call_tool", `{"tool":"git:log","arguments":{}}`))+
			line("a", late, "assistant", call("3", "mcp__plugin_ctx_ctx__git__log", `{}`))+
			line("a", late, "assistant", call("4", "mcp__plugin_ctx_ctx__tool_search", `{"query":"x"}`))+
			line("a", late, "assistant", call("5", "Bash", `{"command":"mcp__git__push"}`)))
	write(projects+"/a/subagents/agent-1.jsonl", line("a", late, "assistant", call("6", "Skill", `{"skill":"deploy"}`)))
	write(projects+"/b.jsonl", line("b", late, "assistant", call("7", "Agent", `{"subagent_type":"reviewer"}`))+strings.Repeat("x", conversation.MostLine+10)+"\n"+
		line("b", late, "assistant", call("8", "mcp__fs__read", `{}`)))
	write(other+"/c.jsonl", strings.ReplaceAll(line("c", late, "assistant", call("9", "mcp__git__push", `{}`)), "{{WS}}/sub", "{{WS}}-2"))

	u, err := (&adapter{}).Usage(t.Context(), plugins.UsageRequest{Machine: plugins.Machine{Home: filepath.Join(dir, "home")}, Workspace: filepath.Join(dir, "ws")})
	if err != nil {
		t.Fatal(err)
	}
	if u.Sessions != 2 || u.Since.Format(time.RFC3339) != early {
		t.Errorf("%d sessions since %s", u.Sessions, u.Since)
	}
	var got []string
	for _, x := range u.Uses {
		s := strings.Join([]string{x.Session, string(x.Kind), x.Server, x.Name}, " ")
		if x.Through {
			s += " through"
		}
		if x.Failed {
			s += " failed"
		}
		got = append(got, s)
	}
	slices.Sort(got)
	want := []string{
		"a command  fix",
		"a mcp_tool  git:log through",
		"a mcp_tool  git__log through",
		"a mcp_tool git push failed",
		"a mcp_tool plugin:ctx:ctx tool_search",
		"a skill  deploy",
		"b agent  reviewer",
		"b mcp_tool fs read",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNoConversationsAreNoFault(t *testing.T) {
	t.Parallel()
	dir := house(t)
	u, err := (&adapter{}).Usage(t.Context(), plugins.UsageRequest{Machine: plugins.Machine{Home: filepath.Join(dir, "home")}, Workspace: filepath.Join(dir, "ws")})
	if err != nil || u.Sessions != 0 || len(u.Uses) != 0 || len(u.Unseen) != 0 {
		t.Errorf("%+v, %v", u, err)
	}
}
