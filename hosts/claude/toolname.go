package main

import (
	"strings"

	"github.com/ctx-sidecar/ctx/core/event"
)

// The names of our plugin, of the server in it, and what Claude Code makes of
// the two.
const (
	pluginName = "ctx"
	hooksName  = "ctx-hooks"
	serverName = "ctx"
	ourPrefix  = "mcp__plugin_ctx_ctx__"

	gatewayName = "ctx-gateway" // the program
)

// plain writes a name as Claude Code does in the names of tools: every
// character but A-Z a-z 0-9 _ - becomes "_".
func plain(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
			return c
		}
		return '_'
	}, name)
}

// pluginServer is Claude Code's own name for a server that comes with a plugin.
func pluginServer(plugin, server string) string { return "plugin:" + plugin + ":" + server }

// toolUse reads the tool of an event. Newer clients say which server a tool
// belongs to. For older ones the name is split at the first "__" behind
// "mcp__", as Claude Code itself does for its permission rules; a server whose
// own name contains "__" is then cut short, and Name alone is right. Tool is
// the name as Claude Code writes it, with "_" for what it does not allow.
func toolUse(in input) *event.ToolUse {
	use := &event.ToolUse{ID: in.ToolID, Name: in.ToolName, Input: in.ToolInput}
	rest, ok := strings.CutPrefix(in.ToolName, "mcp__")
	if !ok {
		return use
	}
	if tool, ok := strings.CutPrefix(in.ToolName, ourPrefix); ok {
		use.Server, use.Tool, use.Ours = pluginServer(pluginName, serverName), tool, true
		return use
	}
	if tool, ok := strings.CutPrefix(rest, plain(in.Server.Name)+"__"); ok && in.Server.Name != "" {
		use.Server, use.Tool = in.Server.Name, tool
		return use
	}
	use.Server, use.Tool, _ = strings.Cut(rest, "__")
	return use
}
