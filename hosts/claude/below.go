package main

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// mostBelow is how many files and folders of a workspace are looked at for
// instructions further down.
const mostBelow = 50_000

// below lists the instruction files of folders below the session's, which
// Claude Code reads when the model opens a file there.
func (m *memory) below() {
	left := mostBelow
	// What cannot be read is not there for Claude Code either.
	_ = filepath.WalkDir(m.launch, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if left--; left < 0 {
			m.out.Unseen = append(m.out.Unseen, "instructions in folders further down, after the first 50,000 files")
			return fs.SkipAll
		}
		if e.IsDir() {
			if path != m.launch && (e.Name() == "node_modules" || strings.HasPrefix(e.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if name := e.Name(); (name == "CLAUDE.md" || name == "CLAUDE.local.md") && !m.seen[path] {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				m.addItem(surface.Item{
					Kind: surface.KindInstructions, Provider: string(surface.ScopeProject), Name: m.short(path), OnDemand: int(info.Size()),
				}, path, "")
			}
		}
		return nil
	})
}

// excludes are the patterns of claudeMdExcludes, of all settings together.
func (r *reader) excludes() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, l := range r.layer {
		for _, p := range l.get("claudeMdExcludes").texts() {
			re, err := regexp.Compile("^" + globs.Replace(regexp.QuoteMeta(p)) + "$")
			if err == nil {
				all = append(all, re)
			}
		}
	}
	return all
}

// globs turns a pattern of paths, its characters quoted, into one of Go's.
var globs = strings.NewReplacer(`\*\*/`, `(?:.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `[^/]`)
