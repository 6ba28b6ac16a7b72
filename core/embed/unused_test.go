package embed

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Both kinds of files take away what a model that is gone has left, and nothing else.
func TestVectorsOfAModelThatIsGoneGoWithASave(t *testing.T) {
	t.Parallel()
	save := map[string]func(dir string) error{
		"cache": func(dir string) error {
			c, err := OpenCache(dir, "new", &counting{})
			if err != nil {
				return err
			}
			if _, err := c.Embed(t.Context(), []string{"a"}); err != nil {
				return err
			}
			return c.Save()
		},
		"kept": func(dir string) error {
			k, err := OpenKept(dir, "new", &counting{}, []string{"a"})
			if err != nil {
				return err
			}
			if _, err := k.Embed(t.Context(), []string{"a"}); err != nil {
				return err
			}
			return k.Save()
		},
	}
	for name, save := range save {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, age := range map[string]time.Duration{
				"gone.vec": unusedAfter + time.Hour, "lately.vec": unusedAfter - time.Hour, "notes.txt": 10 * unusedAfter,
			} {
				path := filepath.Join(dir, file)
				if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(filepath.Join(dir, "folder.vec"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := save(dir); err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, e := range entries {
				left = append(left, e.Name())
			}
			for file, stays := range map[string]bool{"gone.vec": false, "lately.vec": true, "notes.txt": true, "folder.vec": true, "new.vec": true} {
				if slices.Contains(left, file) != stays {
					t.Errorf("%s: %v is left, want %v of it", file, left, stays)
				}
			}
		})
	}
}
