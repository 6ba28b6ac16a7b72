package plugins

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/paths"
)

// Manifest is the name of the file, in the format of sha256sum(1), that the
// installer leaves beside the adapters it has built. Those are trusted as far
// as their bytes are the ones on this list. The list counts in one folder
// alone, the one that was installed with the running program: who can write
// there can replace the program as well.
const Manifest = "SHA256SUMS"

// installedFolders returns the plugins folders of the layout, the one beside
// the running program first.
func installedFolders(l paths.Layout) []string {
	var dirs []string
	for _, share := range l.Share() {
		dirs = append(dirs, filepath.Join(share, "plugins"))
	}
	return dirs
}

// manifest reads the list of a folder: the SHA-256 by absolute path. A list that
// is not there, or that another user could have written, lists nothing.
func manifest(dir string) map[string]string {
	f, err := os.Open(filepath.Join(dir, Manifest))
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<16 || safe(info) != nil {
		return nil
	}
	b := make([]byte, info.Size())
	n, _ := f.Read(b)
	sums := map[string]string{}
	for line := range strings.Lines(string(b[:n])) {
		// "HEX  NAME", or "HEX *NAME" for a sum of bytes and not of text
		sum, name, ok := strings.Cut(strings.TrimSpace(line), " ")
		if name = strings.TrimLeft(name, " *"); ok && len(sum) == 64 {
			sums[filepath.Join(dir, filepath.Base(name))] = strings.ToLower(sum)
		}
	}
	return sums
}
