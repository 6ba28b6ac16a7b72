package main

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// settings is what Codex's configuration comes to for one working folder.
type settings struct {
	report
	home    string // CODEX_HOME
	user    string // the user's config.toml
	root    *node
	layers  []*layer               // the lowest first
	folders []string               // from the project's root to the working folder
	trusted []string               // those of them whose .codex counts
	files   []string               // all that was looked for
	hooks   map[string][]hookGroup // once they are read
}

// layer is one config.toml.
type layer struct {
	*document
	scope surface.Scope
	// trust is the line with which the user trusts a project's file.
	trust surface.Place
}

func codexHome(m plugins.Machine) string {
	if dir := paths.Lookup(m.Env, "CODEX_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(m.Home, ".codex")
}

// settings reads the layers that Codex reads for dir. A file that is no TOML
// stops Codex itself; here it is left out, with a warning.
func (a adapter) settings(m plugins.Machine, dir string) *settings {
	s := &settings{home: codexHome(m), root: &node{keys: map[string]*node{}}}
	s.user = filepath.Join(s.home, "config.toml")
	s.add(filepath.Join(a.system, "config.toml"), surface.ScopeManaged, surface.Place{})
	s.add(s.user, surface.ScopeUser, surface.Place{})

	// Who is trusted is settled before the first of the project's files is read.
	projects := s.root.at("projects").clone()
	s.folders = projectFolders(paths.Real(dir), s.texts(s.root.at("project_root_markers")))
	for _, d := range s.folders {
		file := filepath.Join(d, ".codex", "config.toml")
		if paths.Real(file) == paths.Real(s.user) {
			continue // the home folder as a project
		}
		if place, ok := trusted(projects, d, s.folders[0]); ok {
			s.trusted = append(s.trusted, d)
			s.add(file, surface.ScopeProject, place)
		}
	}
	return s
}

func (s *settings) add(file string, scope surface.Scope, trust surface.Place) {
	s.files = append(s.files, file)
	d, err := readDocument(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		s.warn(err.Error())
		return
	}
	l := &layer{document: d, scope: scope, trust: trust}
	s.layers = append(s.layers, l)
	s.root.merge(d.values, l)
}
