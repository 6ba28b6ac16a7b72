package wiring

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
)

const crashDir = "WIRING_TEST_CRASH"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		fmt.Fprintln(os.Stderr, wrapForever(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// wrapForever wraps and unwraps until it is killed.
func wrapForever(dir string) error {
	store := Open(filepath.Join(dir, "wraps"))
	for {
		for _, edits := range [][]Edit{crashEdits(filepath.Join(dir, "home")), nil} {
			c, err := store.Plan(wsA, edits)
			if err == nil {
				err = c.Apply()
			}
			if err != nil {
				return err
			}
		}
	}
}

func crashEdits(home string) []Edit {
	at := func(name string) string { return filepath.Join(home, name) }
	return []Edit{
		{Path: at("settings.json"), Format: JSON, Ops: []Op{set(true, "p", "ctx"), add("x", "denied")}},
		{Path: at("config.toml"), Format: TOML, Ops: []Op{table(map[string]any{"command": "ctx"}, "mcp_servers", "ctx")}},
		{Path: at("[odd]/new/plugin.json"), Format: Whole, Content: []byte("{}\n")},
		{Path: at("new/hooks.json"), Format: JSON, Ops: []Op{set(1, "k")}},
		{Path: at("was.txt"), Format: Whole, Content: []byte("ours")},
	}
}

func crashHome(t *testing.T) (h home, was map[string]string) {
	h = newHome(t)
	h.store = Open(filepath.Join(h.dir, "wraps"))
	h.dir = filepath.Join(h.dir, "home")
	h.write("[odd]/name", "") // looks like a pattern
	h.write("settings.json", "{\n  \"a\": 1 // one\n}\n")
	h.write("config.toml", "a = 1")
	h.write("was.txt", "theirs")
	return h, h.all()
}

// all is every file in the home by its name.
func (h home) all() map[string]string {
	h.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == h.dir {
			return err
		}
		name, err := filepath.Rel(h.dir, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			out[name] = "a folder"
			return nil
		}
		b, err := os.ReadFile(path)
		out[name] = string(b)
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
	return out
}

// A program that is killed leaves every file as it was or as it had to become,
// and what it leaves can be put back.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts processes")
	}
	h, was := crashHome(t)
	h.wrap(wsA, crashEdits(h.dir)...)
	wired := h.all()
	h.unwrap(wsA)
	for range 15 {
		var stderr bytes.Buffer
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), crashDir+"="+filepath.Dir(h.dir))
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10*time.Millisecond + rand.N(60*time.Millisecond))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if cmd.Wait(); stderr.Len() > 0 {
			t.Fatal(stderr.String())
		}
		for name, text := range h.all() {
			if base := filepath.Base(name); strings.HasPrefix(base, ".") {
				continue // a temporary file, which is seen to below
			}
			if text != was[name] && text != wired[name] {
				t.Errorf("%s is neither old nor new: %q", name, text)
			}
		}
		h.unwrap(wsA)
		if left, err := filepath.Glob(filepath.Join(h.store.dir, ".*")); err != nil || len(left) > 0 {
			t.Errorf("left in the store: %v %v", left, err)
		}
		if diff := cmp.Diff(was, h.all()); diff != "" {
			t.Fatalf("not as it was:\n%s", diff)
		}
		h.nothingKept()
	}
}

// The same at every place between two writes.
func TestStoppedBetweenWrites(t *testing.T) {
	t.Parallel()
	for _, undoing := range []bool{false, true} {
		for _, edited := range []bool{false, true} {
			for stop := range 1 + 2*len(crashEdits("")) {
				h, was := crashHome(t)
				c := crashChange(h, undoing)
				cutOff(t, h, c, stop)
				h.write(".settings.json.ctx-1", "ha") // of a write that was cut off
				if edited && (stop > 0 || undoing) {
					h.prepend("settings.json", "// mine\n")
					was["settings.json"] = "// mine\n" + was["settings.json"]
				}
				h.unwrap(wsA)
				if diff := cmp.Diff(was, h.all()); diff != "" {
					t.Errorf("stopped after %d half steps, undoing %v, edited %v:\n%s", stop, undoing, edited, diff)
				}
				h.nothingKept()
			}
		}
	}
}

// What a host writes into one file while another is being written stays, and
// the others get back what they had.
func TestChangedWhileTheOthersAreWritten(t *testing.T) {
	t.Parallel()
	for _, undoing := range []bool{false, true} {
		h, was := crashHome(t)
		c := crashChange(h, undoing)
		before := h.all()
		h.store.writing = func(path string) {
			if path == h.path("settings.json") {
				h.prepend("settings.json", "// mine\n")
			}
		}
		if err := c.Apply(); err == nil || !strings.Contains(err.Error(), "was changed while this command ran") {
			t.Fatalf("undoing %v: %v", undoing, err)
		}
		before["settings.json"] = "// mine\n" + before["settings.json"]
		if diff := cmp.Diff(before, h.all()); diff != "" {
			t.Errorf("undoing %v:\n%s", undoing, diff)
		}
		h.store.writing = nil
		h.unwrap(wsA)
		was["settings.json"] = "// mine\n" + was["settings.json"]
		if diff := cmp.Diff(was, h.all()); diff != "" {
			t.Errorf("undoing %v, and unwrapped:\n%s", undoing, diff)
		}
		h.nothingKept()
	}
}

// crashChange is a wrap that may be cut off, or the unwrap after it.
func crashChange(h home, undoing bool) *Change {
	h.Helper()
	c, err := h.store.Plan(wsA, crashEdits(h.dir))
	if err == nil && undoing {
		h.apply(c, nil)
		c, err = h.store.Unplan(wsA)
	}
	if err != nil {
		h.Fatal(err)
	}
	return c
}

// cutOff leaves behind what a program does that is killed while it applies a
// change, after so many half steps: a file, and what is on record of it.
func cutOff(t *testing.T, h home, c *Change, stop int) {
	t.Helper()
	b, err := json.Marshal(pending{pendingSchema, c.steps})
	if err != nil {
		t.Fatal(err)
	}
	pend := snapshot{b, 0o600}
	if err := errors.Join(os.MkdirAll(h.store.dir, 0o700), pend.write(h.store.pendingFile())); err != nil {
		t.Fatal(err)
	}
	for i, st := range c.steps {
		if stop <= 2*i {
			break
		}
		if stop == 2*i+1 { // the file is written, what is on record of it is not
			st.Journal, st.New = filepath.Join(t.TempDir(), "none"), nil
		}
		if err := st.write(); err != nil {
			t.Fatal(err)
		}
	}
}

// Who asks what there is to undo after a change that was cut off finds the files
// as they were, or on record what is in them.
func TestRecover(t *testing.T) {
	t.Parallel()
	for steps := range 1 + len(crashEdits("")) {
		h, was := crashHome(t)
		c, err := h.store.Plan(wsA, crashEdits(h.dir))
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(pending{pendingSchema, c.steps})
		if err != nil {
			t.Fatal(err)
		}
		pend := snapshot{b, 0o600}
		if err := errors.Join(os.MkdirAll(h.store.dir, 0o700), pend.write(h.store.pendingFile())); err != nil {
			t.Fatal(err)
		}
		for _, st := range c.steps[:min(steps, len(c.steps))] {
			st.Journal, st.New = filepath.Join(t.TempDir(), "none"), nil
			if err := st.write(); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.store.Recover(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(was, h.all()); diff != "" {
			t.Errorf("cut off after %d files:\n%s", steps, diff)
		}
		if owners, err := h.store.Owners(wsA.For); err != nil || len(owners) > 0 {
			t.Errorf("cut off after %d files: on record for %v, %v", steps, owners, err)
		}
	}
	untouched := Open(filepath.Join(t.TempDir(), "wraps"))
	if err := untouched.Recover(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(untouched.dir); err == nil {
		t.Error("a folder was made to find out that nothing is pending")
	}
}

// A copy is for plans that leave no trace. What a program left half done is put
// back with the store that it is of, and by nobody who has the copy.
func TestCopyAfterAChangeThatWasCutOff(t *testing.T) {
	t.Parallel()
	h, was := crashHome(t)
	c, err := h.store.Plan(wsA, crashEdits(h.dir))
	if err != nil {
		t.Fatal(err)
	}
	cutOff(t, h, c, 3)
	copied := Open(filepath.Join(t.TempDir(), "wraps"))
	if err := h.store.Copy(copied.dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(was, h.all()); diff != "" {
		t.Errorf("not put back:\n%s", diff)
	}
	h.nothingKept()
	h.wrap(wsA, crashEdits(h.dir)...)
	wired := h.all()
	if _, err := copied.Unplan(wsA); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(wired, h.all()); diff != "" {
		t.Errorf("a plan on the copy has changed files:\n%s", diff)
	}
	none := Open(filepath.Join(t.TempDir(), "none"))
	if err := none.Copy(filepath.Join(t.TempDir(), "copy")); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(none.dir); err == nil {
		t.Error("a folder was made to find out that there is nothing to copy")
	}
}

func TestCopyWhileAnotherProgramWrites(t *testing.T) {
	t.Parallel()
	h, _ := crashHome(t)
	copied := Open(filepath.Join(t.TempDir(), "wraps"))
	var meanwhile errgroup.Group
	first := true
	h.store.writing = func(string) {
		if first {
			meanwhile.Go(func() error { return Open(h.store.dir).Copy(copied.dir) })
		}
		first = false
		time.Sleep(20 * time.Millisecond)
	}
	h.wrap(wsA, crashEdits(h.dir)...)
	wired := h.all()
	if err := meanwhile.Wait(); err != nil {
		t.Fatal(err)
	}
	if c, err := copied.Plan(wsA, crashEdits(h.dir)); err != nil || !c.Empty() {
		t.Errorf("the copy is of half a change: %v\n%s", err, c.Diff())
	}
	if diff := cmp.Diff(wired, h.all()); diff != "" {
		t.Errorf("a plan on the copy has changed files:\n%s", diff)
	}
}

// When a later file cannot be written the earlier ones get back what they had.
func TestFailureHalfWay(t *testing.T) {
	t.Parallel()
	h, was := crashHome(t)
	c, err := h.store.Plan(wsA, crashEdits(h.dir))
	if err != nil {
		t.Fatal(err)
	}
	h.link("nowhere", "[odd]/new") // where a folder had to be made
	if err := c.Apply(); err == nil || !strings.Contains(err.Error(), "[odd]/new/plugin.json") {
		t.Errorf("the error is %v", err)
	}
	h.remove("[odd]/new")
	if diff := cmp.Diff(was, h.all()); diff != "" {
		t.Errorf("not as it was:\n%s", diff)
	}
	h.nothingKept()
}

func TestChangedSincePlan(t *testing.T) {
	t.Parallel()
	h, was := crashHome(t)
	c, err := h.store.Plan(wsA, crashEdits(h.dir))
	if err != nil {
		t.Fatal(err)
	}
	h.write("was.txt", "changed")
	was["was.txt"] = "changed"
	h.refused(c.Apply(), "was.txt: was changed while this command ran")
	if diff := cmp.Diff(was, h.all()); diff != "" {
		t.Errorf("not as it was:\n%s", diff)
	}
}

func TestRevert(t *testing.T) {
	t.Parallel()
	h, was := crashHome(t)
	h.wrap(wsA, crashEdits(h.dir)[:2]...)
	wired := h.all()
	c := h.wrap(wsA, crashEdits(h.dir)[1:]...)
	if err := c.Revert(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wired, h.all()); diff != "" {
		t.Errorf("not as it was:\n%s", diff)
	}
	h.unwrap(wsA)
	if diff := cmp.Diff(was, h.all()); diff != "" {
		t.Errorf("not as it was:\n%s", diff)
	}
	h.nothingKept()

	// Taking out can be taken back, too, with the folders that went.
	h.wrap(wsA, crashEdits(h.dir)...)
	wired = h.all()
	if err := h.unwrap(wsA).Revert(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wired, h.all()); diff != "" {
		t.Errorf("not as it was wired:\n%s", diff)
	}
	h.unwrap(wsA)
	if diff := cmp.Diff(was, h.all()); diff != "" {
		t.Errorf("not as it was:\n%s", diff)
	}

	// What somebody changed since is not taken back.
	c = h.wrap(wsA, crashEdits(h.dir)...)
	h.write("was.txt", "changed")
	h.refused(c.Revert(), "was.txt: was changed while this command ran")
}

// Programs that wrap at the same time wait for each other, or say that they
// have to be run again.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	h, was := crashHome(t)
	var all errgroup.Group
	for i := range 8 {
		o := Owner{Workspace: fmt.Sprint(i), Host: "claude"}
		edits := append(crashEdits(h.dir), h.user(set(i, "own", o.Workspace)))
		all.Go(func() error { return retried(h.store, o, edits) })
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		all.Go(func() error { return retried(h.store, Owner{Workspace: fmt.Sprint(i), Host: "claude"}, nil) })
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(was, h.all()); diff != "" {
		t.Errorf("not as it was:\n%s", diff)
	}
	h.nothingKept()
}

func retried(s *Store, o Owner, edits []Edit) error {
	for {
		c, err := Open(s.dir).Plan(o, edits)
		if err != nil {
			return err
		}
		if err = c.Apply(); err == nil || !strings.Contains(err.Error(), "was changed while this command ran") {
			return err
		}
	}
}

func TestUnreadablePendingChange(t *testing.T) {
	t.Parallel()
	h, _ := crashHome(t)
	h.wrap(wsA, crashEdits(h.dir)...)
	if err := os.WriteFile(h.store.pendingFile(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.Unplan(wsA); err == nil || !strings.Contains(err.Error(), "pending.json.bad") {
		t.Errorf("the error is %v", err)
	}
	h.unwrap(wsA)
}

func TestDiff(t *testing.T) {
	t.Parallel()
	h, _ := crashHome(t)
	h.write("gone.txt", "")
	h.wrap(wsA, Edit{Path: h.path("made.txt"), Format: Whole, Content: []byte("x\n"), Why: "for a start"})
	c, err := h.store.Plan(wsA, []Edit{
		{Path: h.path("config.toml"), Format: TOML, Ops: []Op{set(2, "b")}, Why: "set b"},
		{Path: h.path("new.txt"), Format: Whole, Content: []byte("n\n"), Why: "make it"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `# set b
--- $/config.toml
+++ $/config.toml
@@ -1 +1,2 @@
-a = 1
\ No newline at end of file
+a = 1
+b = 2
\ No newline at end of file
# make it
--- /dev/null
+++ $/new.txt
@@ -0,0 +1 @@
+n
# take out what ctx put in
--- $/made.txt
+++ /dev/null
@@ -1 +0,0 @@
-x
`
	same(t, "diff", c.Diff(), strings.ReplaceAll(want, "$", h.dir))
	var actions []Action
	for _, fc := range c.Files() {
		actions = append(actions, fc.Action)
	}
	if diff := cmp.Diff([]Action{Modify, Create, Delete}, actions); diff != "" {
		t.Error(diff)
	}
}
