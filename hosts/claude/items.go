package main

import (
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// readItems lists what the session places before its model besides MCP tools,
// at the size at which Claude Code really sends it.
func (r *reader) readItems() {
	r.readSkills()
	r.readAgents()
	r.readMemory()
	r.readStyle()
	if r.detail {
		r.readHooks()
		r.readPluginItems()
	}
}

// addItem adds an item whose text is sent with every request.
func (r *reader) addItem(it surface.Item, path, text string) {
	if it.Place.File == "" {
		it.Place.File = path
	}
	it.Resident = len(text)
	if r.detail {
		it.Text = text
	}
	r.out.Items = append(r.out.Items, it)
}

// shelf is a .claude folder, or one of a plugin, with skills, commands and agents.
type shelf struct {
	dir      string
	provider string
	prefix   string // of the names: "plugin:"
}

// shelves lists the folders that count in the session: those from where it was
// started upwards, the user's, and the live plugins'.
func (r *reader) shelves() []shelf {
	var all []shelf
	for _, dir := range r.projectDirs() {
		if d := filepath.Join(dir, ".claude"); d != r.config {
			all = append(all, shelf{d, string(surface.ScopeProject), ""})
		}
	}
	all = append(all, shelf{r.config, string(surface.ScopeUser), ""})
	for _, p := range r.plugins() {
		if !p.ours {
			all = append(all, shelf{p.dir, string(surface.ScopePlugin) + ":" + p.name, p.name + ":"})
		}
	}
	return all
}

// projectDirs are launch and the folders above it, up to the top of its work
// tree; without git up to the home folder.
func (r *reader) projectDirs() []string {
	top, git := workTree(r.launch)
	var dirs []string
	for _, dir := range ancestors(r.launch) {
		if !git && dir == r.home {
			break
		}
		dirs = append(dirs, dir)
		if git && dir == top {
			break
		}
	}
	return dirs
}
