package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/plugins"
)

const (
	// compiledName is the file of a compiled profile.
	compiledName = "mcp_config.antigravity.json"
	// compiledHome is the home that a compiled launch has: Antigravity takes its
	// servers from there alone, and no option names another file.
	compiledHome = "antigravity-home"
)

// Compile implements [plugins.Adapter]. The launch has a home of its own, in
// which the user signs in once.
func (a adapter) Compile(_ context.Context, req plugins.CompileRequest) (plugins.Compiled, error) {
	servers := map[string]serverEntry{}
	if req.Gateway {
		servers[ownServer] = serverEntry{
			Command: req.GatewayBin,
			Args:    []string{"--host", hostName, "--workspace", req.Workspace},
			Env:     map[string]string{"HOME": req.Machine.Home},
		}
	} else {
		for _, srv := range req.Servers {
			denied := append(slices.Clone(srv.DisabledTools), req.DenyTools[srv.Name]...)
			slices.Sort(denied)
			servers[srv.Name] = serverEntry{
				Command: srv.Command, Args: srv.Args, Env: srv.Env, Cwd: srv.Cwd,
				ServerURL: srv.URL, Headers: srv.Headers, DisabledTools: slices.Compact(denied),
			}
		}
	}
	text, err := json.MarshalIndent(map[string]any{"mcpServers": servers}, "", "  ")
	if err != nil {
		return plugins.Compiled{}, fmt.Errorf("compile for antigravity: %w", err)
	}
	text = append(text, '\n')
	home := filepath.Join(req.Dir, compiledHome)
	inHome, err := filepath.Rel(req.Dir, serversFile(home))
	if err != nil {
		return plugins.Compiled{}, fmt.Errorf("compile for antigravity: %w", err)
	}
	return plugins.Compiled{
		Files: []plugins.CompiledFile{
			{Name: compiledName, Content: text},
			{Name: inHome, Content: text},
		},
		Launch: []string{"env", "HOME=" + home, "agy"},
	}, nil
}
