package tap

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTapsAreKeptInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tap("beta/tools")
	w.tap("acme/tools")
	if err := w.store.Add(Tap{Name: "beta/tools", Path: "/elsewhere"}); !errors.Is(err, ErrKnown) {
		t.Errorf("added twice: %v", err)
	}
	for _, name := range []string{"", "acme", "a/b/c", "../x", "a/..", "a/b c"} {
		if err := w.store.Add(Tap{Name: name, Path: "/x"}); err == nil {
			t.Errorf("%q is a tap's name", name)
		}
	}
	list, err := w.store.List()
	if err != nil || len(list) != 2 || list[0].Name != "beta/tools" || list[1].Name != "acme/tools" {
		t.Errorf("%+v, %v", list, err)
	}
	if err := w.store.Remove("nobody/tools"); !errors.Is(err, ErrUnknown) {
		t.Errorf("removed: %v", err)
	}
	if err := w.store.Remove("beta/tools"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(list[0].Path); err != nil {
		t.Errorf("the user's own folder went with its tap: %v", err)
	}
	if list, err := w.store.List(); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestABrokenListOfTapsIsNamedAndNotWrittenOver(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no TOML":  "[[taps]]\nname = \n",
		"a name":   "[[taps]]\nname = \"x\"\npath = \"/x\"\n",
		"a path":   "[[taps]]\nname = \"a/b\"\npath = \"x\"\n",
		"twice":    "[[taps]]\nname = \"a/b\"\npath = \"/x\"\n[[taps]]\nname = \"a/b\"\npath = \"/y\"\n",
		"too deep": strings.Repeat("[", 20000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			root := w.tap("acme/tools")
			put(t, root, "deploy", "ship the site")
			l := NewLibrary(w.store, nil)
			l.Load()
			write(t, w.store.Path(), text)
			if _, err := w.store.List(); err == nil || !strings.Contains(err.Error(), "taps.toml") {
				t.Errorf("listed: %v", err)
			}
			if err := w.store.Add(Tap{Name: "c/d", Path: "/x"}); err == nil {
				t.Error("added to it")
			}
			if b, err := os.ReadFile(w.store.Path()); err != nil || string(b) != text {
				t.Error("the file is another one")
			}
			c := l.Load()
			if _, ok := c.Find("deploy"); !ok || len(c.Problems) != 1 || l.Load() != c {
				t.Errorf("what was known is lost, or not reported: %v", c.Problems)
			}
		})
	}
}

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestAGitTapChangesByUpdateAlone(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := newWorld(t)
	origin := filepath.Join(w.dir, "origin")
	put(t, origin, "deploy", "ship the site")
	gitIn(t, origin, "init", "--quiet")
	gitIn(t, origin, "add", ".")
	gitIn(t, origin, "commit", "--quiet", "-m", "one")
	url := "file://" + origin
	if !IsURL(url) || IsURL(origin) || IsURL("./x") || !IsURL("git@host:a/b.git") || IsURL("ext::sh -c x") {
		t.Error("addresses and folders are mixed up")
	}
	tap := Tap{Name: "acme/tools", Path: w.store.Clone("acme/tools"), URL: url}
	if err := Fetch(t.Context(), url, tap.Path); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Add(tap); err != nil {
		t.Fatal(err)
	}
	l := NewLibrary(w.store, nil)
	if _, ok := l.Load().Find("deploy"); !ok {
		t.Error("the clone has nothing")
	}
	put(t, origin, "mail", "send a mail")
	gitIn(t, origin, "add", ".")
	gitIn(t, origin, "commit", "--quiet", "-m", "two")
	if _, ok := l.Load().Find("mail"); ok {
		t.Error("a load has fetched")
	}
	before, after, err := w.store.Update(t.Context(), tap)
	if err != nil || before == after || before == "" {
		t.Errorf("updated from %q to %q, %v", before, after, err)
	}
	if _, ok := l.Load().Find("mail"); !ok {
		t.Error("the update brought nothing")
	}
	if before, after, err := w.store.Update(t.Context(), tap); err != nil || before != after {
		t.Errorf("updated again from %q to %q, %v", before, after, err)
	}
	if err := w.store.Remove("acme/tools"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tap.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the clone is left: %v", err)
	}
	if err := Fetch(t.Context(), "file://"+filepath.Join(w.dir, "nobody"), tap.Path); err == nil {
		t.Error("fetched nothing, and no error")
	}
	if _, err := os.Stat(tap.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a clone that failed is left: %v", err)
	}
}
