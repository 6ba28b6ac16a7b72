package main

import (
	"context"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Sources implements [plugins.Adapter].
func (a adapter) Sources(_ context.Context, req plugins.SourcesRequest) (surface.Sources, error) {
	dir := req.Dir
	if dir == "" {
		dir = req.Workspace
	}
	s := a.settings(req.Machine, dir)
	src := surface.Sources{
		Host:     hostName,
		ToolName: toolPattern,
		Form:     form,
		Servers:  s.servers(req.Fronted),
	}
	src.Loading = s.loading()
	installed := s.plugins()
	src.Servers = append(src.Servers, s.pluginServers(installed, src.Servers)...)
	agents := s.agents(src.Loading)
	skills := append(s.skills(req.Machine.Home), s.pluginSkills(installed)...)
	s.markNamed(src.Servers, agents, skills)
	docs, frame := s.instructions(paths.Real(dir))
	if frame != "" {
		src.Frames = append(src.Frames, surface.Frame{Kind: surface.KindInstructions, Text: frame})
	}
	src.Items = append(docs, list(skills)...)
	for _, a := range agents {
		src.Items = append(src.Items, a.item)
	}
	if req.Detail {
		src.Items = append(src.Items, s.detail(installed)...)
	} else {
		for i := range src.Items {
			src.Items[i].Text, src.Items[i].Body = "", ""
		}
	}
	src.Files = s.files
	src.Warnings = s.warnings
	src.Unseen = s.unseen(a.system)
	return src, nil
}

// unseen says what cannot be told from files, and what could be but is not.
func (s *settings) unseen(system string) []string {
	list := []string{
		"settings on Codex's command line (-c, --profile, -m), connectors of the account, and policies that a device management sets",
	}
	if profiles, _ := filepath.Glob(filepath.Join(s.home, "*.config.toml")); len(profiles) > 0 {
		list = append(list, "servers of a profile file such as "+profiles[0]+", which codex --profile adds")
	}
	if file := filepath.Join(system, "requirements.toml"); exists(file) {
		list = append(list, "what "+file+" forbids")
	}
	return list
}
