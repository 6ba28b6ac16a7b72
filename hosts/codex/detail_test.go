package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// house makes a home and a workspace of name, content pairs.
func house(t *testing.T, pairs ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
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
	if err := os.MkdirAll(filepath.Join(dir, "ws/.git"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func detail(t *testing.T, dir, from string) surface.Sources {
	t.Helper()
	s, err := adapter{system: filepath.Join(dir, "etc")}.Sources(t.Context(), plugins.SourcesRequest{
		Machine: plugins.Machine{Home: filepath.Join(dir, "home")}, Workspace: filepath.Join(dir, "ws"), Dir: filepath.Join(dir, from), Detail: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Each text was seen on the real client.
func TestInstructionsAreSentWithTheseWords(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name, want string
		files      []string
	}{
		{"the user's alone", "# AGENTS.md instructions\n\n<INSTRUCTIONS>\nuser text\n</INSTRUCTIONS>", []string{"home/.codex/AGENTS.md", "  user text\n\n\n"}},
		{"the project's alone", "# AGENTS.md instructions for {{WS}}/sub\n\n<INSTRUCTIONS>\n  root\n\n\n\n\nsub\n</INSTRUCTIONS>", []string{"ws/AGENTS.md", "  root\n\n\n", "ws/sub/AGENTS.md", "sub"}},
		{"both", "# AGENTS.md instructions for {{WS}}/sub\n\n<INSTRUCTIONS>\nuser text\n\n--- project-doc ---\n\nroot\n\nsub\n\n\n</INSTRUCTIONS>",
			[]string{"home/.codex/AGENTS.md", "user text", "ws/AGENTS.md", "root", "ws/sub/AGENTS.md", "sub\n\n"}},
		{"none", "", []string{"ws/x", ""}},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			dir := house(t, x.files...)
			if err := os.MkdirAll(filepath.Join(dir, "ws/sub"), 0o755); err != nil {
				t.Fatal(err)
			}
			s := detail(t, dir, "ws/sub")
			n := 0
			for _, it := range s.Items {
				n += it.Resident
			}
			for _, f := range s.Frames {
				n += len(f.Text)
			}
			if want := strings.ReplaceAll(x.want, "{{WS}}", filepath.Join(dir, "ws")); n != len(want) {
				t.Errorf("priced at %d bytes, and %d are sent", n, len(want))
			}
		})
	}
}

// The sums were seen on the real client.
func TestAListOfSkillsThatDoesNotFitIsCut(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name               string
		count, description int
		told, lines        int // skills in the list, bytes of all lines
	}{
		{"everything fits", 10, 100, 10, 1350},
		{"descriptions cut alike", 304, 200, 304, 21760},
		{"the last names left out", 2000, 100, 460, 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			var all []skill
			for i := range x.count {
				all = append(all, skill{
					item: surface.Item{Name: fmt.Sprintf("skill-%d", i)}, description: strings.Repeat("x", x.description),
					short: fmt.Sprintf("r1/s%d/SKILL.md", i), told: true, rank: 1,
				})
			}
			told, lines := 0, 0
			for _, it := range list(all) {
				lines += it.Resident
				if it.Resident > 0 {
					told++
				}
			}
			if lines > skillBudget*4 {
				t.Errorf("%d bytes, over the budget", lines)
			}
			if x.lines > 0 && (lines < x.lines-x.count*4 || lines > x.lines+x.count*4) {
				t.Errorf("%d bytes of lines, want about %d", lines, x.lines)
			}
			if x.told < x.count && told >= x.count || x.told == x.count && told != x.count {
				t.Errorf("%d skills are in the list", told)
			}
		})
	}
}

func TestSkillsWithAnUnquotedColonAreReadAsCodexReadsThem(t *testing.T) {
	t.Parallel()
	dir := house(t,
		"ws/.agents/skills/a/SKILL.md", "---\nname: a\ndescription: Does it: well.\n---\n",
		"ws/.agents/skills/b/SKILL.md", "---\nname: b\ndescription: \"never closed\n---\n",
	)
	s := detail(t, dir, "ws")
	var got []string
	for _, it := range s.Items {
		got = append(got, it.Text)
	}
	if len(got) != 1 || !strings.HasPrefix(got[0], "- a: Does it: well. (file: ") || len(s.Warnings) != 1 {
		t.Errorf("%q, %q", got, s.Warnings)
	}
}

func TestRolesAreListedOrDeferred(t *testing.T) {
	t.Parallel()
	for model, want := range map[string][]string{
		"gpt-5":   {"file 18 0", "mute 0 0", "tabled 21 0", "theirs 21 0"},
		"gpt-5.5": {"file 0 18", "mute 0 0", "tabled 0 21", "theirs 0 21"},
	} {
		dir := house(t,
			"home/.codex/config.toml", "model = \""+model+"\"\n[agents.tabled]\ndescription = \"A table.\"\n[projects.\"{{WS}}\"]\ntrust_level = \"trusted\"\n",
			"home/.codex/agents/file.toml", "name = \"file\"\ndescription = \"A file.\"\n",
			"home/.codex/agents/mute.toml", "name = \"mute\"\n",
			"ws/.codex/agents/theirs.toml", "name = \"theirs\"\ndescription = \"Theirs.\\n\"\n",
		)
		var got []string
		for _, it := range detail(t, dir, "ws").Items {
			got = append(got, fmt.Sprintf("%s %d %d", it.Name, it.Resident, it.Deferred))
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", model, diff)
		}
	}
}

func TestDetailListsWhatIsInNoRequest(t *testing.T) {
	t.Parallel()
	dir := house(t,
		"home/.codex/hooks.json", "{\"hooks\": {\"Stop\": [\n{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}], \"PreCompact\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"y\"}]}]}}",
		"home/.codex/prompts/mine.md", "Do it.",
	)
	var got []string
	for _, it := range detail(t, dir, "ws").Items {
		got = append(got, fmt.Sprintf("%s %s %s:%d %d %v", it.Kind, it.Provider, it.Name, it.Place.Line, it.Resident, it.Unmeasured != ""))
	}
	slices.Sort(got)
	want := []string{"command user mine:0 0 false", "hook user PreCompact:2 0 false", "hook user Stop:2 0 true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUsageIsReadFromConversations(t *testing.T) {
	t.Parallel()
	head := func(id, dir string) string {
		return `{"timestamp":"2026-11-01T10:00:00Z","type":"session_meta","payload":{"id":"` + id + `","cwd":"` + dir + `"}}` + "\n"
	}
	line := func(payload string) string {
		return `{"timestamp":"2026-11-02T10:00:00Z","type":"event_msg","payload":` + payload + "}\n"
	}
	item := func(id, server, tool, arguments, status string) string {
		return line(`{"type":"item_completed","item":{"type":"McpToolCall","id":"` + id + `","server":"` + server + `","tool":"` + tool + `","arguments":` + arguments + `,"status":"` + status + `","result":{}}}`)
	}
	dir := house(t,
		"home/.codex/sessions/2026/11/01/rollout-a.jsonl", head("a", "{{WS}}/sub")+
			item("1", "git", "push", `{}`, "failed")+
			line(`{"type":"mcp_tool_call_end","call_id":"1","invocation":{"server":"git","tool":"push","arguments":{}},"result":{"Err":"x"}}`)+
			line(`{"type":"mcp_tool_call_end","call_id":"2","invocation":{"server":"git","tool":"log","arguments":null},"result":{"Ok":{"content":[]}}}`)+
			item("3", "ctx", "call_tool", `{"tool":"git:log"}`, "completed")+
			item("4", "ctx", "git__log", `"text"`, "completed")+
			item("5", "ctx", "tool_search", `{"query":"McpToolCall"}`, "completed")+
			`{"timestamp":"2026-11-02T10:00:00Z","type":"response_item","payload":{"type":"function_call","name":"spawn_agent","call_id":"6","arguments":"{\"agent_type\":\"helper\"}"}}`+"\n"+
			"{ broken McpToolCall\n",
		"home/.codex/sessions/2026/11/01/rollout-b.jsonl", head("b", "{{WS}}-other")+item("1", "git", "push", `{}`, "completed"),
		"home/.codex/sessions/2026/11/01/rollout-c.jsonl", "no head\n"+item("1", "git", "push", `{}`, "completed"),
	)
	u, err := adapter{}.Usage(t.Context(), plugins.UsageRequest{Machine: plugins.Machine{Home: filepath.Join(dir, "home")}, Workspace: filepath.Join(dir, "ws")})
	if err != nil {
		t.Fatal(err)
	}
	if u.Sessions != 1 || u.Since.Format(time.DateOnly) != "2026-11-01" {
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
		"a agent  helper",
		"a mcp_tool  git:log through",
		"a mcp_tool  git__log through",
		"a mcp_tool ctx tool_search",
		"a mcp_tool git log",
		"a mcp_tool git push failed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if slices.Contains(u.Sees, surface.KindSkill) {
		t.Error("nobody can see which skills Codex reads")
	}
}
