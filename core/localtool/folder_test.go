package localtool

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/trust"
)

const script = "#!/bin/sh\n# @description Say it.\n# @param *what string The words\n# @param times integer How often\ncat\n"

// workspace is one with a folder of tools.
func workspace(t *testing.T) string {
	t.Helper()
	ws := t.TempDir()
	if err := os.MkdirAll(Folder(ws), 0o755); err != nil {
		t.Fatal(err)
	}
	return ws
}

func put(t *testing.T, ws, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(Folder(ws), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func one(t *testing.T, ws string) Tool {
	t.Helper()
	tools, problems := Read(ws)
	if len(tools) != 1 || len(problems) != 0 {
		t.Fatalf("%+v, %v", tools, problems)
	}
	return tools[0]
}

func TestAWorkspaceWithoutToolsHasNone(t *testing.T) {
	t.Parallel()
	if tools, problems := Read(t.TempDir()); tools != nil || problems != nil {
		t.Errorf("%v, %v", tools, problems)
	}
}

func TestEachBadFileIsNamedAndCostsNoOther(t *testing.T) {
	t.Parallel()
	ws := workspace(t)
	dir := Folder(ws)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, ws, "say", script, 0o755)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Symlink("say", filepath.Join(dir, "also")))
	// These belong to somebody else.
	put(t, ws, "README.md", "# How to use these\n", 0o644)
	put(t, ws, ".hidden", script, 0o755)
	put(t, ws, "lib/helper", "#!/bin/sh\n", 0o755)
	must(os.Symlink("lib", filepath.Join(dir, "libs")))

	want := map[string]string{"plain": "not executable", "say.sh": "tool's name", "-x": "tool's name", "no-header": "@description", "binary": "@description",
		"out": "out of the folder", "up": "out of the folder", "dangling": "no such file", "loop": "", "pipe": "no regular file", "huge": "larger than", "secret": "denied"}
	put(t, ws, "plain", script, 0o644)
	put(t, ws, "say.sh", script, 0o755)
	put(t, ws, "-x", script, 0o755)
	put(t, ws, "no-header", "#!/bin/sh\necho\n", 0o755)
	put(t, ws, "binary", "\x7fELF\x00\x00", 0o755)
	put(t, ws, "huge", script+strings.Repeat("#", 1<<20), 0o755)
	put(t, ws, "secret", script, 0o000)
	must(os.Symlink(outside, filepath.Join(dir, "out")))
	must(os.Symlink("../../../"+filepath.Base(ws)+"/x", filepath.Join(dir, "up")))
	must(os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	must(os.Symlink("loop", filepath.Join(dir, "loop")))
	must(syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o755))
	if os.Geteuid() == 0 { // who may read anything
		delete(want, "secret")
		must(os.Remove(filepath.Join(dir, "secret")))
	}

	tools, problems := Read(ws)
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "also say" {
		t.Errorf("tools: %s", got)
	}
	for _, p := range problems {
		says, ok := want[filepath.Base(p.File)]
		if !ok || !strings.Contains(p.Text, says) || p.Hint == "" || strings.Contains(p.Text, dir) {
			t.Errorf("%s", p)
		}
		delete(want, filepath.Base(p.File))
	}
	if len(want) > 0 {
		t.Errorf("nothing is said of %v", want)
	}
}

// What lies in the folder's place is named, and nobody waits for it.
func TestWhatIsNoFolderOfToolsHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	for what, make := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o755) },
		"file":   func(path string) error { return os.WriteFile(path, []byte(script), 0o755) },
		"loop":   func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"link to a pipe": func(path string) error {
			return errors.Join(syscall.Mkfifo(path+".pipe", 0o755), os.Symlink(filepath.Base(path)+".pipe", path))
		},
	} {
		for _, name := range []string{".agents", ".agents/tools"} {
			ws := t.TempDir()
			path := filepath.Join(ws, name)
			err := os.MkdirAll(filepath.Dir(path), 0o755)
			if err := errors.Join(err, make(path)); err != nil {
				t.Fatal(err)
			}
			tools, problems := Read(ws)
			if len(tools) != 0 || len(problems) != 1 || problems[0].File != Folder(ws) || problems[0].Hint == "" {
				t.Errorf("%s as %s: %v, %v", what, name, tools, problems)
			}
		}
	}
}

func TestAFolderThatLeadsOutOfTheWorkspaceIsRefused(t *testing.T) {
	t.Parallel()
	elsewhere := workspace(t)
	put(t, elsewhere, "say", script, 0o755)
	for _, name := range []string{".agents", ".agents/tools"} {
		ws := t.TempDir()
		link := filepath.Join(ws, name)
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(elsewhere, name), link); err != nil {
			t.Fatal(err)
		}
		tools, problems := Read(ws)
		if len(tools) != 0 || len(problems) != 1 || !strings.Contains(problems[0].Text, "out of") {
			t.Errorf("%s: %v, %v", name, tools, problems)
		}
	}
}

func TestADefinitionIsAJSONSchema(t *testing.T) {
	t.Parallel()
	ws := workspace(t)
	put(t, ws, "say", script, 0o755)
	const want = `{"name":"say","description":"Say it.","inputSchema":{"type":"object","properties":{"times":{"type":"integer","description":"How often"},` +
		`"what":{"type":"string","description":"The words"}},"required":["what"]}}`
	if got := string(one(t, ws).Definition()); got != want {
		t.Errorf("%s", got)
	}
}

func TestArgumentsAreAlsoInVariables(t *testing.T) {
	t.Parallel()
	ws := workspace(t)
	put(t, ws, "say", script, 0o755)
	env, err := one(t, ws).Environment(json.RawMessage(`{"what":"a\nb","times":2,"dry-run":true,"list":[1, "x"],"none":null,"a=b":1,"nul":"\u0000","long":"` + strings.Repeat("x", 1<<16) + `"}`))
	want := []string{"CTX_TOOL_NAME=say", "CTX_WORKSPACE=" + ws, "CTX_PARAM_DRY_RUN=true", `CTX_PARAM_LIST=[1, "x"]`, "CTX_PARAM_NONE=", "CTX_PARAM_TIMES=2", "CTX_PARAM_WHAT=a\nb"}
	if err != nil || strings.Join(env, "|") != strings.Join(want, "|") {
		t.Errorf("%q, %v", env, err)
	}
	if _, err := one(t, ws).Environment(json.RawMessage(`{"times":2}`)); err == nil || !strings.Contains(err.Error(), "what (string)") {
		t.Errorf("a missing argument: %v", err)
	}
}

func TestOnlyApprovedBytesAreOnTheShelf(t *testing.T) {
	t.Parallel()
	ws, state := workspace(t), t.TempDir()
	approvals := trust.Open(filepath.Join(state, "trust.json"))
	shelf := OpenShelf(ws, approvals)
	has := func(approved, waits int, status trust.Status) {
		t.Helper()
		s := shelf.State()
		if len(s.Approved) != approved || len(s.Waiting) != waits || waits > 0 && s.Waiting[0].Status != status {
			t.Errorf("%d approved, %d wait: %+v", len(s.Approved), len(s.Waiting), s.Waiting)
		}
	}
	approve := func() {
		t.Helper()
		d := one(t, ws).Declaration()
		if err := approvals.Approve(one(t, ws).TrustID(), trust.Approval{Fingerprint: d.Fingerprint(), By: "user", Server: d}); err != nil {
			t.Fatal(err)
		}
	}
	has(0, 0, "")
	path := put(t, ws, "say", script, 0o755)
	has(0, 1, trust.Unknown)
	if err := shelf.Note(); err != nil {
		t.Fatal(err)
	}
	if e := approvals.Entries(); len(e) != 1 || e[0].Server.Name != "local:say" || e[0].ID != "local:say@"+ws {
		t.Errorf("noted: %+v", e)
	}
	approve()
	has(1, 0, "")
	if a, b := shelf.State(), shelf.State(); a != b {
		t.Error("another state although nothing has changed")
	}
	tool := shelf.State().Approved[0]
	put(t, ws, "say", script+"# more\n", 0o755)
	has(0, 1, trust.Changed)
	if _, err := tool.Bytes(); !errors.Is(err, ErrOther) {
		t.Errorf("other bytes: %v", err)
	}
	put(t, ws, "say", script, 0o755)
	has(1, 0, "")
	put(t, ws, "say", script+"# more\n", 0o755)
	approve()
	has(1, 0, "")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	has(0, 0, "")

	// What one workspace was allowed counts for no other.
	other := workspace(t)
	put(t, other, "say", script, 0o755)
	if s := OpenShelf(other, approvals).State(); len(s.Approved) != 0 || len(s.Waiting) != 1 {
		t.Errorf("another workspace: %+v", s)
	}
}

// A write within one tick of the clock leaves the stamp as it was.
func TestAnEditThatLeavesNoTraceInTheStampIsSeen(t *testing.T) {
	t.Parallel()
	ws := workspace(t)
	path := put(t, ws, "say", script, 0o755)
	shelf := OpenShelf(ws, trust.Open(filepath.Join(t.TempDir(), "trust.json")))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	first := shelf.State().Waiting[0].SHA256
	put(t, ws, "say", strings.Replace(script, "Say it", "Eat it", 1), 0o755)
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if shelf.State().Waiting[0].SHA256 == first {
		t.Error("the edit is not seen")
	}
}

func TestACopyHoldsExactlyTheBytesOfItsHash(t *testing.T) {
	t.Parallel()
	ws := workspace(t)
	put(t, ws, "say", script, 0o755)
	tool := one(t, ws)
	l := paths.Layout{State: t.TempDir()}
	c := OpenCopies(l)
	if _, err := c.Put(tool, []byte(script+"x")); !errors.Is(err, ErrOther) {
		t.Errorf("other bytes: %v", err)
	}
	path, err := c.Put(tool, []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o500 || filepath.Base(path) != "say" {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	// Whatever has become of it, it holds the right bytes when it is asked for.
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\nrm\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Get(tool.SHA256); ok {
		t.Error("a copy with other bytes counts")
	}
	if _, err := c.Put(tool, []byte(script)); err != nil {
		t.Fatal(err)
	}
	if text, ok := c.Get(tool.SHA256); !ok || string(text) != script {
		t.Errorf("%q", text)
	}
	if _, ok := c.Get("../" + tool.SHA256); ok {
		t.Error("a path counts for a hash")
	}
	if err := os.Chmod(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Put(tool, []byte(script)); err == nil {
		t.Error("a folder that others write to is used")
	}
	if err := c.Keep(map[string]bool{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("it is kept: %v", err)
	}
}
