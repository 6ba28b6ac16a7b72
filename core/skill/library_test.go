package skill

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/tap"
)

func text(name string) string {
	return "---\nname: " + name + "\ndescription: D of " + name + "\n---\nBody of " + name + "\n"
}

func TestTheFirstOfANameWinsAndTheOthersAreTold(t *testing.T) {
	t.Parallel()
	one, two, three := t.TempDir(), t.TempDir(), t.TempDir()
	put(t, one, "a", text("a"))
	second := put(t, two, "a", text("a"))
	put(t, two, "b", text("b"))
	third := put(t, three, "z", text("b")) // by another folder's name
	c := load(one, two, filepath.Join(one, "none"), three)
	if len(c.Skills) != 2 || c.Skills[0].Dir != filepath.Join(one, "a") || c.Skills[1].Dir != filepath.Join(two, "b") {
		t.Fatalf("skills %+v", c.Skills)
	}
	want := []Shadow{{"a", second, filepath.Join(one, "a", FileName)}, {"b", third, filepath.Join(two, "b", FileName)}}
	if !slices.Equal(c.Shadowed, want) {
		t.Errorf("shadowed %+v", c.Shadowed)
	}
	rules := strings.Join(told("", c.Problems), " ")
	if strings.Count(rules, "shadowed") != 2 || !strings.Contains(rules, "other-name") {
		t.Errorf("told %s", rules)
	}
	if s, ok := c.Find("skill:a"); !ok || s.Dir != filepath.Join(one, "a") {
		t.Errorf("found %+v", s)
	}
	if _, ok := c.Find("c"); ok || c.Near("aa") != "" && c.Near("skill:bb") == "" {
		t.Error("found what is not there")
	}
}

func TestTheOrderOfRoots(t *testing.T) {
	t.Parallel()
	l := paths.Layout{Config: "/c/ctx", Data: "/d/ctx"}
	got := Roots([]tap.Tap{{Name: "acme/one", Path: "/t/one"}, {Name: "acme/two", Path: "/t/two"}}, l, "/ws", []Root{{"/p/skills", FromPlugin, "p"}})
	want := []Root{
		{"/t/one/skills", FromTap, "acme/one"}, {"/t/two/skills", FromTap, "acme/two"}, {"/ws/.agents/skills", FromWorkspace, ""},
		{"/c/ctx/skills", FromUser, ""}, {"/d/ctx/skills", FromUser, ""}, {"/p/skills", FromPlugin, "p"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("roots %+v", got)
	}
}

func TestALibraryFollowsItsFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	l := NewLibrary(func() []Root { return []Root{{root, FromUser, ""}} })
	if c := l.Load(); len(c.Skills) != 0 {
		t.Fatalf("skills %+v", c.Skills)
	}
	file := put(t, root, "a", text("a"))
	put(t, root, "b", text("b"))
	first := l.Load()
	if len(first.Skills) != 2 {
		t.Fatalf("skills %+v", first.Skills)
	}
	// Broken, it is what it was; mended, what it is now.
	put(t, root, "a", "---\nname: a\n")
	c := l.Load()
	if s, _ := c.Find("a"); s.Broken != "" || s.Description != "D of a" || len(c.Problems) != 1 || c.Problems[0].File != file {
		t.Errorf("%+v, %v", s, c.Problems)
	}
	put(t, root, "a", strings.Replace(text("a"), "D of a", "E", 1))
	if s, _ := l.Load().Find("a"); s.Description != "E" {
		t.Errorf("%+v", s)
	}
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	if c := l.Load(); len(c.Skills) != 1 || len(c.Problems) != 0 {
		t.Errorf("%+v, %v", c.Skills, c.Problems)
	}
}

func TestALibraryIsReadByManyAtOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		put(t, root, name, text(name))
	}
	l := NewLibrary(func() []Root { return []Root{{root, FromUser, ""}} })
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if i%5 == 0 {
				put(t, root, "a", text("a")+strings.Repeat("x", i))
			}
			l.Graph(dir)
			for _, s := range l.Load().Skills {
				if _, _, err := s.Read(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestWhatIsNoSkillCostsOnlyItself(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "good", text("good"))
	put(t, root, ".hidden", text("hidden"))
	put(t, root, "Two words", "---\ndescription: D\n---\nBody")
	for _, dir := range []string{"pipe", "hole", "folder/SKILL.md", "empty", "dangling"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe", FileName), 0o600); err != nil {
		t.Fatal(err)
	}
	hole, err := os.Create(filepath.Join(root, "hole", FileName))
	if err == nil {
		err = hole.Truncate(1 << 40)
	}
	if err != nil {
		t.Skip("no file with a hole:", err)
	}
	hole.Close()
	for link, target := range map[string]string{"loop": "loop", "self": ".", "elsewhere": "good", "dangling/SKILL.md": "/none/such"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	c := load(root)
	var usable, broken []string
	for _, s := range c.Skills {
		if s.Broken == "" {
			usable = append(usable, s.Name)
		} else {
			broken = append(broken, s.Name)
		}
	}
	if !slices.Equal(usable, []string{"good"}) {
		t.Errorf("usable %v", usable)
	}
	if !slices.Equal(broken, []string{"Two words", "folder", "hole", "loop", "pipe"}) {
		t.Errorf("broken %v", broken)
	}
	if len(c.Shadowed) != 1 { // by the link
		t.Errorf("shadowed %+v", c.Shadowed)
	}
}

// What lies in the place of a folder of skills costs that folder alone, and
// nobody waits for it.
func TestWhatIsNoFolderOfSkillsHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	good := t.TempDir()
	put(t, good, "good", text("good"))
	dir := t.TempDir()
	for name, make := range map[string]func(path string) error{
		"pipe":           func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"file":           func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
		"loop":           func(path string) error { return os.Symlink(path, path) },
		"link to a pipe": func(path string) error { return os.Symlink(filepath.Join(dir, "pipe"), path) },
		"device":         func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		path := filepath.Join(dir, name)
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		if Any([]Root{{Dir: path}}) {
			t.Errorf("%s: there is a skill in it", name)
		}
	}
	for _, name := range []string{"pipe", "file", "loop", "link to a pipe", "device"} {
		path := filepath.Join(dir, name)
		c := load(path, good)
		if len(c.Skills) != 1 || c.Skills[0].Name != "good" {
			t.Errorf("%s: %+v", name, c.Skills)
		}
		if len(c.Problems) != 1 || c.Problems[0].File != path || c.Problems[0].Rule != "unreadable" || strings.Contains(c.Problems[0].Text, path) {
			t.Errorf("%s: %+v", name, c.Problems)
		}
	}
}

func TestASkillIsReadWithTheFoldersBesideIt(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "a", text("a")+"\n---\nnot the end\n")
	for _, name := range []string{"scripts/run.sh", "reference/b.md", "references/a.md", "other/x"} {
		path := filepath.Join(root, "a", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "a", "assets"), 0o700); err != nil {
		t.Fatal(err)
	}
	body, folders, err := load(root).Skills[0].Read()
	if err != nil || body != "Body of a\n\n---\nnot the end" {
		t.Errorf("%v, %q", err, body)
	}
	var want []string
	for _, name := range []string{"scripts", "references", "reference"} {
		want = append(want, filepath.Join(root, "a", name))
	}
	if !slices.Equal(folders, want) {
		t.Errorf("folders %v", folders)
	}
}

func TestSkillsAreFoundByWhatTheySpeakOf(t *testing.T) {
	t.Parallel()
	list := []Skill{
		{Name: "git-workflow", Title: "Git Workflow", Description: "Branches, commits and rebasing. Use when committing."},
		{Name: "release-notes", Title: "Release notes", Description: "How notes of a release are written for users."},
		{Name: "code-review", Description: "Reviewing a change before it is merged into a branch."},
	}
	for query, want := range map[string][]string{
		"write the release notes":   {"release-notes"},
		"reviewing this branch":     {"code-review"},
		"rebase my commits":         {"git-workflow"},
		"git":                       {"git-workflow"},
		"water the tomatoes":        nil,
		"use the skill":             nil,
		"":                          nil,
		"note down what i ate, the": nil,
	} {
		var got []string
		for _, s := range Rank(list, query, 2) {
			got = append(got, s.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", query, got, want)
		}
	}
}
