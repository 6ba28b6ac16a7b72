package main

import (
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// layer is one settings file (or the settings given on the command line) that
// counts in this session.
type layer struct {
	node
	scope surface.Scope
	path  string
}

// readSettings reads all layers, the strongest first. Claude Code takes
// .claude/settings.json from the folder it was started in alone, and
// settings.local.json from the project's root as well as from that folder.
func (r *reader) readSettings() {
	add := func(scope surface.Scope, path string) {
		if n := r.json(path); n.ok() {
			r.layer = append(r.layer, layer{n, scope, path})
		}
	}
	add(surface.ScopeManaged, filepath.Join(r.managed, "managed-settings.json"))
	for _, e := range r.list(filepath.Join(r.managed, "managed-settings.d")) {
		if name := e.Name(); strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".") {
			add(surface.ScopeManaged, filepath.Join(r.managed, "managed-settings.d", name))
		}
	}
	if n, path, ok := r.settingsFlag(); ok {
		r.layer = append(r.layer, layer{n, surface.ScopeLocal, path})
	}
	if r.launch != r.root {
		add(surface.ScopeLocal, localSettings(r.launch))
	}
	add(surface.ScopeLocal, r.localSettings())
	add(surface.ScopeProject, filepath.Join(r.launch, ".claude", "settings.json"))
	add(surface.ScopeUser, filepath.Join(r.config, "settings.json"))
}

// setting is a value of the strongest layer that has it.
func (r *reader) setting(keys ...string) node {
	for _, l := range r.layer {
		if n := l.get(keys...); n.ok() {
			return n
		}
	}
	return node{}
}

// project is what ~/.claude.json keeps for the project.
func (r *reader) project() node { return r.json(r.global).get("projects", r.root) }

// lookup is the value of a variable as the session sees it: what settings put
// into the environment beats what it was started with.
func (r *reader) lookup(key string) string {
	if n := r.setting("env", key); n.isText() {
		return n.text()
	}
	return paths.Lookup(r.env, key)
}
