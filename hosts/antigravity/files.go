package main

import (
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// configDir is the folder that all of Antigravity shares.
func configDir(home string) string { return filepath.Join(home, ".gemini", "config") }

func hooksFile(home string) string { return filepath.Join(configDir(home), "hooks.json") }

func serversFile(home string) string { return filepath.Join(configDir(home), "mcp_config.json") }

// serverFile is a file of MCP servers.
type serverFile struct {
	path  string
	scope surface.Scope
}

// serverFiles are the files that may declare servers, the strongest first. The
// older ones count until Antigravity has moved them, which .migrated says.
func serverFiles(home, workspace string) []serverFile {
	files := []serverFile{{serversFile(home), surface.ScopeUser}}
	if !exists(filepath.Join(configDir(home), ".migrated")) {
		for _, dir := range []string{"antigravity", "antigravity-cli"} {
			files = append(files, serverFile{filepath.Join(home, ".gemini", dir, "mcp_config.json"), surface.ScopeUser})
		}
	}
	return append(files, serverFile{filepath.Join(workspace, ".agents", "mcp_config.json"), surface.ScopeProject})
}
