package survey

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// other is a place where some tool keeps what it puts before its model.
type other struct {
	tool string
	kind surface.Kind
	path string // in the workspace; a folder stands for the files below it that end in one of ends
	ends []string
}

var places = []other{
	{"cursor", surface.KindInstructions, ".cursorrules", nil},
	{"cursor", surface.KindInstructions, ".cursor/rules", []string{".mdc", ".md"}},
	{"cursor", surface.KindCommand, ".cursor/commands", []string{".md"}},
	{"cursor", surface.KindPolicy, ".cursor/mcp.json", nil},
	{"cursor", surface.KindHook, ".cursor/hooks.json", nil},
	{"copilot", surface.KindInstructions, ".github/copilot-instructions.md", nil},
	{"copilot", surface.KindInstructions, ".github/instructions", []string{".instructions.md"}},
	{"copilot", surface.KindCommand, ".github/prompts", []string{".prompt.md"}},
	{"vscode", surface.KindPolicy, ".vscode/mcp.json", nil},
	{"windsurf", surface.KindInstructions, ".windsurfrules", nil},
	{"windsurf", surface.KindInstructions, ".windsurf/rules", []string{".md"}},
	{"cline", surface.KindInstructions, ".clinerules", []string{".md", ".clinerules"}},
	{"shared", surface.KindInstructions, "AGENTS.md", nil},
	{"shared", surface.KindInstructions, "CLAUDE.md", nil},
	{"shared", surface.KindInstructions, "GEMINI.md", nil},
	{"ctx", surface.KindPolicy, "ctx.toml", nil},
	{"ctx", surface.KindPolicy, "ctx-policy.toml", nil},
}

// others lists the files of other tools in a workspace. They are sent to nobody
// by the host that is looked at, and cost nothing there.
func (s *Set) others(workspace string) []surface.Item {
	const most = 1000
	var found []surface.Item
	add := func(o other, path string) {
		if len(found) < most {
			rel, _ := filepath.Rel(workspace, path)
			found = append(found, surface.Item{Kind: o.kind, Provider: o.tool, Name: filepath.ToSlash(rel), Place: surface.Place{File: path, Line: 1}})
		}
	}
	for _, o := range places {
		path := filepath.Join(workspace, filepath.FromSlash(o.path))
		info, err := os.Stat(path)
		switch {
		case err != nil:
		case info.Mode().IsRegular():
			add(o, path)
		case info.IsDir():
			// What cannot be read is nobody's.
			_ = filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
				if err == nil && e.Type().IsRegular() && slices.ContainsFunc(o.ends, func(end string) bool { return strings.HasSuffix(p, end) }) {
					add(o, p)
				}
				return nil
			})
		}
	}
	return found
}

// unread leaves out the files that the host's own adapter tells of.
func unread(others []surface.Item, s surface.Sources) []surface.Item {
	read := make(map[string]bool, len(s.Items))
	for _, it := range s.Items {
		read[it.Place.File] = true
	}
	return slices.DeleteFunc(slices.Clone(others), func(it surface.Item) bool { return read[it.Place.File] })
}
