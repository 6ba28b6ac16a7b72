package surface

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// RemoveCompiled takes out of dir, a folder of compiled files, what is as the
// record there says that it was written, and the folders that nothing is left in.
// The record stays; nobody can tell what one that cannot be read knew of.
func RemoveCompiled(dir string) error {
	record, err := readRecord(filepath.Join(dir, compiledRecord))
	if errors.Is(err, errBadRecord) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read what was compiled: %w", err)
	}
	for key, files := range record.Slices {
		_, agent, _ := strings.Cut(key, "/")
		for name, sum := range files {
			path := filepath.Join(sliceDir(dir, agent), name)
			if !filepath.IsLocal(name) || !untouched(dir, path, sum) {
				continue
			}
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			for up := filepath.Dir(path); up != dir && os.Remove(up) == nil; up = filepath.Dir(up) {
			}
		}
	}
	return nil
}
