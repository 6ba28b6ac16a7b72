package embed

import (
	"os"
	"path/filepath"
	"time"
)

// unusedAfter is how long nobody has written a file of vectors when it goes:
// most likely it is of a model that is no longer there, and it is large.
const unusedAfter = 30 * 24 * time.Hour

// removeUnused removes the files of vectors beside path that are of no use any
// more. One that is taken by mistake is made again.
func removeUnused(path string) {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Name() == filepath.Base(path) || filepath.Ext(e.Name()) != vectorFile || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > unusedAfter {
			_ = os.Remove(filepath.Join(dir, e.Name())) // it is in nobody's way
		}
	}
}
