package main

import (
	"context"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// unproven is what no test here could show, since no Antigravity runs without an
// account.
var unproven = []string{
	"Antigravity was not run against this adapter: its files and events are read as documented",
	"how much of a tool, a skill or an instruction file a request carries; tools are priced by their names",
	"whether the workspace's .agents/mcp_config.json is read, and whether the IDE treats hooks as agy does",
	"whether a prompt is in the transcript before the model is called; where it is not, nothing is activated by it",
	"servers and hooks of Antigravity plugins",
}

// Sources implements [plugins.Adapter].
func (adapter) Sources(_ context.Context, req plugins.SourcesRequest) (surface.Sources, error) {
	r := &reader{}
	src := surface.Sources{
		Host:     hostName,
		Loading:  surface.Deferred,
		ToolName: toolPattern,
		Servers:  r.servers(req.Machine.Home, req.Workspace, req.Fronted),
		Items:    r.items(req.Machine.Home, req.Workspace),
		Rules:    r.rules(req.Machine.Home),
		Unseen:   unproven,
	}
	if req.Detail {
		src.Items = r.detail(src.Items, req.Machine.Home, req.Workspace)
	}
	r.markNamed(req.Machine.Home, req.Workspace, src.Servers)
	src.Files, src.Warnings = r.files, r.warnings
	return src, nil
}
