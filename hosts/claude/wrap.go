package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// PlanWrap wires a workspace through two files' worth of changes: a plugin at
// user level that is off by default, the same for every workspace, and the
// workspace's own settings.local.json, which switches it on and the fronted
// servers off. There are two such plugins, one with hooks alone and one with
// the gateway too, so that workspaces of both kinds get along.
func (a *adapter) PlanWrap(_ context.Context, req plugins.WrapRequest) (plugins.WrapPlan, error) {
	r := newReader(a, plugins.SourcesRequest{Machine: req.Machine, Workspace: req.Workspace})
	r.readServers()
	if len(r.broken) > 0 {
		// Wiring on top of files that cannot be read would guess at what they say.
		return plugins.WrapPlan{}, errors.Join(r.broken...)
	}
	name := hooksName
	if req.Gateway {
		name = pluginName
		if err := r.admitsGateway(req.GatewayBin); err != nil {
			return plugins.WrapPlan{}, err
		}
	}
	files, err := r.pluginEdits(name, req)
	if err != nil {
		return plugins.WrapPlan{}, err
	}
	return plugins.WrapPlan{
		Edits: append(files, settingsEdit(name, req)),
		Notes: r.wrapNotes(req),
	}, nil
}

// settingsEdit changes the workspace's settings.local.json.
func settingsEdit(plugin string, req plugins.WrapRequest) wiring.Edit {
	e := wiring.Edit{
		Path: localSettings(paths.Real(req.Workspace)), Format: wiring.JSON,
		Why:     "switches the ctx plugin on in this workspace",
		Exclude: true,
		Tracked: "settings.local.json is meant to be yours alone: git rm --cached .claude/settings.local.json",
		Ops: []wiring.Op{{
			Kind: wiring.Set, Path: []string{"enabledPlugins", plugin + "@skills-dir"}, Value: mustJSON(true),
		}},
	}
	if !req.Gateway {
		return e
	}
	for _, server := range req.Front {
		e.Ops = append(e.Ops, wiring.Op{
			Kind: wiring.Append, Path: []string{"deniedMcpServers"},
			Value: mustJSON(map[string]string{"serverName": server}),
		})
	}
	if len(req.Front) > 0 {
		e.Why += ", and the servers that the gateway fronts off"
	}
	return e
}

// admitsGateway refuses to wire a gateway that the user's own allow list would
// keep out: the servers would be gone and nothing would stand in for them.
func (r *reader) admitsGateway(bin string) error {
	s := surface.Server{
		Name: pluginServer(pluginName, serverName), Scope: surface.ScopePlugin,
		Transport: surface.Stdio, Command: bin, Args: gatewayArgs(),
	}
	n, blocked := r.switchedOff(&s)
	if !blocked {
		return nil
	}
	place := n.place()
	list := "deniedMcpServers names ctx-gateway"
	if _, allowed := r.notAllowed(&s); allowed {
		entry := mustJSON(map[string][]string{"serverCommand": append([]string{bin}, s.Args...)})
		list = fmt.Sprintf("allowedMcpServers does not let ctx-gateway load; add %s to it", entry)
	}
	return fmt.Errorf("claude: %s:%d: %s", place.File, place.Line, list)
}

// wrapNotes tells what the user should know before the edits are made.
func (r *reader) wrapNotes(req plugins.WrapRequest) []string {
	notes := slices.Clone(r.loose)
	if req.Scope == surface.ScopeUser {
		notes = append(notes, "Claude Code is wired workspace by workspace; the plugin itself is installed once, for the user")
	}
	if dir := paths.Lookup(req.Machine.Env, "CLAUDE_CONFIG_DIR"); dir != "" {
		notes = append(notes, "this wires sessions with CLAUDE_CONFIG_DIR="+dir)
	}
	if r.root != r.launch || !exists(filepath.Join(r.root, ".git")) {
		notes = append(notes, "sessions started in a subfolder are not wired: Claude Code reads settings.local.json "+
			"at the top of a git repository and where it is started")
	}
	for _, key := range []string{"disableAllHooks", "allowManagedHooksOnly"} {
		if n := r.setting(key); n.isTrue() {
			place := n.place()
			notes = append(notes, fmt.Sprintf("%s:%d: %s keeps the hooks of ctx from running", place.File, place.Line, key))
		}
	}
	if !req.Gateway {
		return notes
	}
	r.hookMentions()
	for _, m := range r.mentions {
		if !m.bare && !m.meansAny(req.Front) {
			notes = append(notes, fmt.Sprintf("%s:%d: the hook on %q sees calls through the gateway as %scall_tool",
				r.short(m.place.File), m.place.Line, m.text, ourPrefix))
		}
	}
	return notes
}

func (m mention) meansAny(servers []string) bool {
	for _, s := range servers {
		if m.means(s) {
			return true
		}
	}
	return false
}
