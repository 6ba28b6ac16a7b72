package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

// A rule that keeps a tool from the model must do so wherever it stands.
func TestClaudeDeniedAnywhereIsAbsentAndRefused(t *testing.T) {
	t.Parallel()
	deny := func(rule string) string { return `{"permissions":{"deny":["` + rule + `"]}}` }
	settings := func(u *user, dir, text string) { u.write(".claude/settings.json", text, dir) }
	for name, x := range map[string]struct {
		arrange func(u *user, dir string)
		args    []string
	}{
		"user settings":    {func(u *user, _ string) { settings(u, u.home, deny("mcp__memory__read_graph")) }, nil},
		"project settings": {func(u *user, dir string) { settings(u, dir, deny("mcp__memory__read_graph")) }, nil},
		"local settings": {func(u *user, dir string) {
			path := dir + "/.claude/settings.local.json"
			var all map[string]any
			if err := json.Unmarshal([]byte(u.read(path)), &all); err != nil {
				u.t.Fatal(err)
			}
			all["permissions"] = args{"deny": []string{"mcp__memory__read_*"}}
			u.write(path, toJSON(u.t, all), "")
		}, nil},
		"whole server":       {func(u *user, _ string) { settings(u, u.home, deny("mcp__memory")) }, nil},
		"command line":       {nil, []string{"--disallowedTools", "mcp__memory__read_graph"}},
		"settings argument":  {nil, []string{"--settings", `{"enableAllProjectMcpServers":true,"permissions":{"deny":["mcp__memory__read_graph"]}}`}},
		"permission default": {func(u *user, _ string) { settings(u, u.home, deny("mcp__memory__read_graph")) }, []string{"--permission-mode", "default"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			dir := u.workspace("w", u.reference)
			u.wrap(dir, "claude")
			if x.arrange != nil {
				x.arrange(u, dir)
			}
			s := u.claude(dir, []modelstub.Step{
				call("tool_search", args{"query": "read the entire knowledge graph", "limit": 20}),
				call("describe_tool", args{"tools": []string{"memory:read_graph"}}),
				call("call_tool", args{"tool": "memory:read_graph", "arguments": args{}}),
				call("call_tool_write", args{"tool": "memory:read_graph", "arguments": args{}}),
			}, append(append([]string{}, approved...), x.args...)...)
			s.mustSay("filesystem:read_text_file", "unknown")
			s.mustNotSay("Read the entire knowledge graph", `entities\":[]`)
		})
	}
}

func TestCodexRestrictionsHoldBehindTheGateway(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		setting string
		absent  bool
	}{
		"enabled_tools":      {`enabled_tools = ["search_nodes"]`, true},
		"disabled_tools":     {`disabled_tools = ["read_graph"]`, true},
		"server asks":        {`default_tools_approval_mode = "prompt"`, false},
		"tool asks":          {`tools.read_graph.approval_mode = "prompt"`, false},
		"tool asks of a yes": {"default_tools_approval_mode = \"approve\"\ntools.read_graph.approval_mode = \"prompt\"", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, dir, config := codexUser(t)
			text := u.read(config)
			const table = "[mcp_servers.memory] # one of mine\n"
			u.write("config.toml", strings.Replace(text, table, table+x.setting+"\n", 1), filepath.Dir(config))
			u.wrap(dir, "codex")
			s := u.askingCodex(dir, "gpt-5", []modelstub.Step{
				onCodex("tool_search", args{"query": "read the entire knowledge graph", "limit": 20}),
				onCodex("call_tool", args{"tool": "memory:read_graph", "arguments": args{}}),
				onCodex("call_tool_write", args{"tool": "memory:read_graph", "arguments": args{}}),
				onCodex("call_tool", args{"tool": "memory:search_nodes", "arguments": args{"query": "x"}}),
			})
			s.mustSay("memory:search_nodes")
			if found := strings.Contains(s.said(), "Read the entire knowledge graph"); found == x.absent {
				t.Errorf("search finds the tool: %v", found)
			}
			// What goes through answers an empty graph: the last call, unless it is to
			// be asked about and nobody is there to answer.
			want := 1
			if name == "server asks" {
				want = 0
			}
			if n := strings.Count(s.said(), `entities\":[]`); n != want {
				t.Errorf("%d calls went through, want %d:\n%s", n, want, s.said())
			}
		})
	}
}
