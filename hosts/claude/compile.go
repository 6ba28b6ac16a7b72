package main

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

const (
	mcpFile      = "mcp.claude.json"
	settingsFile = "settings.claude.json"
)

// Compile makes a file of servers, which the launch line has Claude Code load
// instead of all others, and one of settings that deny the tools left out.
func (a *adapter) Compile(_ context.Context, req plugins.CompileRequest) (plugins.Compiled, error) {
	file := serverFile{make(map[string]serverEntry)}
	if req.Gateway {
		file = servers(req.GatewayBin)
		own := file.Servers[serverName]
		own.Args = append(own.Args, "--workspace", req.Workspace)
		file.Servers[serverName] = own
	} else {
		for _, s := range req.Servers {
			file.Servers[s.Name] = entryOf(s)
		}
	}
	deny := []string{}
	for server, tools := range req.DenyTools {
		for _, tool := range tools {
			deny = append(deny, "mcp__"+plain(server)+"__"+plain(tool))
		}
	}
	slices.Sort(deny)
	settings := map[string]any{"permissions": map[string]any{"deny": deny}}

	return plugins.Compiled{
		Files: []plugins.CompiledFile{
			{Name: mcpFile, Content: fileText(file)},
			{Name: settingsFile, Content: fileText(settings)},
		},
		Launch: []string{
			"claude", "--strict-mcp-config",
			"--mcp-config", filepath.Join(req.Dir, mcpFile),
			"--settings", filepath.Join(req.Dir, settingsFile),
		},
	}, nil
}

// entryOf is a server as Claude Code's user would write it; values stay
// unexpanded.
func entryOf(s surface.Server) serverEntry {
	e := serverEntry{
		Command: s.Command, Args: s.Args, Env: s.Env,
		URL: s.URL, Headers: s.Headers, Helper: s.HeadersCmd,
		Timeout: s.CallTimeout.Milliseconds(), Always: s.Eager,
	}
	if s.Transport != surface.Stdio {
		e.Type = string(s.Transport)
	}
	return e
}
