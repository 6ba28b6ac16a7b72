package skill

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
)

// parts are the folders that a skill may have beside its prose.
var parts = []string{"scripts", "references", "reference", "assets"}

// Read returns the prose of a skill as it is now, and the absolute paths of the
// folders beside it that hold something.
func (s Skill) Read() (body string, folders []string, err error) {
	b, err := file.ReadUpTo(s.File, mostBytes)
	if err != nil {
		return "", nil, err
	}
	_, body, _, _ = split(string(b))
	for _, name := range parts {
		dir := filepath.Join(s.Dir, name)
		// On a file system that knows no case, "reference" may be "References".
		if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
			folders = append(folders, dir)
		}
	}
	return strings.TrimSpace(body), folders, nil
}
