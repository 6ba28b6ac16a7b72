package main

import (
	"bytes"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// projectDocBudget is how many bytes of a project's AGENTS.md files Codex sends
// unless project_doc_max_bytes says otherwise. The user's own file is not cut.
const projectDocBudget = 32 << 10

// What Codex writes around the instructions, and between the user's own and the
// project's.
const (
	docsHead    = "# AGENTS.md instructions"
	docsFor     = " for "
	docsStart   = "\n\n<INSTRUCTIONS>\n"
	docsProject = "\n\n--- project-doc ---\n\n"
	docsBetween = "\n\n"
	docsEnd     = "\n</INSTRUCTIONS>"
)

// instructions are the AGENTS.md files that Codex sends with every request: one
// of the user's, and one of each folder from the project's root to the working
// folder dir, whether or not the project is trusted. frame is what stands around
// them.
func (s *settings) instructions(dir string) (items []surface.Item, frame string) {
	add := func(dir, provider string, budget int, names []string) int {
		for _, name := range names {
			path := filepath.Join(dir, name)
			s.files = append(s.files, path)
			text, err := file.Read(path)
			if err != nil || len(text) == 0 {
				continue
			}
			if provider == string(surface.ScopeUser) {
				text = bytes.TrimSpace(text)
			}
			text = text[:min(len(text), budget)]
			items = append(items, surface.Item{
				Kind:     surface.KindInstructions,
				Provider: provider,
				Name:     s.short(path),
				Place:    surface.Place{File: path},
				Resident: len(text),
				Text:     string(text),
			})
			return len(text)
		}
		return 0
	}

	names := []string{"AGENTS.override.md", "AGENTS.md"}
	const unlimited = int(^uint(0) >> 1)
	add(s.home, string(surface.ScopeUser), unlimited, names)
	users := len(items)

	budget := projectDocBudget
	if n, ok := s.root.at("project_doc_max_bytes").integer(); ok {
		budget = n
	}
	names = append(names, s.texts(s.root.at("project_doc_fallback_filenames"))...)
	for _, folder := range s.folders {
		budget -= add(folder, string(surface.ScopeProject), budget, names)
	}
	project := len(items) - users
	if len(items) == 0 {
		return nil, ""
	}
	frame = docsHead
	if project > 0 {
		frame += docsFor + dir
	}
	frame += docsStart
	if users > 0 && project > 0 {
		frame += docsProject
	}
	for range project - 1 {
		frame += docsBetween
	}
	return items, frame + docsEnd
}

// short names a file as a user would look for it: from the working folder's
// project, or from the folder of Codex.
func (s *settings) short(path string) string {
	for _, base := range []struct{ dir, name string }{{s.folders[0], ""}, {s.home, "~/.codex"}} {
		if rel, err := filepath.Rel(base.dir, path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(base.name, rel)
		}
	}
	return path
}
