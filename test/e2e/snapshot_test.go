package e2e

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func (u *user) read(path string) string {
	u.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		u.t.Fatal(err)
	}
	return string(b)
}

// own are the parts of a home that the hosts themselves write in every session,
// and where ctx keeps its pins. No promise of ours is about them.
var own = []string{
	".claude.json", ".claude/backups", ".claude/projects", ".claude/sessions", ".claude/session-env", ".claude/shell-snapshots", ".claude/statsig",
	".claude/todos", ".claude/history.jsonl", ".claude/policy-limits.json", ".claude/.last-cleanup", ".claude/mcp-needs-auth-cache.json",
	".claude/debug", ".claude/telemetry", ".claude/plugins", ".claude/cache", ".claude/tasks", ".claude/file-history",
	".cache", ".npm", ".local", ".config",
}

// snapshot describes every file below the home and the folders: its kind, mode,
// and bytes or link target. What Codex writes beside its config.toml is its own.
func (u *user) snapshot(dirs ...string) map[string]string {
	u.t.Helper()
	all := map[string]string{}
	for _, dir := range append([]string{u.home}, dirs...) {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(u.home, path)
			if slices.Contains(own, rel) || strings.Contains(path, "/.git/objects") || e.Name() == "index" {
				if e.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if name, ok := strings.CutPrefix(rel, ".codex/"); ok && name != "config.toml" && name != "hooks.json" {
				if e.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			what := info.Mode().String()
			switch {
			case info.Mode().IsRegular():
				b, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				what += fmt.Sprintf(" %q", b)
			case info.Mode()&fs.ModeSymlink != 0:
				to, err := os.Readlink(path)
				if err != nil {
					return err
				}
				what += " -> " + to
			}
			all[path] = what
			return nil
		})
		if err != nil {
			u.t.Fatal(err)
		}
	}
	return all
}

// mustBe fails unless home and folders are what they were.
func (u *user) mustBe(before map[string]string, dirs ...string) {
	u.t.Helper()
	after := u.snapshot(dirs...)
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if got, ok := after[path]; !ok {
			u.t.Errorf("%s is gone", path)
		} else if got != before[path] {
			u.t.Errorf("%s is\n\t%.1500s\nand was\n\t%.1500s", path, got, before[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if _, ok := before[path]; !ok {
			u.t.Errorf("%s is left: %.300s", path, after[path])
		}
	}
}
