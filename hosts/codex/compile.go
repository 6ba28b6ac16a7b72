package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// compiledName is the file that shows what a compiled launch sets.
const compiledName = "config.codex.toml"

const compiledHead = `# What the launch line of this profile adds to Codex's configuration, with -c:
# Codex loads no configuration file by its path.
`

// Compile implements [plugins.Adapter]. A launch's settings are laid over the
// user's own, so a server that is not selected must be switched off by name.
func (a adapter) Compile(_ context.Context, req plugins.CompileRequest) (plugins.Compiled, error) {
	s := a.settings(req.Machine, req.Workspace)
	tables, err := s.selection(req)
	if err != nil {
		return plugins.Compiled{}, err
	}
	file, launch := compiledHead, []string{hostName}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		file += "\n[mcp_servers." + name + "]\n"
		for _, set := range tables[name] {
			file += set.key + " = " + encode(set.value) + "\n"
			launch = append(launch, "-c", "mcp_servers."+name+"."+set.key+"="+encode(set.value))
		}
	}
	return plugins.Compiled{
		Files:  []plugins.CompiledFile{{Name: compiledName, Content: []byte(file)}},
		Launch: launch,
	}, nil
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

func named(servers []surface.Server, name string) bool {
	return slices.ContainsFunc(servers, func(srv surface.Server) bool { return srv.Name == name })
}
