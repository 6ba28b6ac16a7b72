package trust

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A host hands on the environment that a repository's settings ask for, and
// XDG_STATE_HOME can lead back into that repository.
func TestAFileThatCameWithARepositoryTrustsNothingAndStays(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	repo := t.TempDir()
	path := filepath.Join(repo, ".evil", "ctx", "trust.json")
	s := Open(path)
	approve(t, s, server("a"), "")
	must(t, s.PinPlugin("claude", "/p", "sha"))
	before, err := os.ReadFile(path)
	must(t, err)
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(git, append([]string{"-C", repo}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	run("init", "-q")
	if st := Open(path).Check(server("a"), ""); st != Approved {
		t.Errorf("not on record: %s", st)
	}
	run("add", "-f", ".evil")
	link := filepath.Join(t.TempDir(), "state")
	must(t, os.Symlink(filepath.Join(repo, ".evil", "ctx"), link))
	for _, path := range []string{path, filepath.Join(link, "trust.json")} {
		s := Open(path)
		if st := s.Check(server("a"), ""); st == Approved {
			t.Errorf("%s: approved", path)
		}
		if _, ok := s.Plugin("claude"); ok {
			t.Errorf("%s: a plugin is trusted", path)
		}
		if err := s.PinPlugin("codex", "/p", "sha"); err == nil {
			t.Errorf("%s: written", path)
		}
		if p := s.Problems(); len(p) != 1 || !strings.Contains(p[0], "git repository") {
			t.Errorf("problems: %q", p)
		}
	}
	after, err := os.ReadFile(path)
	must(t, err)
	if string(after) != string(before) {
		t.Error("it was changed")
	}
}
