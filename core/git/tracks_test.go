package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestTracksWhatWasAddedAndNothingElse(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: there is nothing to make an index with")
	}
	for name, setup := range map[string][]string{
		"version 2": {"-c", "index.version=2", "add", "-A"},
		"version 4": {"-c", "index.version=4", "add", "-A"},
		"split":     {"-c", "core.splitIndex=true", "add", "-A"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			run(t, dir, "init", "-q")
			for _, file := range []string{".codex/config.toml", "deep/er/a.txt", "deep/er/b.txt", "configs"} {
				write(t, filepath.Join(dir, file))
			}
			run(t, dir, setup...)
			for _, file := range []string{"later.txt", "config", "deep/e"} {
				write(t, filepath.Join(dir, file))
			}
			for path, want := range map[string]bool{
				".codex/config.toml": true,
				".codex":             true,
				"deep/er":            true,
				"deep/er/b.txt":      true,
				"DEEP/ER/B.TXT":      true, // one file on a file system that ignores case
				"later.txt":          false,
				"config":             false, // the beginning of another name
				"deep/e":             false,
			} {
				got, err := Tracks(filepath.Join(dir, path))
				if err != nil || got != want {
					t.Errorf("%s: got %v, %v; want %v", path, got, err, want)
				}
			}
		})
	}
}

func TestTracksInALinkedWorktree(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: there is nothing to make a worktree with")
	}
	dir := t.TempDir()
	main, tree := filepath.Join(dir, "main"), filepath.Join(dir, "tree")
	write(t, filepath.Join(main, "a"))
	run(t, main, "init", "-q")
	run(t, main, "add", "-A")
	run(t, main, "-c", "user.name=u", "-c", "user.email=u@localhost", "commit", "-q", "-m", "m")
	run(t, main, "worktree", "add", "-q", tree)
	write(t, filepath.Join(tree, "b"))
	for path, want := range map[string]bool{"a": true, "b": false} {
		if got, err := Tracks(filepath.Join(tree, path)); err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", path, got, err, want)
		}
	}
}

func TestTracksOutsideOfARepositoryAndWithABrokenIndex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got, err := Tracks(filepath.Join(dir, "a")); got || err != nil {
		t.Errorf("outside: got %v, %v", got, err)
	}
	write(t, filepath.Join(dir, ".git", "HEAD"))
	if got, err := Tracks(filepath.Join(dir, "a")); got || err != nil {
		t.Errorf("without an index: got %v, %v", got, err)
	}
	for _, text := range []string{"", "DIRC", "DIRC\x00\x00\x00\x09\x00\x00\x00\x01", "DIRC\x00\x00\x00\x02\x00\x00\xff\xff rest"} {
		if err := os.WriteFile(filepath.Join(dir, ".git", "index"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Tracks(filepath.Join(dir, "a")); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func write(t *testing.T, file string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
}
