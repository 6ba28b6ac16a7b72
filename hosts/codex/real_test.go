package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/hosts/internal/hometest"
	"github.com/ctx-sidecar/ctx/internal/modelstub"
	"github.com/ctx-sidecar/ctx/plugins"
)

const twoServers = `# the user's own
[mcp_servers.notes] # notes
command = "$STUB"
args = ["--mark", "$DIR/notes.mark"]

[mcp_servers.other]
command = "$STUB"
args = ["--mark", "$DIR/other.mark"]
`

func TestRealCodexLoadsTheGatewayAloneAndRunsTheHooks(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gpt-5", "gpt-5.5"} {
		for name, config := range map[string]string{
			"hooks.json":  twoServers,
			"config.toml": twoServers + "\n[[hooks.Stop]]\nhooks = [{ type = \"command\", command = \"true\" }]\n",
		} {
			t.Run(model+" "+name, func(t *testing.T) {
				t.Parallel()
				c := realCodex(t, config)
				c.carryOut(t, c.plan(t, "notes", "other").Edits)
				first := c.exec(t, c.workspace, model, []modelstub.Step{
					{Namespace: "mcp__ctx", Tool: "write_note", Input: map[string]any{"name": "n", "text": "t"}},
					{Text: "done"},
				})
				if diff := cmp.Diff([]string{"mcp__ctx"}, mcpTools(t, first)); diff != "" {
					t.Errorf("MCP tools in the request:\n%s", diff)
				}
				if !exists(c.path("gateway.mark")) || exists(c.path("notes.mark")) || exists(c.path("other.mark")) {
					t.Error("the gateway did not start, or a server behind it did")
				}
				for _, said := range []string{"said at SessionStart", "said at UserPromptSubmit"} {
					if n := strings.Count(string(first.Body), said); n != 1 {
						t.Errorf("%q is %d times in the request", said, n)
					}
				}
				c.checkEvents(t)
			})
		}
	}
}

// checkEvents decodes what the hooks were given.
func (c *codex) checkEvents(t *testing.T) {
	t.Helper()
	log, err := os.ReadFile(c.path("hooks.log"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[event.Kind]event.Event{}
	for line := range strings.Lines(string(log)) {
		parts := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if parts[0] != hostName {
			t.Errorf("the hook was started for %q", parts[0])
		}
		ev, err := c.adapter.Decode(context.Background(), plugins.RawEvent{Name: parts[1], Payload: []byte(parts[2]), Machine: c.machine})
		if err != nil {
			t.Fatal(err)
		}
		kinds[ev.Kind] = ev
	}
	for _, kind := range []event.Kind{event.SessionStart, event.Prompt, event.ToolAfter, event.SessionEnd} {
		ev, ok := kinds[kind]
		if !ok {
			t.Errorf("no %s event", kind)
			continue
		}
		if ev.Session == "" || ev.Session != kinds[event.SessionStart].Session || ev.Dir != c.workspace || ev.Transcript == "" {
			t.Errorf("%s: %+v", kind, ev)
		}
	}
	if kinds[event.SessionStart].Source != event.Startup || kinds[event.Prompt].Prompt != "hello" {
		t.Errorf("start %+v, prompt %+v", kinds[event.SessionStart], kinds[event.Prompt])
	}
	if use := kinds[event.ToolAfter].Tool; use == nil || !use.Ours || use.Tool != "write_note" {
		t.Errorf("tool use: %+v", use)
	}
}

func TestRealCodexTakesWhatUsersDoAfterWrap(t *testing.T) {
	t.Parallel()
	c := realCodex(t, twoServers)
	c.carryOut(t, c.plan(t, "notes", "other").Edits)
	check := func(want map[string]bool) {
		t.Helper()
		got := map[string]bool{}
		for name, s := range c.listed(t, c.workspace) {
			got[name] = s.Enabled
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("servers and whether they are on (-want +got):\n%s", diff)
		}
	}
	check(map[string]bool{"notes": false, "other": false, "ctx": true})

	c.must(t, "mcp", "remove", "other")
	check(map[string]bool{"notes": false, "ctx": true})
	c.must(t, "mcp", "add", "notes", "--url", "http://127.0.0.1:9/mcp")
	check(map[string]bool{"notes": true, "ctx": true})
	c.must(t, "mcp", "add", "new", "--", "/bin/true")
	check(map[string]bool{"notes": true, "ctx": true, "new": true})

	// What "codex mcp" made of our table is still known for ours.
	c.undo(t)
	check(map[string]bool{"notes": true, "new": true})
	if text, err := os.ReadFile(c.config); err != nil || bytes.Contains(text, []byte("ctx-gateway")) {
		t.Errorf("unwrap left (%v):\n%s", err, text)
	}
}

func (c *codex) must(t *testing.T, args ...string) {
	t.Helper()
	if _, stderr, err := c.run(t, c.workspace, args...); err != nil {
		t.Fatalf("codex %v: %v\n%s", args, err, stderr)
	}
}

// Sources say what Codex itself says, in every folder that a session can start in.
func TestRealCodexReadsTheSameLayers(t *testing.T) {
	t.Parallel()
	c := realCodex(t, `
[projects."$DIR/ws"]
trust_level = "trusted"
[projects."$DIR/ws/bad"]
trust_level = "untrusted"
[projects."$DIR/plain"]
trust_level = "trusted"
[mcp_servers]
inline = { command = "/bin/inline", args = ["a"], enabled = false }
[mcp_servers.mine]
command = "/bin/mine"
args = ["--user"]
env = { A = "1" }
[mcp_servers.web]
url = "http://127.0.0.1:9/mcp"
`)
	server := func(name string) string { return fmt.Sprintf("[mcp_servers.%s]\ncommand = \"/bin/%s\"\n", name, name) }
	hometest.Write(t, c.path("ws/.codex/config.toml"), server("root")+"[mcp_servers.mine]\nargs = [\"--project\"]\n[mcp_servers.web]\nenabled = false\n")
	hometest.Write(t, c.path("ws/sub/.codex/config.toml"), server("sub"))
	hometest.Write(t, c.path("ws/sub/deep/.codex/config.toml"), server("deep"))
	hometest.Write(t, c.path("ws/bad/.codex/config.toml"), server("bad"))
	hometest.Write(t, c.path("plain/.codex/config.toml"), server("plain"))
	hometest.Write(t, c.path("plain/sub/.codex/config.toml"), server("plainsub"))
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=u", "-c", "user.email=u@localhost"}, args...)...)
		cmd.Dir = c.workspace
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "m")
	git("worktree", "add", "-q", c.path("tree"))

	for _, dir := range []string{"ws", "ws/sub", "ws/sub/deep", "ws/bad", "tree", "tree/sub", "plain", "plain/sub", "home"} {
		got, err := c.adapter.Sources(context.Background(), plugins.SourcesRequest{Machine: c.machine, Workspace: c.workspace, Dir: c.path(dir)})
		if err != nil {
			t.Fatal(err)
		}
		ours := map[string]listedServer{}
		for _, s := range got.Servers {
			ours[s.Name] = asListed(s)
		}
		if diff := cmp.Diff(c.listed(t, c.path(dir)), ours, cmp.Comparer(func(a, b []string) bool { return slices.Equal(a, b) })); diff != "" {
			t.Errorf("%s (-codex +ours):\n%s", dir, diff)
		}
	}
}

func asListed(s surface.Server) listedServer {
	l := listedServer{Name: s.Name, Enabled: !s.Disabled}
	l.Transport.Command, l.Transport.Args, l.Transport.Env, l.Transport.URL = s.Command, s.Args, s.Env, s.URL
	return l
}

func TestRealCodexTakesACompiledLaunch(t *testing.T) {
	t.Parallel()
	c := realCodex(t, twoServers+"\n[mcp_servers.off]\ncommand = \"/bin/off\"\nenabled = false\n")
	servers := c.sources(t, nil).Servers
	launch := func(req plugins.CompileRequest) []string {
		req.Machine, req.Workspace, req.GatewayBin = c.machine, c.workspace, c.path("ctx-gateway")
		compiled, err := c.adapter.Compile(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		return compiled.Launch[1:]
	}
	check := func(args []string, want map[string]bool) {
		t.Helper()
		got := map[string]bool{}
		for name, s := range c.listed(t, c.workspace, args...) {
			got[name] = s.Enabled
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", args, diff)
		}
	}
	pick := func(names ...string) []surface.Server {
		return slices.DeleteFunc(slices.Clone(servers), func(s surface.Server) bool { return !slices.Contains(names, s.Name) })
	}
	check(launch(plugins.CompileRequest{Servers: pick("notes", "off")}), map[string]bool{"notes": true, "other": false, "off": true})

	gateway := launch(plugins.CompileRequest{Servers: pick("notes", "other"), Gateway: true})
	check(gateway, map[string]bool{"notes": false, "other": false, "off": false, "ctx": true})
	if first := c.exec(t, c.workspace, "gpt-5.5", nil, gateway...); !slices.Equal(mcpTools(t, first), []string{"mcp__ctx"}) {
		t.Errorf("MCP tools of the compiled launch: %q", mcpTools(t, first))
	}

	deny := launch(plugins.CompileRequest{Servers: pick("notes"), DenyTools: map[string][]string{"notes": {"write_note"}}})
	first := c.exec(t, c.workspace, "gpt-5", nil, deny...)
	if body := string(first.Body); strings.Contains(body, `"write_note"`) || !slices.Equal(mcpTools(t, first), []string{"mcp__notes"}) {
		t.Errorf("a denied tool is in the request, or its server is not: %q", mcpTools(t, first))
	}
}

// For a model that searches for tools, a server costs one line of every request.
func TestRealCodexShowsDeferredServersAsOneLineEach(t *testing.T) {
	t.Parallel()
	c := realCodex(t, twoServers)
	for model, want := range map[string][]string{"gpt-5": {"mcp__notes", "mcp__other"}, "gpt-5.5": nil} {
		first := c.exec(t, c.workspace, model, nil)
		if diff := cmp.Diff(want, mcpTools(t, first)); diff != "" {
			t.Errorf("%s: MCP tools in the request (-want +got):\n%s", model, diff)
		}
		c.configure(t, "model = \""+model+"\"\n"+twoServers)
		loading := c.sources(t, nil).Loading
		if eager := loading == surface.Eager; eager != (want != nil) {
			t.Errorf("%s: said to load %s", model, loading)
		}
		if want == nil && strings.Count(string(first.Body), "- mcp__notes:") != 1 {
			t.Errorf("%s: no line for the server", model)
		}
	}
}

// The adapter's list of models is the one that this Codex carries.
func TestRealCodexCatalogueOfSearchingModels(t *testing.T) {
	t.Parallel()
	c := realCodex(t, "")
	stdout, stderr, err := c.run(t, c.workspace, "debug", "models")
	var catalogue struct {
		Models []struct {
			Slug   string `json:"slug"`
			Search bool   `json:"supports_search_tool"`
		} `json:"models"`
	}
	if err == nil {
		err = json.Unmarshal([]byte(stdout), &catalogue)
	}
	if err != nil {
		t.Fatalf("codex debug models: %v\n%s", err, stderr)
	}
	var search []string
	for _, m := range catalogue.Models {
		if m.Search {
			search = append(search, m.Slug)
		}
	}
	slices.Sort(search)
	if diff := cmp.Diff(search, searchModels); diff != "" {
		t.Errorf("(-codex +ours):\n%s", diff)
	}
}

// A plugin's servers and skills are where the adapter looks for them.
func TestRealCodexPluginsBringServersAndSkills(t *testing.T) {
	t.Parallel()
	c := realCodex(t, "model = \"gpt-5\"\n[mcp_servers.mine]\ncommand = \"/bin/mine\"\n")
	for name, text := range map[string]string{
		"market/.agents/plugins/marketplace.json":      `{"name": "market", "plugins": [{"name": "demo", "source": {"source": "local", "path": "./demo"}, "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}, "category": "Productivity"}]}`,
		"market/demo/.codex-plugin/plugin.json":        `{"name": "demo", "version": "1.0.0", "description": "d", "skills": "./skills/", "mcpServers": "./.mcp.json"}`,
		"market/demo/.mcp.json":                        `{"mcpServers": {"brought": {"command": "/bin/true", "args": ["x"]}}}`,
		"market/demo/skills/ship/SKILL.md":             "---\nname: ship\ndescription: Ships.\n---\n",
		"home/.agents/skills/deploy/SKILL.md":          "---\nname: deploy\ndescription: >\n  Deploys\n  it.\n---\n",
		"home/.agents/skills/quiet/SKILL.md":           "---\nname: quiet\ndescription: Not for the model.\n---\n",
		"home/.agents/skills/quiet/agents/openai.yaml": "policy:\n  allow_implicit_invocation: false\n",
		"home/.codex/agents/scout.toml":                "name = \"scout\"\ndescription = \"Scouts ahead.\"\ndeveloper_instructions = \"Look.\"\n",
		"ws/AGENTS.md":                                 "Instructions of the workspace.\n",
	} {
		hometest.Write(t, c.path(name), text)
	}
	c.must(t, "plugin", "marketplace", "add", c.path("market"))
	c.must(t, "plugin", "add", "demo@market")
	body := string(c.exec(t, c.workspace, "gpt-5", nil).Body)

	src := c.sources(t, nil)
	ours := map[string]listedServer{}
	for _, s := range src.Servers {
		ours[s.Name] = asListed(s)
		if (s.Scope == surface.ScopePlugin) != (s.Direct != "") {
			t.Errorf("%s: scope %s, direct %q", s.Name, s.Scope, s.Direct)
		}
	}
	if diff := cmp.Diff(c.listed(t, c.workspace), ours, cmp.Comparer(func(a, b []string) bool { return slices.Equal(a, b) })); diff != "" {
		t.Errorf("(-codex +ours):\n%s", diff)
	}
	resident := map[string]bool{}
	for _, item := range src.Items {
		resident[item.Name] = item.Resident > 0
	}
	for name, sent := range map[string]string{
		"demo:ship": "- demo:ship: Ships. (file:", "deploy": "- deploy: Deploys it. (file:", "quiet": "- quiet: Not",
		"scout": `scout: {\nScouts ahead.\n}`, "AGENTS.md": "Instructions of the workspace.",
	} {
		quoted := strings.ReplaceAll(sent, `\n`, `\\n`)
		if in := strings.Contains(body, sent) || strings.Contains(body, quoted); in != resident[name] {
			t.Errorf("%s: in the request %v, said to be %v", name, in, resident[name])
		}
	}
}

// With a model that calls tools from code, which are most of today's, our tools
// are listed at once, too.
func TestRealCodexInCodeModeListsTheGatewayAtOnce(t *testing.T) {
	t.Parallel()
	c := realCodex(t, "[mcp_servers.kept]\ncommand = \"$STUB\"\n"+twoServers)
	c.carryOut(t, c.plan(t, "notes", "other").Edits)
	body := string(c.exec(t, c.workspace, "gpt-6-astra", nil).Body)
	for text, want := range map[string]bool{
		"mcp__ctx__write_note":  true,
		"- mcp__kept:":          true,
		"mcp__kept__write_note": false,
		"mcp__notes":            false,
	} {
		if got := strings.Contains(body, text); got != want {
			t.Errorf("%q in the request: %v", text, got)
		}
	}
}
