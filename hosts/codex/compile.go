package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// compiledName is the file with the servers of a compiled profile.
const compiledName = "config.codex.toml"

const compiledHead = `# The MCP servers of a profile, whole, as a config.toml of Codex's. Codex loads no
# configuration file by its path: the launch line of the profile comes to the same
# with -c, on top of the user's own config.toml.
`

// Compile implements [plugins.Adapter]. A launch's settings are laid over the
// user's own, so a server that is not selected must be switched off by name.
func (a adapter) Compile(_ context.Context, req plugins.CompileRequest) (plugins.Compiled, error) {
	s := a.settings(req.Machine, req.Workspace)
	tables, err := s.selection(req)
	if err != nil {
		return plugins.Compiled{}, err
	}
	made := plugins.Compiled{Launch: []string{hostName}, Beside: s.beside()}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		for _, set := range tables[name] {
			made.Launch = append(made.Launch, "-c", "mcp_servers."+name+"."+set.key+"="+encode(set.value))
		}
	}
	whole := map[string]any{"mcp_servers": s.whole(req, tables)}
	if config := s.skillsOff(req, &made); config != nil {
		whole["skills"] = map[string]any{"config": config}
	}
	text, err := toml.Marshal(whole)
	if err != nil {
		return plugins.Compiled{}, fmt.Errorf("compile for codex: %w", err)
	}
	made.Files = []plugins.CompiledFile{{Name: compiledName, Content: append([]byte(compiledHead+"\n"), text...)}}
	return made, nil
}

// selection is what each server's table must come to hold; a server that stays
// as it is has none.
func (s *settings) selection(req plugins.CompileRequest) (map[string][]setting, error) {
	declared := s.servers(nil)
	for _, want := range req.Servers {
		if !named(declared, want.Name) {
			return nil, fmt.Errorf("codex has no server %q in %s", want.Name, s.user)
		}
	}
	tables := map[string][]setting{}
	for _, srv := range declared {
		if !validName.MatchString(srv.Name) {
			continue // Codex never starts it
		}
		on := !req.Gateway && named(req.Servers, srv.Name)
		if on == srv.Disabled {
			tables[srv.Name] = append(tables[srv.Name], setting{"enabled", on})
		}
		if deny := req.DenyTools[srv.Name]; on && len(deny) > 0 {
			deny = unique(append(slices.Clone(srv.DisabledTools), deny...))
			tables[srv.Name] = append(tables[srv.Name], setting{"disabled_tools", deny})
		}
	}
	if req.Gateway {
		tables[ownServer] = append(gatewayTable(req.GatewayBin, req.Servers), setting{"enabled", true})
	}
	return tables, nil
}

// whole are the tables of the servers that are loaded, with every key that the
// user has there, also those that nobody here understands.
func (s *settings) whole(req plugins.CompileRequest, tables map[string][]setting) map[string]any {
	all := map[string]any{}
	names := []string{ownServer}
	if !req.Gateway {
		names = nil
		for _, srv := range req.Servers {
			names = append(names, srv.Name)
		}
	}
	for _, name := range names {
		table, ok := s.root.at("mcp_servers", name).plain().(map[string]any)
		if !ok || req.Gateway {
			table = map[string]any{}
		}
		delete(table, "enabled")
		for _, set := range tables[name] {
			if set.key != "enabled" {
				table[set.key] = value(set.value)
			}
		}
		all[name] = table
	}
	return all
}

// plain is the setting as a decoder of TOML gives it.
func (n *node) plain() any {
	if n == nil {
		return nil
	}
	if n.keys == nil {
		return n.value
	}
	table := make(map[string]any, len(n.keys))
	for name, child := range n.keys {
		table[name] = child.plain()
	}
	return table
}

// value is a setting's value for an encoder of TOML, which knows no number in
// the form of a text.
func value(v any) any {
	if n, ok := v.(interface{ Float64() (float64, error) }); ok {
		f, err := n.Float64()
		if err == nil {
			return f
		}
	}
	return v
}

// skillsOff switches the skills of a request off, beside those that the user has
// in [[skills.config]] already: a list on the command line takes the other's
// place. Codex has no such switch for an agent, nor for a skill of its own.
func (s *settings) skillsOff(req plugins.CompileRequest, made *plugins.Compiled) []any {
	config, _ := s.root.at("skills", "config").list()
	known := s.disabledSkills()
	for _, it := range req.Off {
		if it.Kind != surface.KindSkill || it.Provider == hostName || it.Place.File == "" {
			continue
		}
		if !known[paths.Real(it.Place.File)] {
			config = append(slices.Clip(config), map[string]any{"path": it.Place.File, "enabled": false})
		}
		made.Off = append(made.Off, it)
	}
	if len(made.Off) == 0 {
		return nil
	}
	var list []map[string]any
	for _, v := range config {
		if entry, ok := v.(map[string]any); ok {
			list = append(list, entry)
		}
	}
	made.Launch = append(made.Launch, "-c", "skills.config="+inline(list))
	return config
}

// inline writes tables as one line of TOML.
func inline(list []map[string]any) string {
	text := "["
	for i, entry := range list {
		if i > 0 {
			text += ","
		}
		text += "{"
		for j, key := range slices.Sorted(maps.Keys(entry)) {
			if j > 0 {
				text += ","
			}
			text += encode(key) + "=" + encode(entry[key])
		}
		text += "}"
	}
	return text + "]"
}

// beside are the servers of plugins: a table of their name has no transport, and
// Codex does not start with one.
func (s *settings) beside() []string {
	var names []string
	for _, srv := range s.pluginServers(s.plugins(), s.servers(nil)) {
		if !srv.Disabled {
			names = append(names, srv.Name)
		}
	}
	return names
}

func named(servers []surface.Server, name string) bool {
	return slices.ContainsFunc(servers, func(srv surface.Server) bool { return srv.Name == name })
}
