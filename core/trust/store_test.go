package trust

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func process(t *testing.T, path, name, count string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "TRUST_TEST_FILE="+path, "TRUST_TEST_NAME="+name, "TRUST_TEST_COUNT="+count)
	return cmd
}

func TestProcessesThatWriteAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	s, _ := store(t)
	const each = 15
	var all sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		all.Go(func() {
			if out, err := process(t, s.path, name, fmt.Sprint(each)).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Go(func() {
		for i := range each {
			if err := s.PinPlugin(fmt.Sprintf("p%d", i), "/p", "sha"); err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
	if got := len(s.Entries()); got != 2*each {
		t.Errorf("%d approvals, want %d", got, 2*each)
	}
	if got := len(s.Plugins()); got != each {
		t.Errorf("%d pins, want %d", got, each)
	}
	if p := s.Problems(); p != nil {
		t.Error(p)
	}
}

func TestAWriterKilledAtAnyMomentLeavesAWholeFile(t *testing.T) {
	t.Parallel()
	s, _ := store(t)
	must(t, s.PinPlugin("claude", "/p", "sha"))
	for i := range 8 {
		cmd := process(t, s.path, fmt.Sprint("w", i), "")
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * 700 * time.Microsecond) // somewhere in a write
		must(t, cmd.Process.Signal(syscall.SIGKILL))
		_ = cmd.Wait()
		if _, ok := s.Plugin("claude"); !ok {
			t.Fatalf("kill %d lost the pin: %v", i, s.Problems())
		}
	}
	// The next writer is not held up by the dead ones and cleans up after them.
	must(t, os.WriteFile(filepath.Join(filepath.Dir(s.path), ".trust.json.ctx-1"), []byte(`{"sch`), 0o600))
	must(t, s.PinPlugin("codex", "/p", "sha"))
	entries, err := os.ReadDir(filepath.Dir(s.path))
	must(t, err)
	for _, e := range entries {
		if n := e.Name(); n != "trust.json" && n != "trust.json.lock" {
			t.Errorf("%s is left", n)
		}
	}
	if p := s.Problems(); p != nil {
		t.Error(p)
	}
}

func TestABadFileIsKeptAsideAndTrustsNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ content, want string }{
		"half a file":       {"{\n  \"schema\": \"ctx.trust/v1\",\n  \"plugins\": {\"claude\": {\"sha", "trust.json:3: unexpected end of JSON input"},
		"empty":             {"", "trust.json:1: unexpected end"},
		"foreign":           {"[1, 2]\n", "trust.json:1: json: cannot unmarshal array"},
		"of another schema": {`{"schema": "ctx.trust/v2"}`, `trust.json:1: schema "ctx.trust/v2"`},
		"without schema":    {`{"plugins": {"claude": {"sha256": "x"}}}`, `schema ""`},
		"of wrong types":    {"{\"schema\": \"ctx.trust/v1\",\n\"plugins\": [\"claude\"]}", "trust.json:2: json: cannot unmarshal array"},
		"conflict markers":  {"<<<<<<< HEAD\n{}\n", "trust.json:1: invalid character '<'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := store(t)
			must(t, os.MkdirAll(filepath.Dir(s.path), 0o700))
			must(t, os.WriteFile(s.path, []byte(tt.content), 0o600))
			if _, ok := s.Plugin("claude"); ok {
				t.Error("a bad file trusts a plugin")
			}
			if st := s.Check(server("a"), ""); st != Unknown {
				t.Errorf("a bad file says %s", st)
			}
			p := s.Problems()
			if len(p) != 1 || !strings.Contains(p[0], tt.want) || !strings.Contains(p[0], "trust.json.bad") {
				t.Errorf("problems %q, want one with %q", p, tt.want)
			}
			kept, err := os.ReadFile(s.path + ".bad")
			if err != nil || string(kept) != tt.content {
				t.Errorf("kept %q, %v", kept, err)
			}
			approve(t, s, server("a"), "")
			if st := s.Check(server("a"), ""); st != Approved {
				t.Errorf("afterwards: %s", st)
			}
		})
	}
}

// What lies in the file's place is put aside like every bad file, and nobody
// waits for it.
func TestWhatIsNoFileIsPutAsideAndHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	for what, make := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"hole": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
		},
	} {
		s, _ := store(t)
		must(t, os.MkdirAll(filepath.Dir(s.path), 0o700))
		if err := make(s.path); err != nil {
			t.Logf("%s: %v", what, err)
			continue
		}
		if st := s.Check(server("a"), ""); st != Unknown {
			t.Errorf("%s says %s", what, st)
		}
		if p := s.Problems(); len(p) != 1 || !strings.Contains(p[0], "trust.json.bad") {
			t.Errorf("%s: problems %q", what, p)
		}
		approve(t, s, server("a"), "")
		if st := s.Check(server("a"), ""); st != Approved {
			t.Errorf("%s: afterwards %s", what, st)
		}
	}
}

func TestAFileThatOthersCanWriteTrustsNothingAndStays(t *testing.T) {
	t.Parallel()
	s, _ := store(t)
	must(t, s.PinPlugin("claude", "/p", "sha"))
	for _, mode := range []os.FileMode{0o602, 0o620} {
		must(t, os.Chmod(s.path, mode))
		if _, ok := s.Plugin("claude"); ok {
			t.Errorf("mode %o: trusted", mode)
		}
		if err := s.PinPlugin("codex", "/p", "sha"); err == nil {
			t.Errorf("mode %o: written over", mode)
		}
	}
	if p := s.Problems(); len(p) != 1 || !strings.Contains(p[0], "chmod 600") {
		t.Errorf("problems: %q", p)
	}
	must(t, os.Chmod(s.path, 0o600))
	if _, ok := s.Plugin("claude"); !ok {
		t.Error("lost")
	}
}

func TestTheFileIsPrivateAndWrittenOnlyForAChange(t *testing.T) {
	t.Parallel()
	s, now := store(t)
	if s.Entries(); exists(filepath.Dir(s.path)) {
		t.Error("reading made the folder")
	}
	approve(t, s, server("a"), "")
	must(t, s.PinPlugin("claude", "/p", "sha"))
	must(t, s.Note(ServerID(server("b"), ""), server("b")))
	for path, want := range map[string]os.FileMode{s.path: 0o600, filepath.Dir(s.path): 0o700} {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
	}
	before, err := os.ReadFile(s.path)
	must(t, err)
	*now = now.Add(time.Hour)
	approve(t, s, server("a"), "")
	must(t, s.PinPlugin("claude", "/p", "sha"))
	must(t, s.Note(ServerID(server("b"), ""), server("b")))
	must(t, s.UnpinPlugin("nobody"))
	after, err := os.ReadFile(s.path)
	must(t, err)
	if string(before) != string(after) {
		t.Errorf("the same again was written:\n%s\n%s", before, after)
	}
}

func TestAFolderThatCannotBeWrittenFailsAWriteAndNoRead(t *testing.T) {
	t.Parallel()
	s := Open("/proc/no/such/folder/trust.json")
	if err := s.PinPlugin("claude", "/p", "sha"); err == nil {
		t.Error("a write there succeeds")
	}
	if s.Check(server("a"), "") != Unknown || len(s.Entries()) != 0 || s.TakeCall("", "", "", "") {
		t.Error("something is trusted")
	}
	s.KeepHash("/x", Stamp{}, "sha")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestWhatAnotherProcessWritesCountsAtOnce(t *testing.T) {
	t.Parallel()
	mine, _ := store(t)
	theirs := Open(mine.path)
	for i := range 20 {
		srv := server("a", fmt.Sprint(i))
		if got := mine.Check(srv, ""); got == Approved {
			t.Fatalf("%d: approved by nobody", i)
		}
		approve(t, theirs, srv, "")
		if got := mine.Check(srv, ""); got != Approved {
			t.Fatalf("%d: %s after another store approved it", i, got)
		}
		must(t, theirs.Reject(ServerID(srv, ""), srv.Fingerprint()))
		if got := mine.Check(srv, ""); got != Rejected {
			t.Fatalf("%d: %s after another store rejected it", i, got)
		}
	}
	must(t, os.Remove(mine.path))
	if got := mine.Check(server("a", "19"), ""); got != Unknown {
		t.Errorf("%s without a file", got)
	}
}
