package wiring

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinksAndModesStay(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("dots/real.json", "{}\n")
	if err := os.Chmod(h.path("dots/real.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.link("dots/real.json", "one")
	h.link("one", "two.json")
	h.link("dots/none.json", "dangling.json")
	edit := func(name string) Edit {
		return Edit{Path: h.path(name), Format: JSON, Ops: []Op{set(1, "k")}}
	}
	h.wrap(wsA, edit("two.json"), edit("dangling.json"))
	h.wrap(wsB, edit("one")) // the same file by another name
	h.wants("dots/real.json", "{\n  \"k\": 1\n}\n")
	h.wants("dots/none.json", "{\n  \"k\": 1\n}\n")
	for _, name := range []string{"one", "two.json", "dangling.json"} {
		if info, err := os.Lstat(h.path(name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", name, err)
		}
	}
	if info, err := os.Stat(h.path("dots/real.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v %v", info.Mode(), err)
	}
	h.unwrap(wsA)
	h.wants("dots/real.json", "{\n  \"k\": 1\n}\n")
	h.unwrap(wsB)
	h.wants("dots/real.json", "{}\n")
	h.wants("dots/none.json", "absent")
	if _, err := os.Lstat(h.path("dangling.json")); err != nil {
		t.Errorf("the link is gone: %v", err)
	}
	h.nothingKept()
}

// Folders behind a link may not be there yet, and are the same folders once they
// are.
func TestNewFoldersBehindALink(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("dots/claude/mine", "")
	h.link("dots/claude", ".claude")
	h.write("dots/shared/s.json", "{}\n")
	h.link("../shared/s.json", "dots/claude/shared.json")
	dots := home{t, h.path("dots"), h.store}
	was := dots.all()
	edits := []Edit{
		{Path: h.path(".claude/skills/ctx/plugin.json"), Format: Whole, Content: []byte("{}\n")},
		{Path: h.path(".claude/skills/ctx/hooks/hooks.json"), Format: JSON, Ops: []Op{set(1, "k")}},
		{Path: h.path(".claude/skills/ctx/SKILL.md"), Format: Whole},
		{Path: h.path("dots/claude/skills/other.json"), Format: Whole},
		{Path: h.path(".claude/shared.json"), Format: JSON, Ops: []Op{set(1, "k")}},
	}
	c := h.wrap(wsA, edits...)
	h.wants("dots/claude/skills/ctx/plugin.json", "{}\n")
	h.wants("dots/shared/s.json", "{\n  \"k\": 1\n}\n")
	if err := c.Revert(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(was, dots.all()); diff != "" {
		t.Errorf("not as it was:\n%s", diff)
	}
	h.nothingKept()
	h.wrap(wsA, edits...)
	if err := h.unwrap(wsA).Revert(); err != nil {
		t.Fatal(err)
	}
	h.unwrap(wsA)
	if diff := cmp.Diff(was, dots.all()); diff != "" {
		t.Errorf("not as it was:\n%s", diff)
	}
	h.nothingKept()
}

// The file is found by its name, also where its link leads elsewhere by now.
func TestLinkMovedBetween(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("old/c.json", "{\"a\":1}")
	h.link("old/c.json", "c.json")
	h.wrap(wsA, Edit{Path: h.path("c.json"), Format: JSON, Ops: []Op{set(1, "k")}})
	if err := os.Rename(h.path("old"), h.path("new")); err != nil {
		t.Fatal(err)
	}
	h.remove("c.json")
	h.link("new/c.json", "c.json")
	h.unwrap(wsA)
	h.wants("new/c.json", "{\"a\":1}")
	h.nothingKept()
}

func TestModeOfNewFiles(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.wrap(wsA, Edit{Path: h.path("a"), Format: Whole, Mode: 0o600}, Edit{Path: h.path("b"), Format: JSON, Ops: []Op{set(1, "k")}})
	for name, mode := range map[string]os.FileMode{"a": 0o600, "b": 0o644} {
		if info, err := os.Stat(h.path(name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}

// One file that cannot be edited keeps all from being touched.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		error string
		toml  bool
	}{
		"malformed":    {"{\n  \"a\": 1,,\n}", `bad:2:10: invalid character ',' at start of value`, false},
		"unclosed":     {"{\n  \"a\": [1", `bad:2:10: parsing array after value: unexpected EOF`, false},
		"toml":         {"a = 1\n[b\n", `bad:2:3: expected ']' to close table name`, true},
		"twice":        {"[a]\n[a]\n", `bad:2:2: the table "a" is already defined`, true},
		"utf-16":       {"\xff\xfe{\x00}\x00", "bad:1:1: the file is UTF-16; only UTF-8 can be edited", false},
		"nul":          {"{\n\"a\x00\":1}", "bad:2:3: the file holds a NUL byte; only UTF-8 text can be edited", false},
		"not UTF-8":    {"a = 1 # \xe9\n", "bad:1:9: the byte 0xe9 is not valid UTF-8", true},
		"after a mark": {"\ufeff{,}", `bad:1:2: invalid character ',' at start of value`, false},
		"deep, hidden": {"// \"\n" + strings.Repeat("[", 8_000_000), "bad:2:10001: nested deeper than 10000 levels", false},
		"deep":         {strings.Repeat("[", 20_000), "bad:1:10001: nested deeper than 10000 levels", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write("good", "{}\n")
			h.write("bad", c.text)
			format := JSON
			if c.toml {
				format = TOML
			}
			_, err := h.store.Plan(wsA, []Edit{
				{Path: h.path("good"), Format: JSON, Ops: []Op{set(1, "k")}},
				{Path: h.path("bad"), Format: format, Ops: []Op{set(1, "k")}},
				{Path: h.path("new"), Format: Whole},
			})
			h.refused(err, c.error)
			h.wants("good", "{}\n")
			h.wants("bad", c.text)
			h.wants("new", "absent")
			h.nothingKept()
		})
	}
}

func TestWhatIsNoFileIsRefused(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("d/file", "")
	h.link("loop", "loop")
	for name, want := range map[string]string{
		"d":        "d: is a folder, not a file",
		"loop":     "loop: too many symbolic links",
		"d/file/x": "d/file/x: not a directory",
	} {
		_, err := h.store.Plan(wsA, []Edit{{Path: h.path(name), Format: JSON, Ops: []Op{set(1, "k")}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.link("nowhere", "lost")
	_, err := h.store.Plan(wsA, []Edit{{Path: h.path("lost/x"), Format: Whole}})
	h.refused(err, "lost/x: cannot be written: its folder "+h.path("lost")+": is a link that leads nowhere")
	if _, err := h.store.Plan(wsA, []Edit{{Path: "relative", Format: Whole}}); err == nil {
		t.Error("a relative path is taken")
	}
	twice := Edit{Path: h.path("w"), Format: Whole}
	if _, err := h.store.Plan(wsA, []Edit{twice, twice}); err == nil {
		t.Error("two contents of one file are taken")
	}
}

func TestUnwritableFolderIsFoundBeforeTheFirstWrite(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write to any folder")
	}
	h := newHome(t)
	h.write("good", "{}\n")
	h.write("ro/f", "{}\n")
	if err := os.Chmod(h.path("ro"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(h.path("ro"), 0o755) })
	_, err := h.store.Plan(wsA, []Edit{
		{Path: h.path("good"), Format: JSON, Ops: []Op{set(1, "k")}},
		{Path: h.path("ro/f"), Format: JSON, Ops: []Op{set(1, "k")}},
	})
	if err == nil || !strings.Contains(err.Error(), "ro/f: cannot be written") {
		t.Error(err)
	}
	h.wants("good", "{}\n")
}

func TestUnreadableFileIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may read any file")
	}
	h := newHome(t)
	h.write("f", "{}\n")
	if err := os.Chmod(h.path("f"), 0o200); err != nil {
		t.Fatal(err)
	}
	_, err := h.store.Plan(wsA, []Edit{{Path: h.path("f"), Format: JSON, Ops: []Op{set(1, "k")}}})
	if err == nil || !strings.Contains(err.Error(), "/f: permission denied") {
		t.Error(err)
	}
}

func TestFilesThatGitTracks(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.git("init", "-q")
	h.write("settings.json", "{}\n")
	h.write("loose.json", "{}\n")
	h.git("add", "settings.json")
	edit := func(name string) Edit {
		return Edit{Path: h.path(name), Format: JSON, Ops: []Op{set(1, "k")}, Tracked: "take it out of git"}
	}
	_, err := h.store.Plan(wsA, []Edit{edit("loose.json"), edit("settings.json")})
	h.refused(err, "settings.json: is tracked by git")
	h.wants("loose.json", "{}\n")
	h.wrap(wsA, edit("loose.json"))
	untold := edit("settings.json")
	untold.Tracked = ""
	h.wrap(wsA, untold)
}

func TestNewFilesStayOutOfCommits(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.git("init", "-q")
	h.git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "c")
	h.git("worktree", "add", "-q", "tree")
	exclude := ".git/info/exclude"
	before := h.read(exclude)
	h.write(".gitignore", "ignored.json\n/tree\n/.gitignore\n")
	h.write("mine.json", "{}\n")
	edit := func(name string) Edit {
		return Edit{Path: h.path(name), Format: JSON, Ops: []Op{set(1, "k")}, Exclude: true}
	}
	edits := []Edit{edit(".claude/a b[1].json"), edit("ignored.json"), edit("mine.json"), edit("tree/c.json")}
	h.wrap(wsA, edits...)
	h.wants(exclude, before+"/.claude/a\\ b\\[1].json\n/c.json\n")
	if got := h.git("status", "--porcelain"); got != "?? mine.json\n" {
		t.Errorf("git sees\n%s", got)
	}
	if got := h.git("-C", h.path("tree"), "status", "--porcelain"); got != "" {
		t.Errorf("git sees in the worktree\n%s", got)
	}
	if c, err := h.store.Plan(wsA, edits); err != nil || !c.Empty() || len(c.Notes()) > 0 {
		t.Errorf("a second run is not empty: %v\n%s%v", err, c.Diff(), c.Notes())
	}
	h.wrap(wsB, edits...)
	h.unwrap(wsA)
	h.wants(exclude, before+"/.claude/a\\ b\\[1].json\n/c.json\n")
	h.unwrap(wsB)
	h.wants(exclude, before)
	h.wants(".claude", "absent")
	h.nothingKept()
}

// A repository cannot have a program run by being looked at.
func TestRepositoryRunsNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.git("init", "-q")
	mark := h.path("mark")
	h.git("config", "core.fsmonitor", "touch "+mark)
	h.write("settings.json", "{}\n")
	h.wrap(wsA,
		Edit{Path: h.path("settings.json"), Format: JSON, Ops: []Op{set(1, "k")}, Tracked: "no"},
		Edit{Path: h.path("new.json"), Format: JSON, Ops: []Op{set(1, "k")}, Exclude: true})
	h.wants("mark", "absent")
}

func (h home) refused(err error, want string) {
	h.Helper()
	if err == nil || err.Error() != h.dir+"/"+want {
		h.Errorf("the error is %v\nand should be %s/%s", err, h.dir, want)
	}
	var hinted interface{ Hint() string }
	if !errors.As(err, &hinted) || hinted.Hint() == "" {
		h.Errorf("%v has no hint", err)
	}
}

func (h home) link(to, name string) {
	h.Helper()
	if err := os.Symlink(to, h.path(name)); err != nil {
		h.Fatal(err)
	}
}

func (h home) git(args ...string) string {
	h.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		h.Skip("git is not installed")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "HOME="+filepath.Dir(h.dir))
	b, err := cmd.CombinedOutput()
	if err != nil {
		h.Fatalf("git %v: %v\n%s", args, err, b)
	}
	return string(b)
}
