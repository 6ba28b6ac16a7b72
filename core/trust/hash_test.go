package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAFileIsHashedAgainOnceItIsAnother(t *testing.T) {
	t.Parallel()
	s, now := store(t)
	path := filepath.Join(t.TempDir(), "library")
	sum := func(content string) string {
		h := sha256.Sum256([]byte(content))
		return hex.EncodeToString(h[:])
	}
	hash := func() string {
		f, err := os.Open(path)
		must(t, err)
		defer f.Close()
		got, err := s.HashFile(path, f)
		must(t, err)
		return got
	}
	for _, content := range []string{"one", "two", "three"} {
		must(t, os.WriteFile(path, []byte(content), 0o600))
		*now = time.Now().Add(time.Hour) // it has been left alone since
		for range 2 {
			if got := hash(); got != sum(content) {
				t.Errorf("of %q: %s", content, got)
			}
		}
		info, err := os.Stat(path)
		must(t, err)
		if kept, ok := s.Hash(path, StampOf(info)); !ok || kept != sum(content) {
			t.Errorf("%q: kept %s, %v", content, kept, ok)
		}
	}
	// Another file in its place, with the times of the first.
	info, err := os.Stat(path)
	must(t, err)
	other := path + ".new"
	must(t, os.WriteFile(other, []byte("seven"), 0o600))
	must(t, os.Chtimes(other, info.ModTime(), info.ModTime()))
	must(t, os.Rename(other, path))
	if got := hash(); got != sum("seven") {
		t.Errorf("of a file in its place: %s", got)
	}
}
