package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// speaks are the events of which a hook's output reaches the model.
var speaks = map[string]bool{
	"SessionStart": true, "SubagentStart": true, "UserPromptSubmit": true, "PreToolUse": true, "PostToolUse": true,
	"Stop": true, "SubagentStop": true,
}

// detail lists what counts in a session without a word of it in the requests:
// hooks, the user's prompts, plugins.
func (s *settings) detail(installed []plugin) []surface.Item {
	var items []surface.Item
	hooks := s.hookGroups()
	for _, path := range slices.Sorted(maps.Keys(hooks)) {
		text, _ := file.Read(path) // for the lines alone
		for _, g := range hooks[path] {
			for _, h := range g.Handlers {
				name := g.Event
				if g.Matcher != "" && g.Matcher != "*" {
					name += "(" + g.Matcher + ")"
				}
				it := surface.Item{
					Kind: surface.KindHook, Provider: s.scopeOf(path), Name: name, Place: surface.Place{File: path, Line: lineOf(text, h.Command)},
				}
				if speaks[g.Event] {
					it.Unmeasured = "what a hook says is known when it runs"
				}
				items = append(items, it)
			}
		}
	}
	prompts, _ := filepath.Glob(filepath.Join(s.home, "prompts", "*.md")) // fails for a bad pattern alone
	for _, path := range prompts {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			name := filepath.Base(path)
			items = append(items, surface.Item{
				Kind: surface.KindCommand, Provider: string(surface.ScopeUser), Name: name[:len(name)-len(".md")],
				Place: surface.Place{File: path}, OnDemand: int(info.Size()),
			})
		}
	}
	for _, p := range installed {
		items = append(items, surface.Item{
			Kind: surface.KindPlugin, Provider: string(surface.ScopeUser), Name: p.id, Place: p.node.place,
		})
	}
	return items
}

func (s *settings) scopeOf(path string) string {
	if filepath.Dir(path) == s.home {
		return string(surface.ScopeUser)
	}
	return string(surface.ScopeProject)
}

func lineOf(text []byte, words string) int {
	at := bytes.Index(text, []byte(words))
	if at < 0 || words == "" {
		return 1
	}
	return 1 + bytes.Count(text[:at], []byte("\n"))
}
