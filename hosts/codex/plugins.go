package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// plugin is an installed and enabled plugin of Codex's.
type plugin struct {
	id   string // NAME@MARKETPLACE
	name string
	dir  string // of the installed version
	node *node  // [plugins."NAME@MARKETPLACE"]
}

// plugins finds what [plugins] enables where Codex keeps it:
// plugins/cache/MARKETPLACE/NAME/VERSION.
func (s *settings) plugins() []plugin {
	var list []plugin
	table := s.root.at("plugins")
	for _, id := range table.names() {
		at := strings.LastIndexByte(id, '@')
		if at <= 0 || !s.flag(table.at(id, "enabled")) {
			continue
		}
		parent := filepath.Join(s.home, "plugins", "cache", id[at+1:], id[:at])
		s.files = append(s.files, parent)
		entries, err := os.ReadDir(parent)
		if err != nil {
			continue
		}
		newest := ""
		for _, e := range entries {
			if e.IsDir() {
				newest = e.Name()
			}
		}
		if newest != "" {
			list = append(list, plugin{id: id, name: id[:at], dir: filepath.Join(parent, newest), node: table.at(id)})
		}
	}
	return list
}

// pluginServers are the servers that plugins bring. They stay direct: their
// declarations are the plugin's, and an update would bring them back.
func (s *settings) pluginServers(installed []plugin, declared []surface.Server) []surface.Server {
	var list []surface.Server
	for _, p := range installed {
		file := filepath.Join(p.dir, ".mcp.json")
		var content struct {
			Servers map[string]struct {
				Command string   `json:"command"`
				Args    []string `json:"args"`
				URL     string   `json:"url"`
			} `json:"mcpServers"`
		}
		if !s.readJSON(file, &content) {
			continue
		}
		for name, e := range content.Servers {
			if named(declared, name) || named(list, name) || (e.Command == "") == (e.URL == "") {
				continue
			}
			srv := surface.Server{
				Name: name, Scope: surface.ScopePlugin, Place: surface.Place{File: file},
				Transport: surface.Stdio, Command: e.Command, Args: e.Args, URL: e.URL,
				Direct: "belongs to the Codex plugin " + p.id,
			}
			if e.URL != "" {
				srv.Transport = surface.HTTP
			}
			if on := p.node.at("mcp_servers", name, "enabled"); !s.flag(on) {
				srv.Disabled, srv.DisabledBy = true, &on.place
			}
			list = append(list, srv)
		}
	}
	slices.SortFunc(list, func(a, b surface.Server) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// pluginSkills are the skills that plugins bring, under the plugin's name.
func (s *settings) pluginSkills(installed []plugin) []skill {
	var found []skill
	for _, p := range installed {
		for _, file := range findSkills(filepath.Join(p.dir, "skills")) {
			s.files = append(s.files, file)
			short, _ := filepath.Rel(filepath.Dir(filepath.Dir(p.dir)), file)
			if k, ok := s.skill(file, p.name+":", "r0/"+short); ok {
				k.item.Provider, k.rank = p.id, 2
				found = append(found, k)
			}
		}
	}
	return found
}

// readJSON reads a file that need not be there; what is wrong with it is a
// warning.
func (s *settings) readJSON(path string, v any) bool {
	s.files = append(s.files, path)
	b, err := file.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		s.warn(path + ": " + err.Error())
	}
	return err == nil
}
