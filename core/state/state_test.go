package state_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/state"
)

func advise(s *state.Session) { s.Advised = true }

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderThatWasTakenAwayDoesNotComeBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "unwrapped")
	got, err := state.Open(dir).Update("a", advise)
	if !errors.Is(err, fs.ErrNotExist) || !got.Advised {
		t.Errorf("%+v, error %v", got, err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("the folder is back")
	}
}

func TestSessionIsRemembered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := state.Open(dir)
	if got, err := s.Load("a"); err != nil || got.Advised || got.ID != "a" || !got.Started.IsZero() {
		t.Errorf("before: %+v, %v", got, err)
	}
	if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
		t.Errorf("reading made %v, %v", made, err)
	}
	wrote, err := s.Update("a", func(s *state.Session) { s.Advised = true; s.Revealed = []string{"git:log"} })
	if err != nil || wrote.Started.IsZero() {
		t.Fatalf("%+v, %v", wrote, err)
	}
	got, err := state.Open(dir).Load("a")
	if diff := cmp.Diff(wrote, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	info, err := os.Stat(s.Path("a"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if got, err := s.Load("b"); err != nil || got.Advised {
		t.Errorf("another session: %+v, %v", got, err)
	}
}

func TestHostileIDsStayInTheFolder(t *testing.T) {
	t.Parallel()
	ids := []string{
		"../../x", "/etc/passwd", ".", "..", "a/b", "a\x00b", "a\nb", "é", " ", "x.1", "-", "_", "CON",
		strings.Repeat("a", 100), strings.Repeat("a", 101), strings.Repeat("a/", 5000), "a.json.bad", "a.lock",
	}
	dir := t.TempDir()
	s := state.Open(dir)
	seen := map[string]string{}
	for _, id := range ids {
		path := s.Path(id)
		if filepath.Dir(path) != s.Dir() || len(filepath.Base(path)) > 200 {
			t.Errorf("%q has the file %s", id, path)
		}
		if other, taken := seen[path]; taken {
			t.Errorf("%q and %q share a file", id, other)
		}
		seen[path] = id
		if _, err := s.Update(id, advise); err != nil {
			t.Errorf("%q: %v", id, err)
		}
		if got, err := s.Load(id); err != nil || !got.Advised || got.ID != id {
			t.Errorf("%q: %+v, %v", id, got, err)
		}
	}
	if _, err := s.Update("", advise); !errors.Is(err, state.ErrNoSession) {
		t.Errorf("no id: %v", err)
	}
}

func TestFileThatCannotBeUsedIsKeptAside(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"torn":    `{"schema":"ctx.session/v1","id":"a","adv`,
		"empty":   "",
		"foreign": `{"schema":"ctx.session/v9","id":"a","advised":true}`,
		"other":   `{"schema":"ctx.session/v1","id":"b","advised":true}`,
		"list":    `[]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := state.Open(t.TempDir())
			write(t, s.Path("a"), content)
			if got, err := s.Load("a"); err == nil || got.Advised || !strings.Contains(err.Error(), s.Path("a")) {
				t.Errorf("Load = %+v, %v", got, err)
			}
			if got, err := s.Update("a", func(s *state.Session) { s.Host = "fake" }); err != nil || got.Advised {
				t.Errorf("Update = %+v, %v", got, err)
			}
			if got, err := s.Load("a"); err != nil || got.Host != "fake" {
				t.Errorf("afterwards Load = %+v, %v", got, err)
			}
			if b, err := os.ReadFile(s.Path("a") + ".bad"); err != nil || string(b) != content {
				t.Errorf("kept aside: %q, %v", b, err)
			}
		})
	}
}

func TestManyWritersLoseNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if _, err := state.Open(dir).Update("a", func(s *state.Session) { s.Used = append(s.Used, fmt.Sprint(i)) }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := state.Open(dir).Load("a"); err != nil || len(got.Used) != 16 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestUpdateThatCannotBeWrittenStillAnswers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	got, err := state.Open(file).Update("a", advise)
	if err == nil || !got.Advised || got.ID != "a" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestOldSessionsAreForgotten(t *testing.T) {
	t.Parallel()
	s := state.Open(t.TempDir())
	touch := func(id string, age time.Duration) {
		t.Helper()
		write(t, s.Path(id), `{"schema":"ctx.session/v1","id":"`+id+`"}`)
		at := time.Now().Add(-age)
		if err := os.Chtimes(s.Path(id), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 250 {
		touch(fmt.Sprint("s", i), time.Duration(i)*time.Minute)
	}
	touch("ancient", 40*24*time.Hour)
	if _, err := s.Update("new", advise); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(s.Dir())
	if err != nil || len(entries) != 200 {
		t.Errorf("%d files, %v", len(entries), err)
	}
	for id, want := range map[string]bool{"new": true, "s0": true, "s198": true, "s199": false, "ancient": false} {
		if _, err := os.Stat(s.Path(id)); (err == nil) != want {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// wrapped makes a workspace with a wrap record, and the layout that has it.
func wrapped(t *testing.T) (paths.Layout, string) {
	t.Helper()
	dir := paths.Real(t.TempDir())
	l, ws := paths.Layout{State: filepath.Join(dir, "state")}, filepath.Join(dir, "ws")
	write(t, l.WrapRecord(ws), "{}")
	write(t, filepath.Join(ws, "README"), "")
	return l, ws
}

func own(l paths.Layout, ws string) string { return filepath.Join(l.State, "workspaces", paths.ID(ws)) }

func TestSurfaceFolderIsTheWorkspaces(t *testing.T) {
	t.Parallel()
	l, ws := wrapped(t)
	for range 2 {
		dir, why := state.SafeDir(l, ws)
		if dir != filepath.Join(ws, ".ctx-surface") || why != "" {
			t.Fatalf("SafeDir = %s, %s", dir, why)
		}
		if b, err := os.ReadFile(filepath.Join(dir, ".gitignore")); err != nil || string(b) != "*\n" {
			t.Errorf(".gitignore: %q, %v", b, err)
		}
	}
	if _, err := os.Stat(own(l, ws)); err == nil {
		t.Error("a second folder was made")
	}
}

func TestWorkspaceThatIsNotWrappedFindsNothingOfOurs(t *testing.T) {
	t.Parallel()
	l, ws := wrapped(t)
	if err := os.Remove(l.WrapRecord(ws)); err != nil {
		t.Fatal(err)
	}
	dir, why := state.SafeDir(l, ws)
	if dir != own(l, ws) || why != "" {
		t.Errorf("SafeDir = %s, %s", dir, why)
	}
	if entries, err := os.ReadDir(ws); err != nil || len(entries) != 1 {
		t.Errorf("in the workspace: %v, %v", entries, err)
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(slices.Clone(os.Environ()), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("git %s: %v\n%s", args, err, out)
	}
}

func TestSurfaceFolderThatSomeoneElseMadeIsPassedOver(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(t *testing.T, dir string)
		why   string
	}{
		{"a link", func(t *testing.T, dir string) {
			if err := os.Symlink(t.TempDir(), dir); err != nil {
				t.Fatal(err)
			}
		}, "a link"},
		{"a dangling link", func(t *testing.T, dir string) {
			if err := os.Symlink("nowhere", dir); err != nil {
				t.Fatal(err)
			}
		}, "a link"},
		{"a file", func(t *testing.T, dir string) { write(t, dir, "") }, "no folder"},
		{"a link in it", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "a"), "")
			if err := os.Symlink("/etc/passwd", filepath.Join(dir, "usage.jsonl")); err != nil {
				t.Fatal(err)
			}
		}, "usage.jsonl is a link"},
		{"a pipe in it", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "a"), "")
			if err := syscall.Mkfifo(filepath.Join(dir, "probe-cache.json"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "probe-cache.json is no file"},
		{"linked sessions", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "a"), "")
			if err := os.Symlink(t.TempDir(), filepath.Join(dir, "sessions")); err != nil {
				t.Fatal(err)
			}
		}, "sessions is a link"},
		{"a linked session", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "sessions", "b.json"), "")
			if err := os.Symlink("/etc/passwd", filepath.Join(dir, "sessions", "a.json")); err != nil {
				t.Fatal(err)
			}
		}, "a.json is a link"},
		{"tracked by git", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "probe-cache.json"), "{}")
			git(t, filepath.Dir(dir), "init", "-q")
			git(t, filepath.Dir(dir), "add", "-f", ".")
			git(t, filepath.Dir(dir), "commit", "-q", "-m", "x")
		}, "git repository has files in it"},
		{"someone else's", func(t *testing.T, dir string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			write(t, filepath.Join(dir, "a"), "")
			if err := os.Chown(dir, 1, 1); err != nil {
				t.Fatal(err)
			}
		}, "belongs to someone else"},
		{"read-only", func(t *testing.T, dir string) {
			if os.Geteuid() == 0 {
				t.Skip("root may write everywhere")
			}
			write(t, filepath.Join(dir, "a"), "")
			if err := os.Chmod(dir, 0o500); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
		}, "cannot be written"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, ws := wrapped(t)
			tt.spoil(t, filepath.Join(ws, ".ctx-surface"))
			dir, why := state.SafeDir(l, ws)
			if dir != own(l, ws) || !strings.Contains(why, tt.why) {
				t.Errorf("SafeDir = %s, %q; want the user's own because %q", dir, why, tt.why)
			}
			if _, err := state.Open(dir).Update("a", advise); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWhatAKilledWriterLeftGoesWithTheNextSession(t *testing.T) {
	t.Parallel()
	s := state.Open(t.TempDir())
	if _, err := s.Update("one", func(*state.Session) {}); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(s.Dir(), ".one.json.ctx-123")
	if err := os.WriteFile(left, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Update("two", func(*state.Session) {}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	for _, id := range []string{"one", "two"} {
		if got, err := s.Load(id); err != nil || got.Started.IsZero() {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
}
