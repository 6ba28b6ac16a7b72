package gateway

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// tree is a folder of files that were last touched long ago.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		put(t, filepath.Join(dir, f), "old")
	}
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func watchAll(dir string, files ...string) *watched {
	var all []stamp
	for _, f := range files {
		all = append(all, stampOf(filepath.Join(dir, f)))
	}
	return watch(all)
}

func TestEveryChangeOfAWatchedFileIsSeen(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*testing.T, string){
		"written":          func(t *testing.T, d string) { put(t, filepath.Join(d, "a/there"), "new") },
		"removed":          func(t *testing.T, d string) { os.Remove(filepath.Join(d, "a/there")) },
		"made":             func(t *testing.T, d string) { put(t, filepath.Join(d, "a/absent"), "x") },
		"made in a folder": func(t *testing.T, d string) { put(t, filepath.Join(d, "b/c/d/absent"), "x") },
		"moved in": func(t *testing.T, d string) {
			put(t, filepath.Join(d, "elsewhere/c/d/absent"), "x")
			os.Rename(filepath.Join(d, "elsewhere"), filepath.Join(d, "b"))
		},
		"linked": func(t *testing.T, d string) { os.Symlink("there", filepath.Join(d, "a/absent")) },
		"renamed over": func(t *testing.T, d string) {
			put(t, filepath.Join(d, "tmp"), "old")
			os.Rename(filepath.Join(d, "tmp"), filepath.Join(d, "a/there"))
		},
		"mode": func(t *testing.T, d string) { os.Chmod(filepath.Join(d, "a/there"), 0) },
	} {
		for when, wait := range map[string]time.Duration{"at once": 0, "later": settleTime + 50*time.Millisecond} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				d := tree(t, "a/there")
				w := watchAll(d, "a/there", "a/absent", "b/c/d/absent")
				if !w.unchanged() {
					t.Fatal("changed before anything did")
				}
				time.Sleep(wait) // until the folders count as settled
				for range 3 {
					if !w.unchanged() {
						t.Fatal("changed though nothing was")
					}
				}
				change(t, d)
				if w.unchanged() {
					t.Error("not seen")
				}
			})
		}
	}
}

func TestWhatComesBetweenReadingAndWatchingIsSeen(t *testing.T) {
	t.Parallel()
	d := tree(t, "a/there")
	w := watchAll(d, "a/absent")
	put(t, filepath.Join(d, "a/absent"), "x")
	if w.unchanged() {
		t.Error("not seen")
	}
}

func TestAFolderThatComesAndGoesIsFollowed(t *testing.T) {
	t.Parallel()
	d := tree(t, "there")
	w := watchAll(d, "x/y/absent")
	for range 3 {
		if err := os.MkdirAll(filepath.Join(d, "x/y"), 0o700); err != nil {
			t.Fatal(err)
		}
		if !w.unchanged() {
			t.Error("a folder alone is no change")
		}
		if err := os.RemoveAll(filepath.Join(d, "x")); err != nil {
			t.Fatal(err)
		}
		if !w.unchanged() {
			t.Error("a folder alone is no change")
		}
	}
	put(t, filepath.Join(d, "x/y/absent"), "x")
	if w.unchanged() {
		t.Error("not seen")
	}
}
