package plugindir

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
)

func TestABadPartCostsItselfAlone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		server string
		line   int
		rule   string
	}{
		"no command":            {`"bad": {"type": "stdio"}`, 5, "no-command"},
		"a command in a list":   {`"bad": {"type": "stdio", "command": ["x"]}`, 5, "wrong-type"},
		"a relative command":    {`"bad": {"type": "stdio", "command": "bin/x"}`, 5, "relative-command"},
		"a command outside":     {`"bad": {"type": "stdio", "command": "./../../x"}`, 5, "outside"},
		"a command not there":   {`"bad": {"type": "stdio", "command": "./none"}`, 5, "outside"},
		"a bad type":            {`"bad": {"type": "ws", "url": "ws://x"}`, 5, "bad-type"},
		"args of numbers":       {`"bad": {"type": "stdio", "command": "x", "args": [1]}`, 5, "wrong-type"},
		"env of numbers":        {"\"bad\": {\"type\": \"stdio\", \"command\": \"x\",\n\"env\": {\"A\": 1}}", 6, "wrong-type"},
		"a reserved variable":   {`"bad": {"type": "stdio", "command": "x", "env": {"PLUGIN_ROOT": "/"}}`, 5, "bad-env"},
		"a folder outside":      {`"bad": {"type": "stdio", "command": "x", "cwd": "../.."}`, 5, "bad-cwd"},
		"an absolute folder":    {`"bad": {"type": "stdio", "command": "x", "cwd": "/"}`, 5, "bad-cwd"},
		"out of the data":       {`"bad": {"type": "stdio", "command": "x", "cwd": "${PLUGIN_DATA}/../.."}`, 5, "bad-cwd"},
		"beside the root":       {`"bad": {"type": "stdio", "command": "x", "cwd": "${PLUGIN_ROOT}-evil"}`, 5, "bad-cwd"},
		"no url":                {`"bad": {"type": "streamable-http"}`, 5, "no-url"},
		"an url of a file":      {`"bad": {"type": "sse", "url": "file:///etc/passwd"}`, 5, "bad-url"},
		"an url in the clear":   {`"bad": {"type": "sse", "url": "http://example.com/"}`, 5, "bad-url"},
		"an url with a user":    {`"bad": {"type": "sse", "url": "https://a:b@example.com/"}`, 5, "bad-url"},
		"a header twice":        {`"bad": {"type": "sse", "url": "https://example.com/", "headers": {"A": "", "a": ""}}`, 5, "bad-header"},
		"a name with a newline": {`"b\nad": {"type": "stdio", "command": "x"}`, 5, "bad-name"},
		"no object":             {`"bad": 7`, 5, "wrong-type"},
	} {
		u := newUser(t)
		dir := u.ofTap("p")
		u.write(filepath.Join(dir, "plugin.json"), manifest("p"))
		u.write(filepath.Join(dir, "skills", "do", "SKILL.md"), "x")
		u.write(filepath.Join(dir, "mcp.json"), mcp(`"good": {"type": "stdio", "command": "x"},`+"\n"+tt.server))
		plugins, problems := u.read()
		if len(plugins) != 1 || len(plugins[0].Servers) != 1 || plugins[0].Servers[0].Name != "good" || plugins[0].Skills == "" {
			t.Errorf("%s: %+v", name, plugins)
		}
		if len(problems) != 1 || problems[0].Line != tt.line || problems[0].Rule != tt.rule || problems[0].Text == "" {
			t.Errorf("%s: %+v", name, problems)
		}
		if c, ok := plugins[0].Capability(); !ok || c.Broken != "" {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestABadListOfServersLeavesTheSkills(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"no JSON": "{", "no servers": "{}", "a list": `{"mcpServers": []}`, "another format": `{"$schema": "x", "mcpServers": {}}`} {
		u := newUser(t)
		u.write(filepath.Join(u.own("p"), "plugin.json"), manifest("p"))
		u.write(filepath.Join(u.own("p"), "skills", "do", "SKILL.md"), "x")
		u.write(filepath.Join(u.own("p"), "mcp.json"), text)
		plugins, problems := u.read()
		if len(plugins) != 1 || plugins[0].Skills == "" || len(problems) == 0 {
			t.Errorf("%s: %+v, %v", name, plugins, problems)
			continue
		}
		if c, ok := plugins[0].Capability(); !ok || !strings.Contains(c.Broken, "mcp.json:1") {
			t.Errorf("%s: broken: %q", name, c.Broken)
		}
	}
}

func TestServersAreStartedInThePluginWithItsVariables(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.ofWorkspace("p")
	u.write(filepath.Join(dir, "plugin.json"), manifest("p"))
	u.write(filepath.Join(dir, "bin", "x"), "#!/bin/sh\n")
	u.write(filepath.Join(dir, "mcp.json"), mcp(`
"a": {"type": "stdio", "command": "./bin/x", "args": ["${PLUGIN_ROOT}/c", "${PLUGIN_DATA}", "${HOME}", "{{ENV:NOT_SET}}"], "env": {"C": "${PLUGIN_ROOT}", "PLUGIN": "1"}},
"b": {"type": "stdio", "command": "npx", "cwd": "${PLUGIN_DATA}/b"},
"c": {"type": "stdio", "command": "npx", "cwd": "./bin"},
"d": {"type": "streamable-http", "url": "http://localhost:1/mcp", "headers": {"X": "${PLUGIN_ROOT}"}},
"e": {"command": "/bin/true"}`))
	plugins, problems := u.read()
	if len(plugins) != 1 || len(plugins[0].Servers) != 5 {
		t.Fatalf("%+v, %v", plugins, problems)
	}
	data := filepath.Join(u.layout.Data, "plugin-data", "workspace", paths.ID(u.ws), "p")
	s := plugins[0].Servers
	if a := s[0]; a.Command != filepath.Join(dir, "bin", "x") || strings.Join(a.Args, " ") != dir+"/c "+data+" ${HOME} {{ENV:NOT_SET}}" || a.Cwd != dir ||
		a.Env["C"] != dir || a.Env["PLUGIN_ROOT"] != dir || a.Env["PLUGIN_DATA"] != data || a.DataDir != data || a.Expand || tap.Missing(a.Server, nil) != nil {
		t.Errorf("%+v", a)
	}
	if s[1].Cwd != data+"/b" || s[1].DataDir != data+"/b" || s[2].Cwd != dir+"/bin" {
		t.Errorf("%s, %s", s[1].Cwd, s[2].Cwd)
	}
	if d := s[3]; d.Transport != surface.HTTP || d.URL != "http://localhost:1/mcp" || d.Headers["X"] != "${PLUGIN_ROOT}" {
		t.Errorf("%+v", d)
	}
	if s[4].Transport != surface.Stdio || len(problems) != 2 { // no type, and a command of this machine
		t.Errorf("%+v, %v", s[4], problems)
	}
}

func TestPluginsAreCapabilitiesAfterThoseOfTaps(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	for _, name := range []string{"db", "mail"} {
		u.write(filepath.Join(u.ofTap(name), "plugin.json"), manifest(name))
		u.write(filepath.Join(u.ofTap(name), "mcp.json"), mcp(`"s": {"type": "stdio", "command": "of-plugin"}`))
	}
	u.write(filepath.Join(u.ofWorkspace("db"), "plugin.json"), manifest("db"))
	u.write(filepath.Join(u.ofWorkspace("own"), "plugin.json"), manifest("own"))
	u.write(filepath.Join(u.ofWorkspace("own"), "mcp.json"), mcp(`"s": {"type": "stdio", "command": "of-workspace"}`))
	u.write(filepath.Join(u.ofWorkspace("prose"), "plugin.json"), manifest("prose"))
	u.write(filepath.Join(u.tap.Path, "capabilities", "db", "default.toml"), "# Title: The database\n# Description: Of the tap itself, longer than twenty.\n[[mcp.servers]]\nname = \"db\"\ntype = \"stdio\"\ncommand = \"of-tap\"\n")
	store := tap.Open(u.layout)
	if err := os.MkdirAll(u.layout.Data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := store.Add(u.tap); err != nil {
		t.Fatal(err)
	}
	lib := tap.NewLibrary(store, nil, Source{u.layout, u.ws})
	c := lib.Load()
	for ref, command := range map[string]string{"db": "of-tap", "acme/db": "of-tap", "mail": "of-plugin", "acme/mail": "of-plugin", "own": "of-workspace", "workspace/own": "of-workspace"} {
		if got, ok := c.Find(ref); !ok || got.Servers[0].Command != command {
			t.Errorf("%s is %+v", ref, got)
		}
	}
	if _, ok := c.Find("prose"); ok || len(c.Capabilities) != 3 {
		t.Errorf("%d capabilities", len(c.Capabilities))
	}
	if again := lib.Load(); again != c {
		t.Error("another catalog although nothing has changed")
	}
	u.write(filepath.Join(u.own("more"), "plugin.json"), manifest("more"))
	u.write(filepath.Join(u.own("more"), "mcp.json"), mcp(`"s": {"type": "stdio", "command": "x"}`))
	if got, ok := lib.Load().Find("user/more"); !ok || len(got.Triggers) != 0 {
		t.Errorf("a new one: %+v", got)
	}
}

func FuzzPlugin(f *testing.F) {
	f.Add(manifest("p"), mcp(`"s": {"type": "stdio", "command": "./x", "cwd": "${PLUGIN_DATA}/a"}`))
	f.Add(`{"name":"p"}`, `{"mcpServers":{"a":{"url":"https://x"},"b":null,"":{}}}`)
	f.Add("{\"name\":\"p\",\"author\":{\"~/x\":1}}", "\ufeff{}")
	f.Fuzz(func(t *testing.T, plugin, servers string) {
		u := newUser(t)
		u.write(filepath.Join(u.own("p"), "plugin.json"), plugin)
		u.write(filepath.Join(u.own("p"), "mcp.json"), servers)
		plugins, problems := u.read()
		if len(plugins) == 0 && len(problems) == 0 {
			t.Error("rejected without a word")
		}
		for _, p := range problems {
			if p.Text == "" || p.Rule == "" || p.File == "" {
				t.Errorf("%+v", p)
			}
		}
		for _, p := range plugins {
			for _, s := range p.Servers {
				if s.Transport == surface.Stdio && (s.Command == "" || !filepath.IsAbs(s.Cwd)) || s.Transport != surface.Stdio && s.URL == "" {
					t.Errorf("%+v", s)
				}
			}
		}
	})
}

// A file that is within the limit of bytes can hold very much of one thing.
func TestMuchOfOneThingIsBoundedAndTold(t *testing.T) {
	t.Parallel()
	many := func(n int, format string) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(format, i))
		}
		return strings.Join(list, ",")
	}
	for what, c := range map[string]struct{ manifest, servers, rule string }{
		"servers":       {"", mcp(many(mostServers+1, `"s%d": {"type": "stdio", "command": "c"}`)), "too-many"},
		"bad servers":   {"", mcp(many(mostServers, `"s%d": {"type": "x", "command": 1}`)), "bad-type"},
		"keys":          {"", `{"$schema": "` + serversSchema + `", ` + many(15_000, `"k%d": 1`) + `}`, "empty"},
		"headers":       {"", mcp(`"a": {"type": "sse", "url": "https://a.example", "headers": {` + many(5000, `"h%[1]d": "", "H%[1]d": ""`) + `}}`), "bad-header"},
		"odd servers":   {"", mcp(many(mostServers, `"s%d": {"a": 1, "b": 1, "c": 1, "type": "x"}`)), "bad-type"},
		"manifest keys": {`{"name": "big", ` + many(15_000, `"k%d": 1`) + `}`, "", "unknown-key"},
		"author":        {`{"name": "big", "author": {` + many(15_000, `"k%d": 1`) + `}}`, "", "wrong-type"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			text := c.manifest
			if text == "" {
				text = manifest("big")
			}
			u.write(filepath.Join(u.ofWorkspace("big"), "plugin.json"), text)
			if c.servers != "" {
				u.write(filepath.Join(u.ofWorkspace("big"), "mcp.json"), c.servers)
			}
			plugins, problems := u.read()
			if len(problems) > 2*mostProblems || !slices.ContainsFunc(problems, func(p tap.Problem) bool { return p.Rule == c.rule }) {
				t.Errorf("%d problems: %.300v", len(problems), problems)
			}
			for _, p := range plugins {
				if len(p.Servers) > 0 {
					t.Errorf("%d servers", len(p.Servers))
				}
				if one, ok := p.Capability(); c.servers != "" && (!ok || one.Broken == "") {
					t.Errorf("%+v is not said to be broken", one)
				}
			}
		})
	}
}
