package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/hosts/internal/hometest"
	"github.com/ctx-sidecar/ctx/plugins"
)

// However the user wrote a server, its own table gets the switch, everything
// else stays as it reads, and undoing gives the first bytes back.
func TestWrapSwitchesOffServersInEverySpelling(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{
		"tables with comments": "# mine\n\n[mcp_servers.a] # first\n# why\ncommand = \"/bin/a\" # run\n\n[mcp_servers.b]\nenabled = true # on\nurl = \"http://127.0.0.1:1/\"\n[mcp_servers.b.http_headers]\nX = \"1\"\n\n[mcp_servers.c]\ncommand = \"/bin/c\"\n",
		"no final newline":     "[mcp_servers.a]\ncommand = \"/bin/a\"\n[mcp_servers.b]\ncommand = \"/bin/b\"\n[mcp_servers.c]\ncommand = \"/bin/c\"",
		"CRLF and BOM":         "\ufeff[mcp_servers.a]\r\ncommand = \"/bin/a\"\r\n\r\n[mcp_servers.b]\r\ncommand = \"/bin/b\"\r\n[mcp_servers.c]\r\ncommand = \"/bin/c\"\r\n",
		"inline tables":        "[mcp_servers]\na = { command = \"/bin/a\" }\nb = { command = \"/bin/b\", args = [ \"1\",\n \"2\" ], enabled = true }\nc = { command = \"/bin/c\" }\n",
		"one inline table":     "mcp_servers = { a = { command = \"/bin/a\" }, b = { command = \"/bin/b\" }, c = { command = \"/bin/c\" } }\n",
		"dotted keys":          "mcp_servers.a.command = \"/bin/a\"\nmcp_servers.b.command = \"/bin/b\"\nmcp_servers.b.env.X = \"1\"\nmcp_servers.c.command = \"/bin/c\"\n[other]\nbig = 12345678901234567\nfloat = 1.0e3\n",
		"dotted below a table": "[mcp_servers]\na.command = \"/bin/a\"\nb.command = \"/bin/b\"\nb.enabled = true\nc.command = \"/bin/c\"\n",
		"quoted keys":          "[mcp_servers.\"a\"]\ncommand = '/bin/a'\n[\"mcp_servers\".b]\n'command' = \"\"\"/bin/b\"\"\"\n[ mcp_servers . c ]\ncommand = \"/bin/c\"\n",
		"its part alone":       "[mcp_servers.a.env]\nX = \"1\"\n[mcp_servers.a]\ncommand = \"/bin/a\"\n[mcp_servers.b.tools.t]\napproval_mode = \"prompt\"\n[mcp_servers.b]\ncommand = \"/bin/b\"\n[mcp_servers.c]\ncommand = \"/bin/c\"\n",
	} {
		for _, hooks := range []string{"", "[[hooks.SessionStart]]\nhooks = [{ type = \"command\", command = \"mine\" }]\n"} {
			text := config
			if hooks != "" && name != "no final newline" {
				text += hooks
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := newWrap(t, text)
				w.apply(t)
				got := w.sources(t, nil)
				for _, want := range []struct {
					name     string
					disabled bool
					own      bool
				}{{"a", true, false}, {"b", true, false}, {"c", false, false}, {"ctx", false, true}} {
					i := slices.IndexFunc(got.Servers, func(s surface.Server) bool { return s.Name == want.name })
					if i < 0 {
						t.Errorf("%s is gone; warnings %q", want.name, got.Warnings)
						continue
					}
					if s := got.Servers[i]; s.Disabled != want.disabled || s.Own != want.own {
						t.Errorf("%s: disabled=%v own=%v", s.Name, s.Disabled, s.Own)
					}
				}
				if len(got.Warnings) > 0 {
					t.Errorf("warnings: %q", got.Warnings)
				}
				for _, s := range w.sources(t, []string{"a", "b"}).Servers {
					if s.Disabled {
						t.Errorf("%s: our own switch counts as the user's", s.Name)
					}
				}
				first, _ := os.ReadFile(w.config)
				w.apply(t)
				if second, _ := os.ReadFile(w.config); string(first) != string(second) {
					t.Errorf("a second run changed the file:\n%s\nto\n%s", first, second)
				}
				w.undo(t)
				if back, _ := os.ReadFile(w.config); string(back) != text {
					t.Errorf("unwrap left\n%q\nof\n%q", back, text)
				}
				if exists(hooksFile(filepath.Dir(w.config))) {
					t.Error("unwrap left a hooks.json")
				}
			})
		}
	}
}

// "codex mcp add" writes every table of the file anew: keys in its own order,
// whole numbers as floats, comments gone. Ours reads as Codex would write it, so
// that it comes out whole.
func TestUnwrapAfterCodexAddedAServer(t *testing.T) {
	t.Parallel()
	w := newWrap(t, "[mcp_servers.a]\ncommand = \"/bin/a\"\n\n[mcp_servers.b]\ncommand = \"/bin/b\"\n")
	w.apply(t)
	b, err := os.ReadFile(w.config)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), "startup_timeout_sec = 30.0\ntool_timeout_sec = 300.0\ndefault_tools_approval_mode = \"approve\"\n") {
		t.Errorf("not as Codex writes it:\n%s", b)
	}
	added := "\n[mcp_servers.new]\ncommand = \"/bin/new\"\n"
	hometest.Write(t, w.config, string(b)+added)
	w.undo(t)
	want := "[mcp_servers.a]\ncommand = \"/bin/a\"\n\n[mcp_servers.b]\ncommand = \"/bin/b\"\n" + added
	if got, _ := os.ReadFile(w.config); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestServersOfACommittedProjectFileStayDirect(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed: there is no repository to commit to")
	}
	w := newWrap(t, "")
	hometest.Write(t, w.config, "[projects.\""+w.workspace+"\"]\ntrust_level = \"trusted\"\n")
	hometest.Write(t, filepath.Join(w.workspace, ".codex", "config.toml"), "[mcp_servers.repo]\ncommand = \"/bin/repo\"\n")
	direct := func() string {
		return w.sources(t, nil).Servers[0].Direct
	}
	run := func(args ...string) {
		cmd := exec.Command(git, args...)
		cmd.Dir = w.workspace
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q")
	if got := direct(); got != "" {
		t.Errorf("not added yet, and direct: %s", got)
	}
	run("add", "-A")
	if direct() == "" {
		t.Error("git tracks the file, and its server would be fronted")
	}
}

// What the machine's administrator declares is not the user's to switch off.
func TestTheAdministratorsFileIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	w := newWrap(t, "[mcp_servers.a]\ncommand = \"/bin/a\"\n\n[mcp_servers.b]\ncommand = \"/bin/b\"\n")
	managed := filepath.Join(w.adapter.system, "config.toml")
	const theirs = "[mcp_servers.corp]\ncommand = \"/bin/corp\"\n\n[mcp_servers.a]\nenabled = true\n"
	hometest.Write(t, managed, theirs)
	for _, srv := range w.sources(t, nil).Servers {
		if (srv.Direct != "") != (srv.Name == "corp") {
			t.Errorf("%s: direct %q", srv.Name, srv.Direct)
		}
	}
	w.apply(t)
	if got, _ := os.ReadFile(managed); string(got) != theirs {
		t.Errorf("the administrator's file is\n%s", got)
	}
	if got, _ := os.ReadFile(w.config); strings.Count(string(got), "enabled = false") != 2 {
		t.Errorf("a and b are not switched off:\n%s", got)
	}
}

// One table is the gateway's in every workspace: what the servers of one need it
// to hand on, and how long they may take, outlives the wrap of another.
func TestTheGatewaysTableServesEveryWorkspace(t *testing.T) {
	t.Parallel()
	w := newWrap(t, "[mcp_servers.a]\ncommand = \"/bin/a\"\nenv_vars = [\"A_TOKEN\"]\ntool_timeout_sec = 900\n\n"+
		"[mcp_servers.b]\nurl = \"http://127.0.0.1:1/\"\nbearer_token_env_var = \"B_TOKEN\"\nstartup_timeout_sec = 90.5\n")
	other := *w
	other.workspace = filepath.Join(filepath.Dir(w.workspace), "other")
	if err := os.MkdirAll(other.workspace, 0o755); err != nil {
		t.Fatal(err)
	}
	gateway := func() surface.Server {
		t.Helper()
		for _, srv := range w.sources(t, nil).Servers {
			if srv.Own {
				return srv
			}
		}
		t.Fatal("the gateway's table is gone")
		return surface.Server{}
	}
	w.apply(t, "a")
	other.apply(t, "b")
	both := gateway()
	for _, name := range []string{"A_TOKEN", "B_TOKEN", "CODEX_HOME", "HTTPS_PROXY"} {
		if !slices.Contains(both.EnvVars, name) {
			t.Errorf("%s is not handed on: %q", name, both.EnvVars)
		}
	}
	if both.StartTimeout != 91*time.Second || both.CallTimeout != 900*time.Second {
		t.Errorf("timeouts %v, %v", both.StartTimeout, both.CallTimeout)
	}
	was, _ := os.ReadFile(w.config)
	for _, again := range []struct {
		*wrap
		server string
	}{{w, "a"}, {&other, "b"}} {
		again.apply(t, again.server)
		if now, _ := os.ReadFile(w.config); string(now) != string(was) {
			t.Errorf("wrapping %s again changed the file:\n%s\nto\n%s", again.workspace, was, now)
		}
	}
	other.undo(t)
	if !slices.Contains(gateway().EnvVars, "A_TOKEN") {
		t.Error("A_TOKEN went with the other workspace")
	}
}

// A server is off by our hand where the file that declares it says so. What a
// project's own file says of a server of the user's is the user's word, and a
// wrap neither takes it back nor writes over it.
func TestAProjectsSwitchIsTheUsers(t *testing.T) {
	t.Parallel()
	w := newWrap(t, "")
	project := filepath.Join(w.workspace, ".codex", "config.toml")
	trust := "\n[projects.\"" + w.workspace + "\"]\ntrust_level = \"trusted\"\n"
	const a = "[mcp_servers.a]\n"
	for name, tt := range map[string]struct {
		user, project    string
		disabled, direct bool
	}{
		"off by a wrap elsewhere":                  {a + "command = \"/bin/a\"\nenabled = false\n", "", false, false},
		"and off by the project":                   {a + "command = \"/bin/a\"\nenabled = false\n", a + "enabled = false\n", true, false},
		"off by the project":                       {a + "command = \"/bin/a\"\n", a + "enabled = false\n", true, false},
		"off by the user, on by the project":       {a + "command = \"/bin/a\"\nenabled = false\n", a + "enabled = true\n", false, true},
		"on by the project":                        {a + "command = \"/bin/a\"\n", a + "enabled = true\n", false, true},
		"off by the user, declared by the project": {a + "enabled = false\n", a + "command = \"/bin/a\"\n", true, false},
		"on by the user, declared by the project":  {a + "enabled = true\n", a + "command = \"/bin/a\"\n", false, false},
		"off where the project declares it":        {"", a + "command = \"/bin/a\"\nenabled = false\n", false, false},
	} {
		hometest.Write(t, w.config, tt.user+trust)
		hometest.Write(t, project, tt.project)
		srv := w.sources(t, []string{"a"}).Servers[0]
		if srv.Disabled != tt.disabled || (srv.Direct != "") != tt.direct {
			t.Errorf("%s: disabled=%v, direct %q", name, srv.Disabled, srv.Direct)
		}
		if tt.disabled || tt.direct {
			continue
		}
		w.apply(t, "a")
		if srv := w.sources(t, nil).Servers[0]; !srv.Disabled {
			t.Errorf("%s: it is on after wrap", name)
		}
		if srv := w.sources(t, []string{"a"}).Servers[0]; srv.Disabled {
			t.Errorf("%s: our own switch counts as the user's", name)
		}
		w.undo(t)
	}
}

// wrap is a home with a config.toml whose servers a and b are to be fronted.
type wrap struct {
	machine   plugins.Machine
	workspace string
	config    string
	store     *wiring.Store
	adapter   adapter
}

func newWrap(t *testing.T, config string) *wrap {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &wrap{
		machine:   plugins.Machine{Home: filepath.Join(dir, "home")},
		workspace: filepath.Join(dir, "ws"),
		config:    filepath.Join(dir, "home", ".codex", "config.toml"),
		store:     wiring.Open(filepath.Join(dir, "state", "wraps")),
		adapter:   adapter{system: filepath.Join(dir, "etc")},
	}
	hometest.Write(t, w.config, config)
	if err := os.MkdirAll(w.workspace, 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *wrap) owner() wiring.Owner { return wiring.Owner{Workspace: w.workspace, Host: hostName} }

// apply wraps the workspace and fronts these servers, or else a and b.
func (w *wrap) apply(t *testing.T, front ...string) {
	t.Helper()
	if len(front) == 0 {
		front = []string{"a", "b"}
	}
	plan, err := w.adapter.PlanWrap(context.Background(), plugins.WrapRequest{
		Machine: w.machine, Workspace: w.workspace, Gateway: true, Front: front,
		Hook: "/opt/ctx/bin/ctx-hook", GatewayBin: "/opt/ctx/bin/ctx-gateway",
	})
	if err != nil {
		t.Fatal(err)
	}
	w.carryOut(t, plan.Edits)
}

func (w *wrap) undo(t *testing.T) {
	t.Helper()
	w.carryOut(t, nil)
}

func (w *wrap) carryOut(t *testing.T, edits []wiring.Edit) {
	t.Helper()
	change, err := w.store.Plan(w.owner(), edits)
	if err != nil {
		t.Fatal(err)
	}
	if err := change.Apply(); err != nil {
		t.Fatal(err)
	}
}

func (w *wrap) sources(t *testing.T, fronted []string) surface.Sources {
	t.Helper()
	s, err := w.adapter.Sources(context.Background(), plugins.SourcesRequest{Machine: w.machine, Workspace: w.workspace, Fronted: fronted})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
