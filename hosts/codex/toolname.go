package main

import (
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/plugins"
)

// toolUse reads a tool event. Codex names a tool mcp__SERVER__TOOL with every
// character but letters, digits and "_" turned into "_", so the server's own
// name is looked up in the configuration; of two that fit, the longer is meant.
func (a adapter) toolUse(in hookInput, m plugins.Machine, dir string) *event.ToolUse {
	use := &event.ToolUse{ID: in.ToolUseID, Name: in.ToolName, Input: in.ToolInput}
	rest, ok := strings.CutPrefix(in.ToolName, "mcp__")
	if !ok {
		return use
	}
	use.Server, use.Tool, _ = strings.Cut(rest, "__")
	use.Ours = use.Server == ownServer

	servers := a.settings(m, dir).root.at("mcp_servers")
	longest := 0
	for _, name := range servers.names() {
		prefix := sanitize(name) + "__"
		if tool, ok := strings.CutPrefix(rest, prefix); ok && tool != "" && len(prefix) > longest {
			longest = len(prefix)
			use.Server, use.Tool, use.Ours = name, tool, own(name, servers.at(name))
		}
	}
	return use
}

// own tells our table from a user's server of the same name.
func own(name string, table *node) bool {
	command := table.at("command")
	if name != ownServer || command == nil {
		return false
	}
	program, _ := command.value.(string)
	return filepath.Base(program) == ownProgram
}

func sanitize(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, name)
}
