package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/internal/modelstub"
	"github.com/ctx-sidecar/ctx/plugins"
)

// everyScope has a server in each scope, with the names that hosts mangle.
func everyScope() []string {
	return []string{
		"home/.claude.json", `{
	"mcpServers": {"user.dot": {{server user-dot}}, "us er": {{server us-er}}, "ctx": {{server user-ctx}}},
	"projects": {"{{WS}}": {"mcpServers": {"local": {{server local}}}}}}`,
		"workspace/.mcp.json", `{"mcpServers": {"project": {{server project}}}}`,
		"workspace/CLAUDE.md", "the user's own words\n",
		"workspace/.claude/settings.local.json", "{\n\t\"enabledPlugins\": {\"other@shop\": false},\r\n\t\"model\": \"opus\"\n}",
	}
}

var scopes = []string{"user.dot", "us er", "ctx", "local", "project"}

func repository(t *testing.T, c *client) {
	t.Helper()
	git(t, c.ws(), "init", "-q")
	git(t, c.ws(), "add", ".mcp.json")
	git(t, c.ws(), "commit", "-qm", "x")
	git(t, c.ws(), "worktree", "add", "-q", c.path("tree"))
	for _, dir := range []string{"workspace/sub/deep", "tree/sub", "other"} {
		if err := os.MkdirAll(c.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// onlyOurs reports whether the tools are those of our server and none else.
func onlyOurs(tools []string) bool {
	return len(tools) > 0 && !slices.ContainsFunc(tools, func(name string) bool { return !strings.HasPrefix(name, ourPrefix) })
}

func TestRealGatewayStandsAloneWhereverAWrappedProjectIsStarted(t *testing.T) {
	t.Parallel()
	c := realClaude(t, everyScope()...)
	repository(t, c)
	before := c.run(t, start{})
	if want := []string{"local", "project", "us-er", "user-ctx", "user-dot"}; !slices.Equal(before.started, want) {
		t.Fatalf("unwrapped, %q are started, want %q", before.started, want)
	}
	c.wire(t, true, scopes...)
	answer := `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"said by the hook"}}`
	write(t, c.path("SessionStart.answer"), answer)

	for _, dir := range []string{"workspace", "workspace/sub/deep", "tree", "tree/sub"} {
		s := c.run(t, start{dir: dir})
		if !slices.Equal(s.started, []string{"ctx-gateway"}) || !onlyOurs(s.tools(t)) {
			t.Errorf("%s: %q are started, tools %q", dir, s.started, s.tools(t))
		}
		if n := strings.Count(s.texts(t), "said by the hook"); n != 1 {
			t.Errorf("%s: the hook's context is %d times in the request", dir, n)
		}
		own := slices.DeleteFunc(c.sources(t, dir).Servers, func(s surface.Server) bool { return !s.Own || s.Disabled })
		if len(own) != 1 {
			t.Errorf("%s: our server is not seen as loaded: %+v", dir, own)
		}
	}
	if got := c.run(t, start{}).texts(t); !strings.Contains(got, "the user's own words") {
		t.Error("CLAUDE.md is gone from the request")
	}
	s := c.run(t, start{dir: "other"})
	if want := []string{"us-er", "user-ctx", "user-dot"}; !slices.Equal(s.started, want) || strings.Contains(s.texts(t), "said by the hook") {
		t.Errorf("an unwrapped workspace starts %q, want %q and no hook", s.started, want)
	}
}

func TestRealWorkspacesOfBothKindsGetAlong(t *testing.T) {
	t.Parallel()
	c := realClaude(t, everyScope()...)
	c.wire(t, true, scopes...)
	second := *c
	second.request.Workspace = c.path("second")
	write(t, c.path("second/.mcp.json"), "{}")
	second.wire(t, false)

	if s := c.run(t, start{}); !slices.Equal(s.started, []string{"ctx-gateway"}) {
		t.Errorf("with the gateway, %q are started", s.started)
	}
	c.forget(t, "*.events")
	if s := c.run(t, start{dir: "second"}); !slices.Equal(s.started, []string{"us-er", "user-ctx", "user-dot"}) {
		t.Errorf("with hooks alone, %q are started", s.started)
	}
	if log, err := os.ReadFile(c.path("SessionStart.events")); err != nil || bytes.Count(log, []byte("\n")) != 1 {
		t.Errorf("with hooks alone, the hook got %q (%v)", log, err)
	}
}

func TestRealGatewayIsListedAtOnceBesideToolSearch(t *testing.T) {
	t.Parallel()
	c := realClaude(t, everyScope()...)
	c.wire(t, true, scopes...)
	if s := c.run(t, start{env: []string{"ENABLE_TOOL_SEARCH="}}); !onlyOurs(s.tools(t)) {
		t.Errorf("tools %q", s.tools(t))
	}
}

func TestRealHooksAloneLeaveServersAsTheyAre(t *testing.T) {
	t.Parallel()
	c := realClaude(t, everyScope()...)
	c.wire(t, false, scopes...)
	s := c.run(t, start{})
	if want := []string{"local", "project", "us-er", "user-ctx", "user-dot"}; !slices.Equal(s.started, want) {
		t.Errorf("%q are started, want %q", s.started, want)
	}
	if !exists(c.path("SessionStart.events")) || !exists(c.path("SessionEnd.events")) {
		t.Error("the hooks did not run")
	}
}

// TestRealEventsDecode has every wired event happen and decodes what the hook got.
func TestRealEventsDecode(t *testing.T) {
	t.Parallel()
	c := realClaude(t, everyScope()...)
	c.wire(t, true, scopes[1:]...)
	c.run(t, start{
		args: []string{"--permission-mode", "bypassPermissions"},
		script: []modelstub.Step{
			{Tool: ourPrefix + "echo", Input: map[string]string{"text": "x"}},
			{Tool: ourPrefix + "read_note", Input: map[string]string{"name": "absent"}},
			{Tool: "mcp__user_dot__echo", Input: map[string]string{"text": "x"}},
			{Text: "done"},
		},
	})
	type seen struct {
		Kind         event.Kind
		Server, Tool string
		Ours, Failed bool
		Unattended   bool
	}
	var got []seen
	session := ""
	for _, e := range events {
		log, err := os.ReadFile(c.path(e.name + ".events"))
		if err != nil {
			t.Errorf("%s did not happen: %v", e.name, err)
		}
		for line := range bytes.Lines(log) {
			ev, err := c.adapter.Decode(t.Context(), plugins.RawEvent{Name: e.name, Payload: line, Machine: c.request.Machine})
			if err != nil {
				t.Fatal(err)
			}
			if session == "" {
				session = ev.Session
			}
			if ev.Session != session || ev.Dir != c.ws() || !filepath.IsAbs(ev.Transcript) {
				t.Errorf("%s: session %q, folder %q, transcript %q", e.name, ev.Session, ev.Dir, ev.Transcript)
			}
			s := seen{Kind: ev.Kind, Unattended: ev.Unattended}
			if use := ev.Tool; use != nil {
				s.Server, s.Tool, s.Ours, s.Failed = use.Server, use.Tool, use.Ours, use.Failed
			}
			got = append(got, s)
		}
	}
	ours := pluginServer(pluginName, serverName)
	want := []seen{
		{Kind: event.SessionStart},
		{Kind: event.Prompt, Unattended: true},
		{event.ToolBefore, ours, "echo", true, false, true},
		{event.ToolBefore, ours, "read_note", true, false, true},
		{event.ToolAfter, ours, "echo", true, false, true},
		{event.ToolAfter, "user.dot", "echo", false, false, true},
		{event.ToolAfter, ours, "read_note", true, true, true},
		{Kind: event.SessionEnd},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestRealDecisions has the hook decide on a call, in the modes there are. Print
// mode cannot ask, so that ask and no opinion in the default mode refuse.
func TestRealDecisions(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		decision event.Decision
		mode     string
		rule     string // of the user's own on our tool
		refused  bool
	}{
		{event.Allow, "default", "", false},
		{event.Allow, "bypassPermissions", "", false},
		{event.Ask, "default", "", true},
		{event.Ask, "bypassPermissions", "", true},
		{event.Ask, "default", `"allow"`, true},
		{event.Deny, "default", "", true},
		{event.Deny, "bypassPermissions", "", true},
		{event.Deny, "default", `"allow"`, true},
		{event.Allow, "default", `"deny"`, true},
		{event.NoOpinion, "default", "", true},
		{event.NoOpinion, "bypassPermissions", "", false},
		{event.NoOpinion, "default", `"allow"`, false},
	} {
		t.Run(strings.Join([]string{string(x.decision), x.mode, x.rule}, " "), func(t *testing.T) {
			t.Parallel()
			c := realClaude(t)
			if x.rule != "" {
				c.write(t, "home/.claude/settings.json", `{"permissions": {`+x.rule+`: ["`+ourPrefix+`echo"]}}`)
			}
			c.wire(t, true)
			out, err := c.adapter.Encode(t.Context(), event.Event{Name: "PreToolUse", Kind: event.ToolBefore},
				event.Reply{Decision: x.decision, Reason: "because of the hook"})
			if err != nil {
				t.Fatal(err)
			}
			write(t, c.path("PreToolUse.answer"), string(out))
			s := c.run(t, start{
				args:   []string{"--permission-mode", x.mode},
				script: []modelstub.Step{{Tool: ourPrefix + "echo", Input: map[string]string{"text": "came through"}}, {Text: "done"}},
			})
			results := s.results(t)
			if len(results) != 1 || results[0].refused() != x.refused || strings.Contains(string(results[0].Content), "came through") == x.refused {
				t.Errorf("results %s, want refused %v", mustJSON(results), x.refused)
			}
		})
	}
}

func TestRealClaudeFindsNoFaultInThePlugins(t *testing.T) {
	t.Parallel()
	c := realClaude(t)
	for gateway, name := range map[bool]string{true: pluginName, false: hooksName} {
		c.wire(t, gateway) // the second takes the first one's place
		out, err := c.command(t, c.root, nil, "plugin", "validate", "--strict", filepath.Join(c.home(), ".claude", "skills", name))
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestRealMCPListShowsTheGatewayAlone(t *testing.T) {
	t.Parallel()
	c := realClaude(t, everyScope()...)
	c.wire(t, true, scopes...)
	out, err := c.command(t, c.ws(), nil, "mcp", "list")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Count(out, ": ") != 1 || !strings.Contains(out, "plugin:ctx:ctx") || !strings.Contains(out, "Connected") {
		t.Errorf("claude mcp list:\n%s", out)
	}
}

// TestRealAllowListKeepsTheGatewayOut is why such a list refuses the plan.
func TestRealAllowListKeepsTheGatewayOut(t *testing.T) {
	t.Parallel()
	for list, loads := range map[string]bool{
		`[{"serverName": "ctx"}]`:                                                  false,
		`[{"serverName": "plugin:ctx:ctx"}]`:                                       false,
		`[{"serverCommand": ["{{ROOT}}/ctx-gateway", "--host", "claude"]}]`:        true,
		`[{"serverCommand": ["{{ROOT}}/ctx-gateway"]}, {"serverName": "project"}]`: false,
	} {
		t.Run(list, func(t *testing.T) {
			t.Parallel()
			c := realClaude(t)
			c.wire(t, true)
			c.write(t, "home/.claude/settings.json", `{"allowedMcpServers": `+list+`}`)
			s := c.run(t, start{})
			if got := slices.Contains(s.started, "ctx-gateway"); got != loads {
				t.Errorf("the gateway loads: %v, want %v", got, loads)
			}
			_, err := c.adapter.PlanWrap(t.Context(), plugins.WrapRequest{
				Machine: c.request.Machine, Workspace: c.ws(), Gateway: true, GatewayBin: c.path("ctx-gateway"), Hook: c.path("ctx-hook"),
			})
			if (err == nil) != loads {
				t.Errorf("the plan: %v", err)
			}
		})
	}
}

func TestRealCompiledLaunch(t *testing.T) {
	t.Parallel()
	c := realClaude(t, everyScope()...)
	servers := c.sources(t, "").Servers
	for _, gateway := range []bool{false, true} {
		out, err := c.adapter.Compile(t.Context(), plugins.CompileRequest{
			Machine: c.request.Machine, Workspace: c.ws(), Dir: c.path("compiled"),
			Servers: servers[:2], DenyTools: map[string][]string{servers[0].Name: {"echo"}},
			Gateway: gateway, GatewayBin: c.path("ctx-gateway"),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range out.Files {
			write(t, c.path("compiled/"+f.Name), string(f.Content))
		}
		s := c.run(t, start{args: out.Launch[1:]})
		if gateway {
			if !slices.Equal(s.started, []string{"ctx-gateway"}) || !slices.Contains(s.tools(t), "mcp__ctx__echo") {
				t.Errorf("gateway: %q are started, tools %q", s.started, s.tools(t))
			}
			continue
		}
		if !slices.Equal(s.started, []string{"local", "project"}) {
			t.Errorf("servers: %q are started", s.started)
		}
		if tools := s.tools(t); slices.Contains(tools, "mcp__local__echo") || !slices.Contains(tools, "mcp__project__echo") {
			t.Errorf("servers: tools %q", tools)
		}
	}
}
