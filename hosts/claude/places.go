package main

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/plugins"
)

// places are the files and folders that one session of Claude Code reads.
type places struct {
	home    string
	config  string // ~/.claude
	global  string // ~/.claude.json, which Claude Code itself writes
	managed string
	launch  string // where the host was started, links resolved
	// root is what the user-owned files of a project belong to: the main
	// checkout of a git repository, also for a session in a subfolder or in a
	// linked worktree; without git the folder of launch itself.
	root string
}

func newPlaces(m plugins.Machine, managed, launch string) places {
	p := places{
		home:    m.Home,
		config:  filepath.Join(m.Home, ".claude"),
		global:  filepath.Join(m.Home, ".claude.json"),
		managed: managed,
		launch:  paths.Real(launch),
	}
	if dir := paths.Lookup(m.Env, "CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
		p.config, p.global = dir, filepath.Join(dir, ".claude.json")
	}
	if old := filepath.Join(p.config, ".config.json"); exists(old) {
		p.global = old // where early versions kept it; it still comes first
	}
	p.root = projectRoot(p.launch)
	return p
}

// projectRoot is the main checkout of the repository that dir is in; of a
// submodule or a bare repository's worktree, which have none, their own top.
func projectRoot(dir string) string {
	if main, ok := paths.MainCheckout(dir); ok {
		return main
	}
	if top, ok := workTree(dir); ok {
		return top
	}
	return dir
}

// workTree is the nearest ancestor of dir that git calls a work tree.
func workTree(dir string) (string, bool) {
	for _, d := range ancestors(dir) {
		if exists(filepath.Join(d, ".git")) {
			return d, true
		}
	}
	return "", false
}

// ancestors lists dir and the folders above it, nearest first.
func ancestors(dir string) []string {
	dirs := []string{dir}
	for dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}

// within reports whether a path is dir or lies below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func managedDir() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode"
	case "windows":
		return filepath.Join(os.Getenv("ProgramFiles"), "ClaudeCode")
	default:
		return "/etc/claude-code"
	}
}

func (p places) localSettings() string { return localSettings(p.root) }

func localSettings(dir string) string {
	return filepath.Join(dir, ".claude", "settings.local.json")
}
