package reconcile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/surface"
)

func entry(session string) Entry {
	return Entry{
		Schema: Schema, At: day0, Host: "fake", Session: session, Generation: 3, Op: Hide, Family: "deployment", Tokens: 700, Phase: Edit,
		Reason: "why", Servers: []string{"argo"}, Tools: []string{"argo:deploy"},
	}
}

func TestLedgerKeepsWhatIsWritten(t *testing.T) {
	t.Parallel()
	l := OpenLedger(t.TempDir())
	if got, problems := l.Read(); got != nil || problems != nil {
		t.Errorf("before: %v, %v", got, problems)
	}
	if err := l.Append(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(l.Path()); err == nil {
		t.Error("nothing was written into a file")
	}
	want := []Entry{entry("a"), entry("b"), entry("c")}
	if err := l.Append(want[:2]...); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(want[2]); err != nil {
		t.Fatal(err)
	}
	got, problems := OpenLedger(filepath.Dir(l.Path())).Read()
	if diff := cmp.Diff(want, got); diff != "" || problems != nil {
		t.Errorf("%v\n%s", problems, diff)
	}
	if info, err := os.Stat(l.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestHalfALineCostsItselfAlone(t *testing.T) {
	t.Parallel()
	l := OpenLedger(t.TempDir())
	const torn = `{"schema":"ctx.reconcile.entry/v1","time":"2026-01-01T`
	foreign := `{"schema":"ctx.reconcile.entry/v9","time":"2026-01-01T09:00:00Z","session":"x"}` + "\n{\"schema\":\"ctx.reconcile.entry/v1\"}\n[]\n"
	if err := os.WriteFile(l.Path(), []byte(foreign+torn), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(entry("a")); err != nil {
		t.Fatal(err)
	}
	got, problems := l.Read()
	if diff := cmp.Diff([]Entry{entry("a")}, got); diff != "" {
		t.Error(diff)
	}
	if len(problems) != 4 || problems[0].Line != 1 || problems[3].Line != 4 || problems[3].File != l.Path() {
		t.Errorf("problems %+v", problems)
	}
	if b, err := os.ReadFile(l.Path()); err != nil || !strings.HasPrefix(string(b), foreign+torn+"\n") {
		t.Errorf("what others wrote is gone: %s, %v", b, err)
	}
}

func TestLedgerIsBoundedAndKeepsOnePredecessor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := OpenLedger(dir)
	for i := range 12_000 / 40 {
		var some []Entry
		for j := range 40 {
			e := entry(fmt.Sprint("s", i*40+j))
			e.Reason = strings.Repeat("y", 400)
			some = append(some, e)
		}
		if err := l.Append(some...); err != nil {
			t.Fatal(err)
		}
	}
	total := int64(0)
	for _, name := range []string{"reconcile.jsonl", "reconcile.1.jsonl"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total > 2*mostLedger+64<<10 {
		t.Errorf("%d bytes", total)
	}
	got, problems := l.Read()
	if len(problems) > 0 || len(got) < 3000 || got[len(got)-1].Session != "s11999" {
		t.Errorf("%d entries, problems %v", len(got), problems)
	}
}

func TestToolsThatDoNotFitALineAreLeftOut(t *testing.T) {
	t.Parallel()
	l := OpenLedger(t.TempDir())
	e := entry("a")
	for i := range 500 {
		e.Tools = append(e.Tools, fmt.Sprint("argo:deploy_", i))
	}
	if err := l.Append(e); err != nil {
		t.Fatal(err)
	}
	if got, _ := l.Read(); len(got) != 1 || got[0].Tools != nil || got[0].Servers == nil {
		t.Errorf("%+v", got)
	}
	e.Session = strings.Repeat("x", 5000)
	if err := l.Append(entry("b"), e); err == nil {
		t.Error("no error")
	}
	if got, _ := l.Read(); len(got) != 1 {
		t.Errorf("half of it was written: %d entries", len(got))
	}
}

func TestLedgerThatIsNoFileOfOursIsNotWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filepath.Join(dir, ".bashrc")
	if err := os.WriteFile(target, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := OpenLedger(dir)
	if err := os.Symlink(target, l.Path()); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(entry("a")); err == nil {
		t.Error("a link was followed")
	}
	if b, err := os.ReadFile(target); err != nil || string(b) != "mine\n" {
		t.Errorf("%q, %v", b, err)
	}
	if err := os.Remove(l.Path()); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(l.Path(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(entry("a")); err == nil {
		t.Error("a pipe was written to")
	}
	if _, problems := l.Read(); len(problems) != 1 {
		t.Errorf("problems %+v", problems)
	}
}

func TestFolderThatWasTakenAwayDoesNotComeBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "unwrapped")
	if err := OpenLedger(dir).Append(entry("a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("the folder is back")
	}
}

// Fifty sessions at once lose no line of one another.
func TestFiftySessionsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for g := range 10 {
				e := entry(fmt.Sprint("s", i))
				e.Generation = g + 1
				end := e
				end.Op = End
				if err := OpenLedger(dir).Append(e, end); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, problems := OpenLedger(dir).Read()
	if len(got) != 1000 || problems != nil {
		t.Fatalf("%d entries, problems %v", len(got), problems)
	}
	for i := 0; i < len(got); i += 2 { // those of one Append stand together
		if got[i].Session != got[i+1].Session || got[i].Generation != got[i+1].Generation {
			t.Fatalf("torn apart: %+v, %+v", got[i], got[i+1])
		}
	}
	rules := Judge(Evidence{Entries: got, Now: day0.Add(time.Hour)})
	if len(rules) != 1 || rules[0].Family != surface.Family("deployment") || rules[0].Sessions != 50 {
		t.Errorf("%+v", rules)
	}
}
