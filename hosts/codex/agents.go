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

// agents reads the agents/*.toml of the user and of trusted project folders, and
// the [agents] tables. Codex lists each role that has a description in the tool
// that starts subagents, which it defers with the MCP tools.
func (s *settings) agents(loading surface.Loading) []agent {
	type folder struct{ dir, provider string }
	folders := []folder{{s.home, string(surface.ScopeUser)}}
	for _, dir := range s.trusted {
		folders = append(folders, folder{filepath.Join(dir, ".codex"), string(surface.ScopeProject)})
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
	list = append(list, s.tabled()...)
	for i := range list {
		it := &list[i].item
		if loading == surface.ServerLines {
			it.Resident, it.Deferred = 0, it.Resident
		}
	}
	return list
}

// tabled are the roles of [agents.NAME] tables.
func (s *settings) tabled() []agent {
	var list []agent
	table := s.root.at("agents")
	for _, name := range table.names() {
		n := table.at(name)
		if n.at("description") == nil {
			continue
		}
		a := agent{item: surface.Item{Kind: surface.KindAgent, Name: name, Place: n.at("description").place, Provider: string(surface.ScopeUser)}}
		a.item.Text = role(name, s.text(n.at("description")))
		a.item.Resident = len(a.item.Text)
		list = append(list, a)
	}
	return list
}

// role is what the list of roles has of one.
func role(name, description string) string {
	if description == "" {
		return "" // it is left out
	}
	return name + ": {\n" + description + "\n}\n"
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
		Text:     role(name, s.text(root.at("description"))),
		OnDemand: len(a.text),
		Body:     a.text,
	}
	a.item.Resident = len(a.item.Text)
	return a, true
}
