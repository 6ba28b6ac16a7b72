package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

func (f fixture) wrap(gateway bool, front ...string) plugins.WrapRequest {
	return plugins.WrapRequest{
		Machine: f.request.Machine, Workspace: f.ws(), Scope: surface.ScopeProject,
		Gateway: gateway, Front: front, Hook: "/opt/my bin/ctx-hook", GatewayBin: "/opt/my bin/ctx-gateway",
	}
}

func plan(t *testing.T, f fixture, req plugins.WrapRequest) plugins.WrapPlan {
	t.Helper()
	p, err := f.adapter.PlanWrap(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func editedFiles(f fixture, p plugins.WrapPlan) []string {
	var all []string
	for _, e := range p.Edits {
		all = append(all, f.anonymous(e.Path))
	}
	return all
}

func TestGatewayIsAPluginAndTheWorkspacesOwnSettings(t *testing.T) {
	t.Parallel()
	f := unpack(t, archive())
	p := plan(t, f, f.wrap(true, "memory", "my server.v2"))

	want := []string{
		"HOME/.claude/skills/ctx/.claude-plugin/plugin.json",
		"HOME/.claude/skills/ctx/hooks/hooks.json",
		"HOME/.claude/skills/ctx/.mcp.json",
		"WS/.claude/settings.local.json",
	}
	if diff := cmp.Diff(want, editedFiles(f, p)); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	ops := []wiring.Op{
		{Kind: wiring.Set, Path: []string{"enabledPlugins", "ctx@skills-dir"}, Value: json.RawMessage(`true`)},
		{Kind: wiring.Append, Path: []string{"deniedMcpServers"}, Value: json.RawMessage(`{"serverName":"memory"}`)},
		{Kind: wiring.Append, Path: []string{"deniedMcpServers"}, Value: json.RawMessage(`{"serverName":"my server.v2"}`)},
	}
	settings := p.Edits[3]
	if diff := cmp.Diff(ops, settings.Ops); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if !settings.Exclude || settings.Tracked == "" {
		t.Error("the settings may end up in a commit")
	}
	var manifest struct {
		Name           string
		DefaultEnabled *bool
	}
	unmarshal(t, p.Edits[0].Content, &manifest)
	if manifest.Name != "ctx" || manifest.DefaultEnabled == nil || *manifest.DefaultEnabled {
		t.Errorf("the plugin is live everywhere: %s", p.Edits[0].Content)
	}
	var servers serverFile
	unmarshal(t, p.Edits[2].Content, &servers)
	gateway := serverFile{map[string]serverEntry{"ctx": {Command: "/opt/my bin/ctx-gateway", Args: []string{"--host", "claude"}, Always: true}}}
	if diff := cmp.Diff(gateway, servers); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
}

func TestHooksAloneAreAPluginOfTheirOwn(t *testing.T) {
	t.Parallel()
	f := unpack(t, archive())
	p := plan(t, f, f.wrap(false, "memory"))
	want := []string{
		"HOME/.claude/skills/ctx-hooks/.claude-plugin/plugin.json",
		"HOME/.claude/skills/ctx-hooks/hooks/hooks.json",
		"WS/.claude/settings.local.json",
	}
	if diff := cmp.Diff(want, editedFiles(f, p)); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	ops := []wiring.Op{{Kind: wiring.Set, Path: []string{"enabledPlugins", "ctx-hooks@skills-dir"}, Value: json.RawMessage(`true`)}}
	if diff := cmp.Diff(ops, p.Edits[2].Ops); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestEveryEventIsWired(t *testing.T) {
	t.Parallel()
	f := unpack(t, archive())
	for _, gateway := range []bool{true, false} {
		var file hookFile
		unmarshal(t, plan(t, f, f.wrap(gateway)).Edits[1].Content, &file)
		for _, e := range events {
			groups := file.Hooks[e.name]
			if e.name == "PreToolUse" && !gateway {
				if groups != nil {
					t.Error("hooks alone ask about tools that are not there")
				}
				continue
			}
			want := []hookGroup{{Matcher: e.matcher, Hooks: []hookHandler{{
				Type: "command", Command: "/opt/my bin/ctx-hook", Args: []string{"claude", e.name}, Timeout: e.timeout,
			}}}}
			if diff := cmp.Diff(want, groups); diff != "" {
				t.Errorf("%s (-want +got):\n%s", e.name, diff)
			}
		}
	}
}

func TestTheSamePlanEveryTime(t *testing.T) {
	t.Parallel()
	f := unpack(t, archive("home/.claude.json", `{"mcpServers":{"a":{"command":"x"}}}`))
	first, second := plan(t, f, f.wrap(true, "a")), plan(t, f, f.wrap(true, "a"))
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}

// TestPlanIsRefused holds what stands in the way, by file and line, before
// anything is written.
func TestPlanIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, content, want string }{
		{"malformed settings", "workspace/.claude/settings.local.json", "{\n \"a\" 1}", "WS/.claude/settings.local.json:2:6: "},
		{"malformed servers", "workspace/.mcp.json", "{\n\"mcpServers\": {\"a\": }}", "WS/.mcp.json:2:"},
		{"malformed user file", "home/.claude.json", "{", "HOME/.claude.json:1:"},
		{"allow list", "home/.claude/settings.json", "{\n \"allowedMcpServers\": [{\"serverName\": \"ctx\"}]}",
			`HOME/.claude/settings.json:2: allowedMcpServers does not let ctx-gateway load; add {"serverCommand":["/opt/my bin/ctx-gateway","--host","claude"]} to it`},
		{"denied", "home/.claude/settings.json", `{"deniedMcpServers": [{"serverName": "plugin:ctx:ctx"}]}`,
			"HOME/.claude/settings.json:1: deniedMcpServers names ctx-gateway"},
		{"someone else's plugin", "home/.claude/skills/ctx/.claude-plugin/plugin.json", `{"name": "ctx"}`,
			"HOME/.claude/skills/ctx is a plugin of someone else's"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := unpack(t, archive(c.file, c.content))
			_, err := f.adapter.PlanWrap(t.Context(), f.wrap(true, "a"))
			if err == nil {
				t.Fatal("no error")
			}
			if got := f.anonymous(err.Error()); !strings.Contains(got, c.want) {
				t.Errorf("error %q, want it to contain %q", got, c.want)
			}
		})
	}
}

func TestBrokenPluginOfAnotherDoesNotStandInTheWay(t *testing.T) {
	t.Parallel()
	f := unpack(t, archive("home/.claude/skills/x/.claude-plugin/plugin.json", "{"))
	plan(t, f, f.wrap(true, "a"))
}

func TestAllowListThatAdmitsTheGateway(t *testing.T) {
	t.Parallel()
	f := unpack(t, archive("home/.claude/settings.json",
		`{"allowedMcpServers": [{"serverCommand": ["/opt/my bin/ctx-gateway", "--host", "claude"]}]}`))
	plan(t, f, f.wrap(true, "a"))
}

func TestNotesSayWhatWillNotWork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, content, want string }{
		{"comments", "workspace/.claude/settings.local.json", "{\n// mine\n}", "WS/.claude/settings.local.json:2:1: Claude Code ignores the whole file"},
		{"no hooks", "home/.claude/settings.json", `{"disableAllHooks": true}`, "HOME/.claude/settings.json:1: disableAllHooks keeps"},
		{"no repository", "workspace/x", "", "sessions started in a subfolder are not wired"},
		{"a hook on tools by pattern", "home/.claude/settings.json",
			`{"hooks": {"PreToolUse": [{"matcher": "mcp__.*__delete.*", "hooks": []}]}}`,
			`~/.claude/settings.json:1: the hook on "mcp__.*__delete.*" sees calls through the gateway as mcp__plugin_ctx_ctx__call_tool`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := unpack(t, archive(c.file, c.content))
			notes := f.anonymous(strings.Join(plan(t, f, f.wrap(true, "a")).Notes, "\n"))
			if !strings.Contains(notes, c.want) {
				t.Errorf("notes %q, want them to contain %q", notes, c.want)
			}
		})
	}
}

func TestNothingToNoteOfAPlainRepository(t *testing.T) {
	t.Parallel()
	f := unpack(t, archive("workspace/.git/HEAD", "ref: refs/heads/main\n"))
	if notes := plan(t, f, f.wrap(true, "a")).Notes; len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
}

func TestConfigFolderElsewhere(t *testing.T) {
	t.Parallel()
	f := unpack(t, archive())
	req := f.wrap(false)
	req.Machine.Env = []string{"CLAUDE_CONFIG_DIR=" + filepath.Join(f.root, "cfg")}
	p := plan(t, f, req)
	if got := f.anonymous(p.Edits[0].Path); got != "ROOT/cfg/skills/ctx-hooks/.claude-plugin/plugin.json" {
		t.Errorf("the plugin is at %s", got)
	}
	if len(p.Notes) == 0 {
		t.Error("nothing says that other sessions are not wired")
	}
}

func unmarshal(t *testing.T, b []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatal(err)
	}
}
