package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// install runs install.sh for a user, with the caches of whoever runs the test,
// and with the ONNX Runtime of the first installation if there is one: what is
// downloaded is not what is tested, unless the user says so.
func (u *user) install(args ...string) result {
	u.t.Helper()
	env := u.environ()
	if found, _ := filepath.Glob(filepath.Join(prefix, "share/ctx/lib/libonnxruntime*")); len(found) == 1 {
		env = slices.Insert(env, 0, "CTX_ORT_LIB="+found[0])
	}
	for _, v := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", v).Output()
		if err != nil {
			u.t.Fatal(err)
		}
		env = append(env, v+"="+strings.TrimSpace(string(out)))
	}
	return u.run(".", env, "../../install.sh", args...)
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return all
}

func TestInstallTwiceWrapTwoUninstall(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	one := u.workspace("one", notes("a"))
	two := u.workspace("two", notes("b"))
	u.awkward(one)
	u.write(".local/bin/mine", "#!/bin/sh\n", u.home)
	before := u.snapshot(one, two)

	for range 2 {
		if r := u.install(); r.code != 0 {
			t.Fatalf("install.sh: exit %d\n%s%s", r.code, r.out, r.err)
		}
	}
	ctx := filepath.Join(u.home, ".local/bin/ctx")
	for _, dir := range []string{one, two} {
		if r := u.run(dir, u.environ(), ctx, "wrap", "setup", "--gateway", "--host", "claude", "--host", "codex", "--yes"); r.code != 0 {
			t.Fatalf("wrap: exit %d\n%s%s", r.code, r.out, r.err)
		}
	}
	u.addClonedTap(one, ctx)
	r := u.install("--uninstall")
	if r.code != 0 {
		t.Fatalf("uninstall: exit %d\n%s%s", r.code, r.out, r.err)
	}
	u.unmark(one)
	u.unmark(two)
	u.mustBe(before, one, two)
	if left := files(t, filepath.Join(u.home, ".local")); len(left) != 1 || filepath.Base(left[0]) != "mine" {
		t.Errorf("left below .local: %q", left)
	}
	for _, gone := range []string{".local/state", ".local/share", ".config", ".cache", "go"} {
		if _, err := os.Stat(filepath.Join(u.home, gone)); err == nil {
			t.Errorf("%s is left", gone)
		}
	}
	if r := u.install("--uninstall"); r.code != 1 || !strings.Contains(r.err, "not installed") {
		t.Errorf("uninstalling again: exit %d: %s", r.code, r.err)
	}
}

// addClonedTap has ctx keep a clone of a tap, and its calibration, in the user's
// data.
func (u *user) addClonedTap(dir, ctx string) {
	u.t.Helper()
	tap := filepath.Join(filepath.Dir(u.home), "tap")
	u.write("capabilities/garden/config.toml", "triggers = [\"water the tomatoes\", \"plan the beds\", \"prune the roses\"]\n", tap)
	u.write("capabilities/garden/default.toml", "# Title: The garden\n# Description: Notes of the garden, read and written.\n", tap)
	for _, args := range [][]string{
		{"git", "init", "-q", "."}, {"git", "add", "."},
		{"git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "a"},
	} {
		if r := u.run(tap, u.environ(), args[0], args[1:]...); r.code != 0 {
			u.t.Fatal(r.err)
		}
	}
	if r := u.run(dir, u.environ(), ctx, "tap", "add", "acme/garden", "file://"+tap, "--yes"); r.code != 0 {
		u.t.Fatal(r.err)
	}
	u.write(".local/share/ctx/calibrations/acme/garden.json", "{}", u.home)
	if got := files(u.t, filepath.Join(u.home, ".local/share/ctx/taps")); len(got) == 0 {
		u.t.Fatal("nothing was cloned into the user's data")
	}
}

func TestUninstallRefusesWhileAWorkspaceCannotBeUnwrapped(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", notes("a"))
	p := filepath.Join(filepath.Dir(u.home), "prefix")
	if r := u.install("--prefix", p); r.code != 0 {
		t.Fatalf("install.sh: exit %d\n%s%s", r.code, r.out, r.err)
	}
	if r := u.run(dir, u.environ(), p+"/bin/ctx", "wrap", "setup", "--gateway", "--host", "claude", "--yes"); r.code != 0 {
		t.Fatal(r.err)
	}
	u.write(".claude/settings.local.json", "{ not json", dir)
	r := u.install("--prefix", p, "--uninstall")
	if r.code == 0 || !strings.Contains(r.err, dir) {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
	if _, err := os.Stat(p + "/bin/ctx"); err != nil {
		t.Error("it uninstalled itself all the same")
	}
	// Whatever the user mends or gives up, the prefix goes in the end.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if r := u.install("--prefix", p, "--uninstall"); r.code != 0 {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.err)
	}
	if _, err := os.Stat(p); err == nil {
		t.Errorf("the prefix is left: %q", files(t, p))
	}
}

func TestInstallSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	old := u.write("go", "#!/bin/sh\necho go version go1.21.3 linux/amd64\n", filepath.Join(filepath.Dir(u.home), "bin"))
	if err := os.Chmod(old, 0o755); err != nil {
		t.Fatal(err)
	}
	tools := filepath.Join(filepath.Dir(u.home), "tools")
	if err := os.Mkdir(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sh", "sed", "dirname", "env", "mktemp", "rm", "cut", "uname", "mkdir", "cat"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip("no ", name)
		}
		if err := os.Symlink(path, filepath.Join(tools, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, path string
		args       []string
		code       int
		want       string
	}{
		{"no go", tools, nil, 3, "there is no go in PATH"},
		{"old go", filepath.Dir(old) + ":" + tools, nil, 3, "is 1.21"},
		{"bad flag", tools, []string{"--prefx", "x"}, 2, "unknown argument: --prefx"},
		{"no folder", tools, []string{"--prefix"}, 2, "--prefix needs a folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := u.run(".", []string{"HOME=" + u.home, "PATH=" + tt.path}, "../../install.sh", tt.args...)
			if r.code != tt.code || !strings.Contains(r.err, "error: ") || !strings.Contains(r.err, tt.want) {
				t.Errorf("exit %d: %s", r.code, r.err)
			}
		})
	}
	if left := files(t, u.home); len(left) > 0 {
		t.Errorf("left in the home: %q", left)
	}
}
