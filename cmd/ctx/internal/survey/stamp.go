package survey

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// stamp tells one state of the files that a server runs from another: its
// program and every argument that is a file, each with its size and time. "" for
// a server that is reached, not run.
func stamp(srv surface.Server, env []string, workspace string) string {
	if srv.Transport != surface.Stdio {
		return ""
	}
	var b strings.Builder
	dir := workspace
	if srv.Cwd != "" {
		dir = srv.Cwd
	}
	for i, word := range append([]string{srv.Command}, srv.Args...) {
		path := word
		switch {
		case i == 0 && !strings.ContainsRune(word, filepath.Separator):
			path = lookPath(word, env)
		case !filepath.IsAbs(word):
			path = filepath.Join(dir, word)
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			fmt.Fprintf(&b, "%s %d %d\n", paths.Real(path), info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

func lookPath(name string, env []string) string {
	for _, dir := range filepath.SplitList(paths.Lookup(env, "PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}
