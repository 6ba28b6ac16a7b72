package conversation_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/hosts/internal/conversation"
)

func write(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestTheNewestComeFirstAndTheOldestAreLeftOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Date(2026, 11, 3, 12, 0, 0, 0, time.Local)
	write(t, dir+"/a/old.jsonl", "x", now.Add(-time.Hour))
	write(t, dir+"/b/deep/new.jsonl", "x", now)
	write(t, dir+"/b/other.json", "x", now)
	names := func(files []conversation.File) (all []string) {
		for _, f := range files {
			all = append(all, filepath.Base(f.Path))
		}
		return all
	}
	files, left := conversation.Newest(dir+"/a", dir+"/b", dir+"/absent")
	if got := names(files); !slices.Equal(got, []string{"new.jsonl", "old.jsonl"}) || left != "" {
		t.Errorf("%q, %q", got, left)
	}
	write(t, dir+"/a/huge.jsonl", "", now.Add(-time.Minute))
	if err := os.Truncate(dir+"/a/huge.jsonl", 256<<20); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(dir+"/a/huge.jsonl", now.Add(-time.Minute), now.Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	files, left = conversation.Newest(dir)
	if got := names(files); !slices.Equal(got, []string{"new.jsonl"}) || !strings.Contains(left, "2026-11-03") {
		t.Errorf("%q, %q", got, left)
	}
}

func TestALineThatIsTooLongCostsItselfAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.jsonl")
	write(t, path, "one\n"+strings.Repeat("x", conversation.MostLine+1)+"\ntwo\nthree", time.Now())
	var got []string
	if err := conversation.Lines(path, func(line []byte) bool {
		got = append(got, string(line))
		return string(line) != "stop\n"
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"one\n", "", "two\n", "three"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	got = nil
	if err := conversation.Lines(path, func(line []byte) bool { got = append(got, string(line)); return false }); err != nil || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
	if err := conversation.Lines(path+"x", func([]byte) bool { return true }); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
}
