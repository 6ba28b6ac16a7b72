package e2e

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

// Files as people have them, real sessions of both hosts in between.
func TestUnwrapAfterRealSessionsGivesBackEveryByte(t *testing.T) {
	t.Parallel()
	needClients(t)
	for _, edited := range []bool{false, true} {
		t.Run(fmt.Sprintf("edited %v", edited), func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			dir := u.workspace("w", notes("a", "b"))
			u.awkward(dir)
			// The hosts add to these by themselves; here nothing is left to add.
			config := u.home + "/.codex/config.toml"
			u.write(config, u.read(config)+fmt.Sprintf("[projects.%q]\r\ntrust_level = \"trusted\"\r\n", dir), "")
			before := u.snapshot(dir)
			u.ctx(dir, "wrap", "setup", "--gateway", "--host", "claude", "--host", "codex", "--yes")
			read := args{"tool": "b:read_note", "arguments": args{"name": "welcome"}}
			u.claude(dir, []modelstub.Step{call("call_tool", read), call("b__read_note", args{"name": "welcome"})}, approved...).turn(0)
			x := u.codex(dir, "gpt-5", []modelstub.Step{onCodex("notes__read_note", args{"name": "welcome"})})
			x.turn(0)
			local := u.home + "/dotfiles/claude/local.json"
			swap := func(path, old, new string) {
				text := u.read(path)
				if !strings.Contains(text, old) {
					t.Fatalf("%s has no %q:\n%s", path, old, text)
				}
				u.write(path, strings.Replace(text, old, new, 1), "")
			}
			if edited {
				swap(local, "1.0e3, ", "1.0e3, 0.10, ")
				swap(config, "# the usual", "# the best")
			}
			u.ctx(dir, "unwrap")
			if edited {
				swap(local, "1.0e3, 0.10, ", "1.0e3, ")
				swap(config, "# the best", "# the usual")
			}
			u.unmark(dir)
			u.mustBe(before, dir)
		})
	}
}

// tree is all that there is below a folder, folders too, with the time of the
// last change of each file.
func (u *user) tree(dir string) map[string]string {
	u.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		what := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			what += fmt.Sprintf(" %d %q", info.ModTime().UnixNano(), u.read(path))
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			what += " -> " + to
		}
		all[path] = what
		return nil
	})
	if err != nil {
		u.t.Fatal(err)
	}
	return all
}

// Two workspaces, one of which has none of the files that wrap writes; whole
// trees are compared. Files that wrap wrote to have their bytes back, though
// not their time.
func TestUninstallLeavesWholeTreesAsTheyWere(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	one, two := u.workspace("one", notes("a")), u.workspace("two", notes("b"))
	u.awkward(one)
	u.write("src/main.c", "int main;\n", two)
	top := filepath.Dir(u.home)
	before := u.tree(top)
	if r := u.install(); r.code != 0 {
		t.Fatalf("install.sh: exit %d\n%s%s", r.code, r.out, r.err)
	}
	program := filepath.Join(u.home, ".local/bin/ctx")
	for _, dir := range []string{one, two} {
		r := u.run(dir, u.environ(), program, "wrap", "setup", "--gateway", "--host", "claude", "--host", "codex", "--yes")
		if r.code != 0 {
			t.Fatalf("wrap: exit %d\n%s%s", r.code, r.out, r.err)
		}
	}
	if r := u.install("--uninstall"); r.code != 0 {
		t.Fatalf("uninstall: exit %d\n%s%s", r.code, r.out, r.err)
	}
	u.unmark(one)
	u.unmark(two)
	wrote := []string{
		one + "/.git/info/exclude", two + "/.git/info/exclude",
		u.home + "/dotfiles/claude/local.json", u.home + "/.codex/config.toml",
	}
	after := u.tree(top)
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if _, ok := before[path]; !ok {
			t.Errorf("left: %s %.200s", path, after[path])
		}
	}
	timeless := func(what string) string {
		mode, rest, _ := strings.Cut(what, " ")
		_, content, _ := strings.Cut(rest, " ")
		return mode + content
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		was, is := before[path], after[path]
		if slices.Contains(wrote, path) {
			was, is = timeless(was), timeless(is)
		}
		if was != is {
			t.Errorf("%s is %.300q and was %.300q", path, is, was)
		}
	}
}
