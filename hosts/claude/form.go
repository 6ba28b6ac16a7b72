package main

import "github.com/ctx-sidecar/ctx/core/surface"

// form is how Claude Code 2.1.328 writes what MCP servers say of themselves,
// down to the last line break.
var form = surface.Form{
	Cut: "… [truncated]",
	Head: "# MCP Server Instructions\n\nThe following MCP servers have provided instructions " +
		"for how to use their tools and resources:\n",
	Words: "\n## {server}\n{words}\n",
}
