package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// projectFolders are the folders whose .codex, skills and AGENTS.md count for
// dir: from the nearest ancestor that holds one of the markers (".git" unless the
// user set others) down to dir; dir alone where no ancestor does.
func projectFolders(dir string, markers []string) []string {
	if len(markers) == 0 {
		markers = []string{".git"}
	}
	var folders []string
	for d := dir; ; d = filepath.Dir(d) {
		folders = append(folders, d)
		if slices.ContainsFunc(markers, func(name string) bool { return exists(filepath.Join(d, name)) }) {
			slices.Reverse(folders)
			return folders
		}
		if d == filepath.Dir(d) {
			return []string{dir}
		}
	}
}

// trusted reports whether the .codex of a folder counts, and the line of the
// user's that says so: the user's word on the folder itself, else on the
// project's root, else on the main checkout of which the root is a worktree.
func trusted(projects *node, dir, root string) (surface.Place, bool) {
	folders := []string{dir, root}
	if main, ok := paths.MainCheckout(root); ok {
		folders = append(folders, main)
	}
	for _, d := range folders {
		if level := projects.at(d, "trust_level"); level != nil {
			return level.place, level.value == "trusted"
		}
	}
	return surface.Place{}, false
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
