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
