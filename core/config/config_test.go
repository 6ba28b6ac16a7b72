package config

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/paths"
)

// load reads the two files with these contents; "" is no file.
func load(t *testing.T, user, workspace string, env ...string) (Config, []string) {
	t.Helper()
	l := paths.Layout{Config: t.TempDir()}
	ws := t.TempDir()
	for dir, content := range map[string]string{l.Config: user, ws: workspace} {
		if content == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, fileName), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, problems := Load(l, ws, env)
	for name, of := range map[string]map[string]Profile{"user": c.Surface.Profiles, "workspace": c.Surface.WorkspaceProfiles} {
		for key, p := range of {
			p.File = name // the folders are other ones each time
			of[key] = p
		}
	}
	var told []string
	for _, p := range problems {
		if p.File == filepath.Join(l.Config, fileName) {
			p.File = "user"
		}
		if p.File == filepath.Join(ws, fileName) {
			p.File = "workspace"
		}
		told = append(told, p.String())
	}
	return c, told
}

func TestNoFileIsTheDefault(t *testing.T) {
	t.Parallel()
	c, problems := load(t, "", "")
	if diff := cmp.Diff(Default(), c); diff != "" || problems != nil {
		t.Errorf("problems %q, differs from the default:\n%s", problems, diff)
	}
}

func TestEverySetting(t *testing.T) {
	t.Parallel()
	at := 0.9
	zero := 0.0
	want := Config{
		AutoCapabilities: false, MaxResponseTokens: 5, Role: "",
		Roles: map[string]Role{"developer:go": {Capabilities: []string{"git"}}},
		Surface: Surface{
			MaxStaticTokens: 1, Gate: "off", Gateway: true, Probe: false, DefaultProfile: "small", Tokenizer: "o200k",
			Profiles: map[string]Profile{"small": {
				Families: []string{"files"}, AuthorityCeiling: "read", MaxSchemaTokens: 9,
				Include: []string{"a:*"}, Exclude: []string{"b:*"}, Description: "little", File: "user",
			}},
		},
		Providers:  map[string]string{"search": "ripgrep"},
		Activate:   Activate{MaxActive: 2, MinChars: 3, Suggest: false, ActivateAt: &at, SuggestAt: &zero},
		AutoSkills: false,
		Gateway: Gateway{
			Mode: "reveal", NarrowAbove: 1, NarrowTo: 2, Pin: []string{"x:y"}, FamiliesWhole: []string{},
			SchemaMode: "deferred", SchemaFallbackMS: 7,
		},
		Discovery: Discovery{ActiveProfile: "p", Profiles: map[string]DiscoveryProfile{
			"p": {AlwaysVisible: []string{"all-native"}, MandatorySkills: []string{"s"}},
			"q": {AlwaysVisible: []string{"a*"}},
		}},
		Embed: Embed{Model: "m", OrtLibrary: "/lib/ort.so"},
	}
	const text = "\ufeff" + `auto_capabilities = false
mcp_response_tokens_threshold = 5
role = ""
roles."developer:go".capabilities = ["git"]
capabilities = { search = "ripgrep" }
skills.auto_activation = false
[surface]
max_static_tokens = 1
gate = "off"
gateway = true
probe = false
default_profile = "small"
tokenizer = "o200k"
[surface.profiles.small]
families = ["files"]
authority_ceiling = "read"
max_schema_tokens = 9
include = ["a:*"]
exclude = ["b:*"]
description = "little"
[activate]
max_active = 2
min_chars = 3
suggest = false
activate_at = 0.9
suggest_at = 0
[gateway]
mode = "reveal"
narrow_above = 1
narrow_to = 2
pin = ["x:y"]
families_whole = []
schema_mode = "deferred"
schema_fallback_ms = 7
[discovery]
active_profile = "p"
[discovery.profiles.p]
always_visible = "all-native"
mandatory_skills = ["s"]
[discovery.profiles.q]
always_visible = ["a*"]
[embed]
model = "m"
ort_library = "/lib/ort.so"
`
	for _, ending := range []string{"\n", "\r\n"} {
		c, problems := load(t, strings.ReplaceAll(text, "\n", ending), "")
		if diff := cmp.Diff(want, c); diff != "" || problems != nil {
			t.Errorf("problems %q, differs:\n%s", problems, diff)
		}
	}
}

func TestWhatIsWrongCostsItselfAlone(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, problem string }{
		{"unknown key", "[surface]\nmax_statik_tokens = 1", "workspace:2: unknown key surface.max_statik_tokens (did you mean surface.max_static_tokens?)"},
		{"key at the wrong place", "max_static_tokens = 1", "workspace:1: unknown key max_static_tokens (did you mean surface.max_static_tokens?)"},
		{"unknown table", "[surfaces]\ngate = 1", "workspace:1: unknown key surfaces (did you mean surface?)"},
		{"in an inline table", "gateway = {\n mod = \"kernel\" }", "workspace:2: unknown key gateway.mod (did you mean gateway.mode?)"},
		{"quoted", "\n\"gateway\".\"modus\" = 1", "workspace:2: unknown key gateway.modus (did you mean gateway.mode?)"},
		{"in a profile", "[surface.profiles.x]\nfamilie = []", "workspace:2: unknown key surface.profiles.x.familie (did you mean surface.profiles.x.families?)"},
		{"like nothing", "zzzzzzzzzzzz = 1", "workspace:1: unknown key zzzzzzzzzzzz"},
		{"other case", "Role = \"a\"", "workspace:1: unknown key Role (did you mean role?)"},
		{"string for a number", "mcp_response_tokens_threshold = \"many\"", `workspace:1: mcp_response_tokens_threshold must be a whole number of at least 1, not "many"`},
		{"number below", "[activate]\nmax_active = 0", "workspace:2: activate.max_active must be a whole number of at least 1, not 0"},
		{"number beyond", "[surface]\nmax_static_tokens = 9223372036854775807", "workspace:2: surface.max_static_tokens must be a whole number of at least 0, not 9223372036854775807"},
		{"float for a number", "[activate]\nmin_chars = 1.5", "workspace:2: activate.min_chars must be a whole number of at least 0, not 1.5"},
		{"number for a boolean", "auto_capabilities = 0", "workspace:1: auto_capabilities must be true or false, not 0"},
		{"no such word", "[gateway]\nmode = \"fast\"", `workspace:2: gateway.mode must be "kernel", "narrow" or "reveal", not "fast"`},
		{"list with a number", "[gateway]\npin = [\"a\", 1]", "workspace:2: gateway.pin must be a list of strings: entry 2 is 1"},
		{"string for a list", "[gateway]\npin = \"a\"", `workspace:2: gateway.pin must be a list of strings, not "a"`},
		{"not a fraction", "[activate]\nactivate_at = 2", "workspace:2: activate.activate_at must be a number from 0 to 1, not 2"},
		{"nan", "[activate]\nactivate_at = nan", "workspace:2: activate.activate_at must be a number from 0 to 1, not NaN"},
		{"table for a setting", "[role]\na = 1", "workspace:1: role must be a string, not a table"},
		{"setting for a table", "surface = 1", "workspace:1: surface must be a table, not 1"},
		{"list of tables", "[[gateway]]\nmode = \"kernel\"", "workspace:1: gateway must be a table, not a list"},
		{"date", "role = 2026-01-01", "workspace:1: role must be a string, not a date or time"},
		{"word for globs", "[discovery.profiles.p]\nalways_visible = \"some\"", `workspace:2: discovery.profiles.p.always_visible must be "all", "all-native" or a list of globs, not "some"`},
		{"without effect", "max_session_tokens_threshold = 1", "workspace:1: max_session_tokens_threshold has no effect: the host owns the conversation and its length"},
		{"the user's alone", "[embed]\nort_library = \"./evil.so\"", "workspace:2: embed.ort_library counts in the user's own ctx.toml alone"},
		{"the user's alone, model", "[embed]\nmodel = \"./evil\"", "workspace:2: embed.model counts in the user's own ctx.toml alone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := Default()
			want.Surface.Profiles = map[string]Profile{"kept": {Description: "kept", File: "user"}}
			const kept = "[surface.profiles.kept]\ndescription = \"kept\"\n"
			c, problems := load(t, kept, tt.text)
			if len(problems) != 1 || problems[0] != tt.problem {
				t.Errorf("problems %q\nwant     %q", problems, tt.problem)
			}
			c.Surface.WorkspaceProfiles = nil // what is left of a flawed one has a test of its own
			if diff := cmp.Diff(want, c); diff != "" {
				t.Errorf("the rest differs:\n%s", diff)
			}
		})
	}
}

func TestBrokenFileCostsNotTheOther(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"syntax":      "role = \"a\"\nrole\n",
		"twice":       "role = \"a\"\nrole = \"b\"\n",
		"not UTF-8":   "role = \"\xff\"\n",
		"UTF-16":      "\xff\xfer\x00o\x00",
		"NUL":         "role = \"a\x00\"\n",
		"a huge file": strings.Repeat("# comment\n", mostBytes/8),
		"deep key":    "a" + strings.Repeat(".a", mostBytes/4) + " = 1",
		"deep lists":  "a = " + strings.Repeat("[", mostBytes-8),
		"deep tables": "a = " + strings.Repeat("{a=", mostBytes/4),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, problems := load(t, "role = \"mine\"", text)
			if c.Role != "mine" {
				t.Errorf("role = %q", c.Role)
			}
			if len(problems) != 1 || !strings.HasPrefix(problems[0], "workspace:") || !strings.Contains(problems[0], passedOver) {
				t.Errorf("problems %.200q", problems)
			}
		})
	}
}

func TestDeepestFilesThatAreRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"lists": "a = " + strings.Repeat("[", mostBrackets) + strings.Repeat("]", mostBrackets),
		"key":   "a" + strings.Repeat(".a", mostDots) + " = 1",
		"table": "[a" + strings.Repeat(".a", mostDots) + "]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, problems := load(t, "", text); len(problems) != 1 {
				t.Errorf("%d problems", len(problems))
			}
		})
	}
}

func TestSyntaxErrorHasItsLine(t *testing.T) {
	t.Parallel()
	_, problems := load(t, "", "role = \"a\"\n\n[surface\n")
	if len(problems) != 1 || !strings.HasPrefix(problems[0], "workspace:3: ") {
		t.Errorf("problems %q", problems)
	}
}

func TestWorkspaceWins(t *testing.T) {
	t.Parallel()
	c, problems := load(t,
		"role = \"a\"\n[surface]\nmax_static_tokens = 1\n[surface.profiles.p]\ndescription = \"user\"\ninclude = [\"a:*\"]\n",
		"role = \"b\"\n[surface.profiles.p]\ndescription = \"workspace\"\n")
	if problems != nil {
		t.Errorf("problems %q", problems)
	}
	if c.Role != "b" || c.Surface.MaxStaticTokens != 1 {
		t.Errorf("role %q, budget %d", c.Role, c.Surface.MaxStaticTokens)
	}
	if p := c.Surface.Profiles["p"]; p.Description != "user" || p.Include[0] != "a:*" {
		t.Errorf("the user's profile %+v", p)
	}
	if p := c.Surface.WorkspaceProfiles["p"]; p.Description != "workspace" || p.Include != nil {
		t.Errorf("the workspace's part of it %+v", p)
	}
}

func TestWorkspaceNeverWidensTrust(t *testing.T) {
	t.Parallel()
	const no = "auto_capabilities = false\nskills.auto_activation = false\n[surface]\nprobe = false\n[surface.profiles.p]\nauthority_ceiling = \"read\"\n"
	const yes = "auto_capabilities = true\nskills.auto_activation = true\n[surface]\nprobe = true\n[surface.profiles.p]\nauthority_ceiling = \"destructive\"\n"
	c, problems := load(t, no, yes)
	want, _ := load(t, no, "")
	c.Surface.WorkspaceProfiles = nil
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("the workspace got its way:\n%s", diff)
	}
	if len(problems) != 4 {
		t.Errorf("problems %q", problems)
	}

	// The other way round it may.
	c, problems = load(t, strings.ReplaceAll(yes, "destructive", "local-write"), no)
	if problems != nil || c.AutoCapabilities || c.AutoSkills || c.Surface.Probe || c.Surface.WorkspaceProfiles["p"].AuthorityCeiling != "read" {
		t.Errorf("problems %q, config %+v", problems, c)
	}
}

func TestEnvironmentWins(t *testing.T) {
	t.Parallel()
	c, problems := load(t, "", "[gateway]\nschema_mode = \"full\"\n[discovery]\nactive_profile = \"file\"\n",
		"CTX_CAPABILITIES=a,b c", "CTX_SKILLS=s", "CTX_DISCOVERY_PROFILE=env", "CTX_TOOL_DISCOVERY_MODE=legacy",
		"CTX_TOOL_SCHEMA_MODE=deferred", "CTX_TOOL_SCHEMA_FALLBACK_MS=5", "CTX_LOG=DEBUG")
	want := Default()
	want.PreloadCapabilities, want.PreloadSkills = []string{"a", "b", "c"}, []string{"s"}
	want.Discovery = Discovery{Legacy: true, ActiveProfile: "env"}
	want.Gateway.SchemaMode, want.Gateway.SchemaFallbackMS = "deferred", 5
	want.LogLevel = "debug"
	if diff := cmp.Diff(want, c); diff != "" || problems != nil {
		t.Errorf("problems %q, differs:\n%s", problems, diff)
	}
}

// An environment may come from a repository; the settings that count in the
// user's own file alone must not come along.
func TestNoVariableMakesAFileInTheWorkspaceTheUsers(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ws := filepath.Join(home, "w")
	text := "[embed]\nort_library = \"/ort.so\"\n"
	for dir, library := range map[string]string{
		filepath.Join(ws, ".xdg", "ctx"):       "",        // where a variable says that the settings are
		filepath.Join(home, ".config", "ctx"):  "/ort.so", // where they are
		filepath.Join(home, "w.config", "ctx"): "/ort.so", // where the user moved them to
	} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fileName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, problems := Load(paths.FromEnv([]string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Dir(dir)}), ws, nil)
		if c.Embed.OrtLibrary != library || (len(problems) == 0) != (library != "") {
			t.Errorf("%s: library %q, problems %v", dir, c.Embed.OrtLibrary, problems)
		}
	}
	// Who works in the home itself has the settings in the workspace.
	c, problems := Load(paths.FromEnv([]string{"HOME=" + home}), home, nil)
	if c.Embed.OrtLibrary != "/ort.so" || problems != nil {
		t.Errorf("in the home: library %q, problems %v", c.Embed.OrtLibrary, problems)
	}
}

func TestBadVariablesAreReported(t *testing.T) {
	t.Parallel()
	c, problems := load(t, "", "", "CTX_TOOL_DISCOVERY_MODE=static", "CTX_TOOL_SCHEMA_MODE=x", "CTX_TOOL_SCHEMA_FALLBACK_MS=-1", "CTX_LOG=loud")
	if diff := cmp.Diff(Default(), c); diff != "" {
		t.Errorf("differs from the default:\n%s", diff)
	}
	if len(problems) != 4 || problems[0] != `CTX_TOOL_DISCOVERY_MODE: must be "legacy" or "dynamic", not "static"` {
		t.Errorf("problems %q", problems)
	}
}

func TestManyProblemsAreCutShort(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for range 5000 {
		b.WriteString("k" + strings.Repeat("x", b.Len()%7) + strconv.Itoa(b.Len()) + " = 1\n")
	}
	_, problems := load(t, "", b.String())
	if len(problems) != mostProblems+1 || !strings.HasSuffix(problems[mostProblems], "and 4950 more problems from here on") {
		t.Errorf("%d problems, the last %q", len(problems), problems[len(problems)-1])
	}
}

func TestAPipeInThePlaceOfASettingsFileHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(ws, fileName), 0o600); err != nil {
		t.Fatal(err)
	}
	_, problems := Load(paths.Layout{Config: t.TempDir()}, ws, nil)
	if len(problems) != 1 || !strings.Contains(problems[0].Text, "not a regular file") {
		t.Errorf("problems: %+v", problems)
	}
}
