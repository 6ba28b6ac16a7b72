package capability_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/state"
)

// user is someone in a workspace, with a tap of their own.
type user struct {
	t        *testing.T
	ws       string
	env      []string
	sessions *state.Store
}

func newUser(t *testing.T) *user {
	home := t.TempDir()
	u := &user{t: t, ws: filepath.Join(home, "ws"), env: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}}
	if err := os.Mkdir(u.ws, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, why := state.SafeDir(paths.FromEnv(u.env), paths.Real(u.ws))
	if why != "" {
		t.Fatal(why)
	}
	u.sessions = state.Open(dir)
	for _, name := range []string{"diary", "garden"} {
		at := filepath.Join(home, "tap", "capabilities", name)
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{
			"config.toml":  `triggers = ["write into my ` + name + `", "look into my ` + name + `", "clean up my ` + name + `"]`,
			"default.toml": "# Title: The " + name + " desk\n# Description: All of the " + name + ".\n[[mcp.servers]]\nname = \"" + name + "\"\ncommand = \"" + name + "-mcp\"\nargs = [\"{{ENV:" + strings.ToUpper(name) + "}}\"]\n",
		} {
			if err := os.WriteFile(filepath.Join(at, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	u.env = append(u.env, "DIARY=1")
	if code, _, errOut := u.run("tap", "add", "acme/tools", filepath.Join(home, "tap"), "--yes"); code != cmdutil.OK {
		t.Fatal(errOut)
	}
	return u
}

func (u *user) run(args ...string) (code int, out, errOut string) {
	u.t.Helper()
	s, _, o, e := iostreams.Test()
	cmd := root.New(&cmdutil.Factory{IO: s, Env: u.env, Dir: u.ws})
	cmd.SetArgs(args)
	code = cmdutil.Report(s.Err, cmd.ExecuteContext(u.t.Context()))
	return code, o.String(), e.String()
}

// begin makes a session known.
func (u *user) begin(id string) {
	u.t.Helper()
	if _, err := u.sessions.Update(id, func(*state.Session) {}); err != nil {
		u.t.Fatal(err)
	}
}

func TestListMarksWhatIsNotReady(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	code, out, errOut := u.run("capability", "list")
	if !strings.Contains(errOut, "by words alone") {
		t.Errorf("list warns of %s", errOut)
	}
	for _, want := range []string{"diary", "The garden desk", "unready: the variable GARDEN is not set"} {
		if code != cmdutil.OK || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in\n%s", code, want, out)
		}
	}
	if !strings.Contains(out, "The diary desk   ready\n") {
		t.Errorf("what is ready is not marked:\n%s", out)
	}
	if _, out, _ = u.run("capability", "status"); !strings.Contains(out, "  no         the variable GARDEN is not set") {
		t.Errorf("status says no reason, or its name again:\n%s", out)
	}
	_, out, _ = u.run("capability", "status", "--json")
	var st struct {
		Schema       string
		Capabilities []stateLine
		Warnings     []string
	}
	if err := json.Unmarshal([]byte(out), &st); err != nil || st.Schema != "ctx.capability-status/v1" || len(st.Capabilities) != 2 {
		t.Fatalf("%v in %s", err, out)
	}
	if len(st.Warnings) != 1 || !strings.Contains(st.Warnings[0], "by words alone") {
		t.Errorf("warnings %q", st.Warnings)
	}
	if d, g := st.Capabilities[0], st.Capabilities[1]; d.Blocked != "" || d.Effective || !strings.Contains(g.Blocked, "GARDEN") {
		t.Errorf("status %+v", st.Capabilities)
	}
}

// What is not there for a fault in a file is not simply absent.
func TestFaultsInFilesAreWarnedOf(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct{ file, text, where string }{
		"the list of taps": {".local/share/ctx/taps.toml", "[[taps]\n", "taps.toml:1"},
		"a provider":       {"tap/capabilities/diary/default.toml", "x =", "default.toml:1"},
		"a trigger":        {"tap/capabilities/diary/config.toml", "triggers = [1]\n", "config.toml:1"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			if err := os.WriteFile(filepath.Join(filepath.Dir(u.ws), c.file), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"list"}, {"status"}} {
				if _, _, errOut := u.run(append([]string{"capability"}, args...)...); !strings.Contains(errOut, c.where) {
					t.Errorf("%s: %s", args, errOut)
				}
				if _, out, _ := u.run(append([]string{"capability", "--json"}, args...)...); !strings.Contains(out, c.where) {
					t.Errorf("%s --json: %s", args, out)
				}
			}
		})
	}
}

type stateLine struct {
	Name      string
	Effective bool
	Blocked   string
}

func TestDiscoverFindsAndExplains(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	code, out, errOut := u.run("capability", "discover", "please write a line into my diary")
	if code != cmdutil.OK || !strings.Contains(out, "diary") || strings.Contains(out, "garden") || !strings.Contains(errOut, "by words alone") {
		t.Errorf("exit %d:\n%s%s", code, out, errOut)
	}
	_, out, _ = u.run("capability", "discover", "please write a line into my diary", "--explain")
	for _, want := range []string{"ranker lexical", "that nothing fits", "garden", "unready", "word best"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if code, _, errOut := u.run("capability", "discover", " "); code != cmdutil.Usage || !strings.Contains(errOut, "hint:") {
		t.Errorf("exit %d: %s", code, errOut)
	}
}

func TestExplainShowsTheBestAndCountsTheRest(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	tap := filepath.Join(filepath.Dir(u.ws), "tap", "capabilities")
	for i := range 10 {
		name := "desk" + strconv.Itoa(i)
		if err := os.CopyFS(filepath.Join(tap, name), os.DirFS(filepath.Join(tap, "diary"))); err != nil {
			t.Fatal(err)
		}
	}
	_, out, _ := u.run("capability", "discover", "look into my garden", "--explain")
	if strings.Count(out, " gram best ") != 10 || !strings.Contains(out, "and 2 more, none above 0.") {
		t.Errorf("twelve capabilities:\n%s", out)
	}
	_, out, _ = u.run("capability", "discover", "look into my garden", "--explain", "--json")
	if strings.Count(out, `"probability"`) != 12 {
		t.Errorf("--json lacks some:\n%s", out)
	}
}

func TestEnableAndDisableAskTheSessionsGateway(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	if code, _, errOut := u.run("capability", "enable", "diary"); code != cmdutil.Missing || !strings.Contains(errOut, "no session is known") {
		t.Errorf("exit %d: %s", code, errOut)
	}
	u.begin("s1")
	if code, out, errOut := u.run("capability", "enable", "diary"); code != cmdutil.OK || !strings.Contains(out, "session s1") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	s, err := u.sessions.Load("s1")
	if err != nil || len(s.Wanted) != 1 || s.Wanted[0] != (state.Want{Ref: "acme/diary", By: "user"}) {
		t.Errorf("%v, wanted %+v", err, s.Wanted)
	}
	if code, out, _ := u.run("capability", "disable", "diary", "--session", "s1"); code != cmdutil.OK {
		t.Errorf("exit %d: %s", code, out)
	}
	if s, _ := u.sessions.Load("s1"); len(s.Wanted) != 1 || !s.Wanted[0].Off {
		t.Errorf("wanted %+v", s.Wanted)
	}
	for name, want := range map[string]string{"garden": "export GARDEN=", "diari": "did you mean diary", "none-such": "list shows"} {
		if code, _, errOut := u.run("capability", "enable", name); code != cmdutil.No || !strings.Contains(errOut, want) {
			t.Errorf("%s: exit %d: %s", name, code, errOut)
		}
	}
}

// A session by a name that is mistyped would be one that later commands mean.
func TestASessionThatNobodyKnowsIsNotMade(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	refused := func(hint string) {
		t.Helper()
		for _, verb := range []string{"enable", "disable"} {
			code, out, errOut := u.run("capability", verb, "diary", "--session", "abd")
			if code != cmdutil.No || out != "" || !strings.Contains(errOut, `unknown session "abd"`) || !strings.Contains(errOut, hint) {
				t.Errorf("%s: exit %d: %s%s", verb, code, out, errOut)
			}
			if _, err := os.Stat(u.sessions.Path("abd")); err == nil {
				t.Errorf("%s made a session", verb)
			}
		}
	}
	refused("hint: no session is on record here")
	u.begin("abc")
	refused("hint: the latest one is abc")
}

// What a model's bundle says and what its graph does may be two things.
func TestAModelThatFailsIsToldOfAndWordsDecide(t *testing.T) {
	t.Parallel()
	lib := os.Getenv(embed.LibraryVariable)
	if lib == "" {
		t.Skip(embed.LibraryVariable + " names no ONNX Runtime library")
	}
	u := newUser(t)
	model := filepath.Join(filepath.Dir(u.ws), "model")
	if err := os.CopyFS(model, os.DirFS("../../../../models/"+embed.DefaultModel)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(model, embed.BundleFile)
	said, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(said, []byte(`"dimensions": 384`), []byte(`"dimensions": 383`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(filepath.Dir(u.ws), ".config", "ctx")
	if err := os.MkdirAll(settings, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(settings, "ctx.toml"), []byte("[embed]\nmodel = \""+model+"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	u.env = append(u.env, embed.LibraryVariable+"="+lib)
	code, out, errOut := u.run("capability", "discover", "please write a line into my diary")
	if strings.Contains(errOut, embed.ErrNoRuntime.Error()) {
		t.Skip(errOut)
	}
	if code != cmdutil.OK || !strings.Contains(out, "diary") || !strings.Contains(errOut, "383") || !strings.Contains(errOut, "by words alone") {
		t.Errorf("exit %d:\n%s%s", code, out, errOut)
	}
}
