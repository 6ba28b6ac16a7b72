package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestLinksOfAFolderToItselfAreFollowedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "SKILL.md"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		for i := range 40 { // 40^5 folders for who follows them all
			if err := os.Symlink("..", filepath.Join(dir, name, fmt.Sprint("up", i))); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := findSkills(dir)
	want := []string{filepath.Join(dir, "a", "SKILL.md"), filepath.Join(dir, "b", "SKILL.md")}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTheSearchForSkillsEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink("/", filepath.Join(dir, "everything")); err != nil {
		t.Fatal(err)
	}
	findSkills(dir)
}
