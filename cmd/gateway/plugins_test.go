package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/plugindir"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// plugin puts a plugin folder with a server and a skill below dir.
func (h *home) plugin(dir, name, server string) {
	h.t.Helper()
	bin, err := buildStub()
	if err != nil {
		h.t.Fatal(err)
	}
	for file, text := range map[string]string{
		"plugin.json": fmt.Sprintf(`{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": %q, "description": "Notes on larkspur."}`, name),
		"mcp.json": fmt.Sprintf(`{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": {
%q: {"type": "stdio", "command": %q, "args": ["-mark", "${PLUGIN_DATA}/mark"]}, "broken": {"type": "stdio"}}}`, server, bin),
		"skills/prune-larkspur/SKILL.md": "---\nname: prune-larkspur\ndescription: How larkspur is pruned.\n---\nCut it below the bloom.\n",
	} {
		path := filepath.Join(dir, name, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
}

// allowPlugins gives the user's word on all that plugins would start.
func (h *home) allowPlugins() {
	h.t.Helper()
	plugins, _ := plugindir.Read(h.layout, paths.Real(h.ws), nil)
	for _, c := range plugindir.Capabilities(plugins) {
		commands, err := c.Commands()
		if err != nil {
			h.t.Fatal(err)
		}
		for _, cmd := range commands {
			a := trust.Approval{Fingerprint: cmd.Declaration.Fingerprint(), By: "user", Server: cmd.Declaration}
			if err := trust.Open(h.layout.Trust()).Approve(cmd.ID, a); err != nil {
				h.t.Fatal(err)
			}
		}
	}
}

func TestAPluginOfTheWorkspaceIsEnabledByNameOnceItsCommandIsApproved(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.plugin(filepath.Join(h.ws, ".agents", "plugins"), "larkspur", "flowers")
	bad := filepath.Join(h.ws, ".agents", "plugins", "bad", "plugin.json")
	if err := os.MkdirAll(filepath.Dir(bad), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bad, []byte("{\n\"name\": }"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.declare()
	h.wrap()
	s := h.start()
	s.initialize(`{}`)
	const enable, call = `{"action":"enable","name":"larkspur"}`, `{"tool":"flowers:read_note","arguments":{"name":"a"}}`
	mark := filepath.Join(h.layout.Data, "plugin-data", "workspace", paths.ID(paths.Real(h.ws)), "larkspur", "mark")

	list := s.call("capability", `{"action":"list"}`)
	contains(t, list, "larkspur", "plugin.json:2", "mcp.json:2")
	contains(t, s.call("tool_search", `{"query":"notes on larkspur"}`), "capability:larkspur")
	contains(t, s.call("capability", enable), "nobody has approved", "ctx trust approve tap:workspace/")
	contains(t, s.call("call_tool", call), "there is no tool")
	if isFile(mark) {
		t.Fatal("the server was started before its approval")
	}
	h.allowPlugins()
	contains(t, s.call("tool_search", `{"query":"notes on larkspur"}`), "capability:larkspur")
	if isFile(mark) {
		t.Fatal("the server was started before anybody enabled it")
	}
	contains(t, s.call("capability", enable), "larkspur is enabled", "flowers:")
	if !isFile(mark) {
		t.Error("the server does not find its data")
	}
	contains(t, s.call("tool_search", `{"query":"read a note"}`), "flowers:read_note")
	contains(t, s.call("capability", `{"action":"disable","name":"larkspur"}`), "not enabled any more")
	contains(t, s.call("call_tool", call), "there is no tool")
}

func TestASkillOfAPluginIsReadLikeAnyOther(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.plugin(filepath.Join(h.layout.Config, "plugins"), "larkspur", "flowers")
	h.declare()
	h.wrap()
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("capability", `{"action":"enable","name":"skill:prune-larkspur"}`), "Cut it below the bloom")
}

// What one plugin is called is not what a fronted server of the user's is.
func TestAServerOfAPluginTakesNoNameOfTheUsers(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.plugin(filepath.Join(h.ws, ".agents", "plugins"), "larkspur", "desk")
	h.declare(h.stub("desk"))
	h.wrap()
	h.allowPlugins()
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("capability", `{"action":"enable","name":"larkspur"}`), "workspace/desk")
	found := s.call("tool_search", `{"query":"read a note"}`)
	contains(t, found, `"desk:read_note"`, `"workspace/desk:read_note"`)
}

func TestPreloadStopsAtMaxActiveAndTheRoleIsNotCounted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, name := range []string{"diary", "garden", "kitchen", "payroll"} {
		h.capability(name, "*", "ask the "+name)
	}
	h.declare()
	h.wrap()
	h.addTap()
	h.settings("role = \"developer:cook\"\n[roles.\"developer:cook\"]\ncapabilities = [\"garden\"]\n[activate]\nmax_active = 1\n")
	h.env = append(h.env, "CTX_CAPABILITIES=garden, diary ,kitchen,payroll")
	for round := range 2 {
		s := h.start()
		s.initialize(`{}`)
		list := ""
		eventually(t, "the role has what it is to have", func() bool {
			list = s.call("capability", `{"action":"list"}`)
			return strings.Contains(list, "garden: The garden desk [static]")
		})
		contains(t, list, "diary: The diary desk [active]")
		if strings.Contains(list, "kitchen desk [active]") || strings.Contains(list, "payroll desk [active]") {
			t.Errorf("one too many: %s", list)
		}
		if round == 0 { // the conversation that is resumed has what it had
			contains(t, list, "kitchen is not preloaded: 1 are active, which is the most (max_active)", "payroll is not preloaded")
			contains(t, s.call("tool_search", `{"query":"bread"}`), "kitchen is not preloaded")
		}
		s.in.Close()
		if err := s.wait(); err != nil {
			t.Fatal(err)
		}
	}
}
