package plugindir

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// user is someone with a workspace, a tap and folders of their own.
type user struct {
	t      *testing.T
	layout paths.Layout
	ws     string
	tap    tap.Tap
}

func newUser(t *testing.T) *user {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &user{
		t: t, ws: filepath.Join(home, "ws"), tap: tap.Tap{Name: "acme/tools", Path: filepath.Join(home, "tap")},
		layout: paths.Layout{Home: home, Config: filepath.Join(home, "config"), Data: filepath.Join(home, "data"), State: filepath.Join(home, "state")},
	}
}

// Places of plugins.
func (u *user) ofTap(name string) string {
	return filepath.Join(u.tap.Path, "plugins", name)
}
func (u *user) ofWorkspace(name string) string {
	return filepath.Join(u.ws, ".agents", "plugins", name)
}
func (u *user) own(name string) string { return filepath.Join(u.layout.Config, "plugins", name) }

func (u *user) write(path, text string) {
	u.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		u.t.Fatal(err)
	}
}

func (u *user) link(to, path string) {
	u.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		u.t.Fatal(err)
	}
}

func (u *user) read() ([]Plugin, []tap.Problem) {
	return Read(u.layout, u.ws, []tap.Tap{u.tap})
}

func manifest(name string) string {
	return fmt.Sprintf("{\n  \"$schema\": %q,\n  \"name\": %q,\n  \"description\": \"Does %s.\"\n}\n", manifestSchema, name, name)
}

func mcp(servers string) string {
	return fmt.Sprintf("{\n  \"$schema\": %q,\n  \"mcpServers\": {\n%s\n  }\n}\n", serversSchema, servers)
}

func names(plugins []Plugin) string {
	var all []string
	for _, p := range plugins {
		all = append(all, p.Name+"@"+p.Tap)
	}
	return strings.Join(all, " ")
}

func TestPluginsComeFromTapsTheWorkspaceAndTheUserInThatOrder(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	if plugins, problems := u.read(); plugins != nil || problems != nil {
		t.Errorf("before there is any: %v, %v", plugins, problems)
	}
	for name, dir := range map[string]string{"a": u.ofTap("a"), "b": u.ofWorkspace("b"), "c": u.own("c"), "same": u.ofTap("same")} {
		u.write(filepath.Join(dir, "plugin.json"), manifest(name))
		u.write(filepath.Join(dir, "skills", "do", "SKILL.md"), "---\nname: do\n---\n")
	}
	u.write(filepath.Join(u.own("other"), "plugin.json"), manifest("same"))
	u.write(filepath.Join(u.own("nothing"), "README.md"), "no plugin")
	u.write(u.own("README.md"), "no plugin")
	plugins, problems := u.read()
	if got, want := names(plugins), "a@acme/tools same@acme/tools b@workspace/"+paths.ID(u.ws)+" c@user/plugins"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if len(problems) != 1 || problems[0].Rule != "shadowed" {
		t.Errorf("%v", problems)
	}
	var roots []string
	for _, r := range SkillRoots(u.layout, u.ws, []tap.Tap{u.tap}) {
		if r.Origin != skill.FromPlugin {
			t.Errorf("%+v", r)
		}
		roots = append(roots, r.Tap+"="+strings.TrimPrefix(r.Dir, u.layout.Home))
	}
	if got := strings.Join(roots, " "); got != "a=/tap/plugins/a/skills same=/tap/plugins/same/skills b=/ws/.agents/plugins/b/skills c=/config/plugins/c/skills" {
		t.Errorf("roots: %s", got)
	}
}

func TestABadManifestRejectsThePluginWhole(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		line int
		rule string
	}{
		"no JSON":            {"{\n  \"name\": \"x\",\n}", 3, "syntax"},
		"cut off":            {"{\n  \"name\": \"x\"", 2, "syntax"},
		"a comment":          {"{\n  // x\n  \"name\": \"x\"\n}", 2, "syntax"},
		"no object":          {"[]", 1, "syntax"},
		"null":               {"null", 1, "syntax"},
		"empty":              {"", 1, "syntax"},
		"nested without end": {strings.Repeat("[", 20000), 1, "syntax"},
		"no name":            {"{\"version\": \"1\"}", 1, "no-name"},
		"a name of a number": {"{\n\"name\": 7}", 2, "wrong-type"},
		"a bad name":         {"{\n\"name\": \"My Plugin\"}", 2, "bad-name"},
		"two dashes":         {"{\n\"name\": \"a--b\"}", 2, "bad-name"},
		"a path for a name":  {"{\n\"name\": \"../x\"}", 2, "bad-name"},
		"a long name":        {"{\n\"name\": \"" + strings.Repeat("a", 65) + "\"}", 2, "bad-name"},
		"another format":     {"{\"name\": \"x\",\n\"$schema\": \"https://agent-plugins.org/schemas/9.0.0/plugin.schema.json\"}", 2, "bad-schema"},
		"a list for a text":  {"{\"name\": \"x\",\n\"description\": []}", 2, "wrong-type"},
		"a text for a list":  {"{\"name\": \"x\",\n\"keywords\": \"y\"}", 2, "wrong-type"},
		"an unknown author":  {"{\"name\": \"x\",\n\"author\": {\"phone\": \"1\"}}", 2, "wrong-type"},
		"a null":             {"{\"name\": \"x\",\n\"version\": null}", 2, "wrong-type"},
		"far too much of it": {"{\"name\": \"x\", \"version\": \"" + strings.Repeat("v", mostBytes) + "\"}", 0, "unreadable"},
	} {
		u := newUser(t)
		u.write(filepath.Join(u.ofWorkspace("bad"), "plugin.json"), tt.text)
		u.write(filepath.Join(u.ofWorkspace("bad"), "skills", "do", "SKILL.md"), "x")
		u.write(filepath.Join(u.ofWorkspace("bad"), "mcp.json"), mcp(`"s": {"type": "stdio", "command": "x"}`))
		u.write(filepath.Join(u.ofWorkspace("good"), "plugin.json"), "\ufeff"+manifest("good"))
		plugins, problems := u.read()
		if len(plugins) != 1 || plugins[0].Name != "good" {
			t.Errorf("%s: %s", name, names(plugins))
		}
		var found *tap.Problem
		for i, p := range problems {
			if p.Severity == tap.Error {
				found = &problems[i]
			}
		}
		if found == nil || found.Line != tt.line || found.Rule != tt.rule || found.File != filepath.Join(u.ofWorkspace("bad"), "plugin.json") {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}

func TestWhatAManifestNeedNotSayIsOnlyWarnedOf(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(filepath.Join(u.own("x"), "plugin.json"), "{\"name\": \"x\",\n\"hooks\": {}, \"extensions\": 7}")
	plugins, problems := u.read()
	if len(plugins) != 1 || len(problems) != 2 || problems[0].Severity != tap.Warning || problems[1].Severity != tap.Warning {
		t.Errorf("%s, %v", names(plugins), problems)
	}
}

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

func TestLinksThatLeadOutAreRefused(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	secret := filepath.Join(u.layout.Home, "secret")
	u.write(filepath.Join(secret, "plugin.json"), manifest("secret"))
	u.write(filepath.Join(secret, "skills", "do", "SKILL.md"), "x")
	u.write(filepath.Join(secret, "mcp.json"), mcp(`"s": {"type": "stdio", "command": "x"}`))
	u.link(secret, u.ofWorkspace("whole"))
	u.link(secret, u.ofTap("whole"))
	u.link(filepath.Join(secret, "plugin.json"), filepath.Join(u.ofWorkspace("manifest"), "plugin.json"))
	u.write(filepath.Join(u.ofWorkspace("parts"), "plugin.json"), manifest("parts"))
	u.link(filepath.Join(secret, "skills"), filepath.Join(u.ofWorkspace("parts"), "skills"))
	u.link(filepath.Join(secret, "mcp.json"), filepath.Join(u.ofWorkspace("parts"), "mcp.json"))
	u.link("/bin/sh", filepath.Join(u.ofWorkspace("tool"), "sh"))
	u.write(filepath.Join(u.ofWorkspace("tool"), "plugin.json"), manifest("tool"))
	u.write(filepath.Join(u.ofWorkspace("tool"), "mcp.json"), mcp(`"s": {"type": "stdio", "command": "./sh"}`))
	plugins, problems := u.read()
	for _, p := range plugins {
		if p.Name == "secret" || p.Skills != "" || len(p.Servers) != 0 {
			t.Errorf("%+v", p)
		}
	}
	if len(plugins) != 2 || len(problems) != 6 {
		t.Errorf("%s, %v", names(plugins), problems)
	}
	for _, p := range problems {
		if p.Rule != "outside" {
			t.Errorf("%s", p)
		}
	}
	// What the user links is the user's own.
	u.link(secret, u.own("linked"))
	plugins, _ = u.read()
	if !strings.Contains(names(plugins), "secret@user/plugins") {
		t.Errorf("%s", names(plugins))
	}
}

func TestNothingHoldsUpTheReading(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	for _, name := range []string{"pipe", "folder", "loop"} {
		if err := os.MkdirAll(u.own(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(u.own("pipe"), "plugin.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(u.own("folder"), "plugin.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	u.link("plugin.json", filepath.Join(u.own("loop"), "plugin.json"))
	u.link("itself", u.own("itself"))
	plugins, problems := u.read()
	if len(plugins) != 0 || len(problems) != 4 {
		t.Errorf("%s, %v", names(plugins), problems)
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
