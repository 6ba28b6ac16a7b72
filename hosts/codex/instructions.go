package main

import (
	"os"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// projectDocBudget is how many bytes of a project's AGENTS.md files Codex sends
// unless project_doc_max_bytes says otherwise. The user's own file is not cut.
const projectDocBudget = 32 << 10

// instructions are the AGENTS.md files that Codex sends with every request: one
// of the user's, and one of each folder from the project's root to the working
// folder, whether or not the project is trusted.
func (s *settings) instructions() []surface.Item {
	var items []surface.Item
	add := func(dir, provider string, budget int, names []string) int {
		for _, name := range names {
			file := filepath.Join(dir, name)
			s.files = append(s.files, file)
			info, err := os.Stat(file)
			if err != nil || info.IsDir() || info.Size() == 0 {
				continue
			}
			sent := min(int(info.Size()), budget)
			items = append(items, surface.Item{
				Kind:     surface.KindInstructions,
				Provider: provider,
				Name:     name,
				Place:    surface.Place{File: file},
				Resident: sent,
			})
			return sent
		}
		return 0
	}

	names := []string{"AGENTS.override.md", "AGENTS.md"}
	const unlimited = int(^uint(0) >> 1)
	add(s.home, string(surface.ScopeUser), unlimited, names)

	budget := projectDocBudget
	if n, ok := s.root.at("project_doc_max_bytes").integer(); ok {
		budget = n
	}
	names = append(names, s.texts(s.root.at("project_doc_fallback_filenames"))...)
	for _, dir := range s.folders {
		budget -= add(dir, string(surface.ScopeProject), budget, names)
	}
	return items
}
