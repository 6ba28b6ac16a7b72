package main

import (
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// agent is a role that a conversation can start a subagent in.
type agent struct {
	item    surface.Item
	text    string   // what it is told
	servers []string // that its own settings speak of
}

// agents reads the agents/*.toml of the user and of trusted project folders.
// Codex lists each role with its description to the model.
func (s *settings) agents() []agent {
	type folder struct{ dir, provider string }
	folders := []folder{{s.home, string(surface.ScopeUser)}}
	for _, l := range s.layers {
		if l.scope == surface.ScopeProject {
			folders = append(folders, folder{filepath.Dir(l.file), string(surface.ScopeProject)})
		}
	}
	var list []agent
	for _, f := range folders {
		dir := filepath.Join(f.dir, "agents")
		s.files = append(s.files, dir)
		files, _ := filepath.Glob(filepath.Join(dir, "*.toml")) // fails for a bad pattern alone
		for _, file := range files {
			if a, ok := s.agent(file); ok {
				a.item.Provider = f.provider
				list = append(list, a)
			}
		}
	}
	return list
}

func (s *settings) agent(file string) (agent, bool) {
	s.files = append(s.files, file)
	d, err := readDocument(file)
	if err != nil {
		s.warn(err.Error())
		return agent{}, false
	}
	root := &node{}
	root.merge(d.values, &layer{document: d})
	a := agent{
		text:    s.text(root.at("developer_instructions")),
		servers: root.at("mcp_servers").names(),
	}
	name := s.text(root.at("name"))
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(file), ".toml")
	}
	a.item = surface.Item{
		Kind:     surface.KindAgent,
		Name:     name,
		Place:    surface.Place{File: file},
		Resident: len(name + ": {\n" + s.text(root.at("description")) + "\n}\n"),
		OnDemand: len(a.text),
	}
	return a, true
}
