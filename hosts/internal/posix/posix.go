// Package posix holds what adapters need to know of shells and search paths.
package posix

import (
	"os"
	"path/filepath"
	"strings"
)

// Quote makes one word of a path for sh; a path that is one already stays as it
// is, so that a user who reads it sees a plain path.
func Quote(path string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("/._-", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// LookPath finds a program in the folders of a PATH, which need not be this
// process's own; "" when no absolute folder has it.
func LookPath(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if !filepath.IsAbs(file) {
			continue
		}
		if info, err := os.Stat(file); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return file
		}
	}
	return ""
}
