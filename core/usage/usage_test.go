package usage_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/usage"
)

var call = usage.Call{
	Session: "s", Host: "fake", Server: "my server\n", Tool: "log",
	At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Failed: true, Via: usage.ViaHook,
}

func TestAFolderThatWasTakenAwayDoesNotComeBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "unwrapped")
	if err := usage.Open(dir).Append(call); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("the folder is back")
	}
}

func TestWhatWasCountedIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := usage.Open(dir)
	if calls, problems := l.Read(); calls != nil || problems != nil {
		t.Errorf("before any call: %v, %v", calls, problems)
	}
	for range 2 {
		if err := l.Append(call); err != nil {
			t.Fatal(err)
		}
	}
	calls, problems := l.Read()
	if diff := cmp.Diff([]usage.Call{call, call}, calls); diff != "" || problems != nil {
		t.Errorf("problems %v\n%s", problems, diff)
	}
	info, err := os.Stat(filepath.Join(dir, "usage.jsonl"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestManyWritersLoseNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if err := usage.Open(dir).Append(call); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if calls, problems := usage.Open(dir).Read(); len(calls) != 400 || problems != nil {
		t.Errorf("%d calls, problems %v", len(calls), problems)
	}
}

func TestTornLineCostsItselfAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "usage.jsonl")
	l := usage.Open(dir)
	if err := l.Append(call); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"session":"s","tool":"to`)
	f.Close()
	if err := l.Append(call); err != nil {
		t.Fatal(err)
	}
	calls, problems := l.Read()
	if diff := cmp.Diff([]usage.Call{call, call}, calls); diff != "" {
		t.Error(diff)
	}
	if len(problems) != 1 || problems[0].File != path || problems[0].Line != 2 {
		t.Errorf("problems %+v", problems)
	}
}

func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "usage.jsonl")
	l := usage.Open(dir)
	if err := l.Append(call); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 5<<20); err != nil { // the rest reads as one bad line
		t.Fatal(err)
	}
	if err := l.Append(call); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > 1<<10 {
		t.Errorf("the new log: %v, %v", info, err)
	}
	if calls, _ := l.Read(); len(calls) != 2 {
		t.Errorf("%d calls: the predecessor must still be read", len(calls))
	}
}

func TestNameTooLongForALine(t *testing.T) {
	t.Parallel()
	c := call
	c.Tool = strings.Repeat("x", 5000)
	dir := t.TempDir()
	l := usage.Open(dir)
	if err := l.Append(c); err == nil {
		t.Error("no error")
	}
	if calls, problems := l.Read(); calls != nil || problems != nil {
		t.Errorf("%v, %v", calls, problems)
	}
}

func TestLogThatIsALinkIsNotWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filepath.Join(dir, ".bashrc")
	if err := os.WriteFile(target, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(dir, "usage.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := usage.Open(dir).Append(call); err == nil {
		t.Error("no error")
	}
	if b, err := os.ReadFile(target); err != nil || string(b) != "mine\n" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestFolderThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := usage.Open(file)
	if err := l.Append(call); err == nil {
		t.Error("no error")
	}
	if calls, problems := l.Read(); calls != nil || len(problems) == 0 {
		t.Errorf("%v, %v", calls, problems)
	}
}

func TestTheLastCallsAreReadWithoutTheRest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := usage.Open(dir)
	if calls := l.Recent(1 << 10); calls != nil {
		t.Errorf("before any call: %v", calls)
	}
	var all []usage.Call
	for i := range 40 {
		c := call
		c.Tool = strings.Repeat("x", i)
		all = append(all, c)
		if err := l.Append(c); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(all, l.Recent(1<<20)); diff != "" {
		t.Error(diff)
	}
	some := l.Recent(1 << 10)
	if diff := cmp.Diff(all[len(all)-len(some):], some); diff != "" || len(some) == 0 || len(some) > 20 {
		t.Errorf("%d calls: %s", len(some), diff)
	}
}
