package main

import (
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// speaks are the events of which a hook's output reaches the model.
var speaks = map[string]bool{
	"SessionStart": true, "UserPromptSubmit": true, "UserPromptExpansion": true, "PreToolUse": true, "PostToolUse": true,
	"PostToolUseFailure": true, "PostToolBatch": true, "SubagentStart": true, "Stop": true, "SubagentStop": true, "PostModelSwitch": true,
}

// readHooks lists the hooks that count: nothing of them is sent but what they
// say when they run.
func (r *reader) readHooks() {
	for _, l := range r.layer {
		r.hooksIn(l.get("hooks"), string(l.scope))
	}
	for _, p := range r.plugins() {
		if p.ours {
			continue
		}
		provider := string(surface.ScopePlugin) + ":" + p.name
		r.hooksIn(r.json(filepath.Join(p.dir, "hooks", "hooks.json")).get("hooks"), provider)
		switch h := p.manifest.get("hooks"); {
		case h.isText():
			r.hooksIn(r.json(filepath.Join(p.dir, filepath.FromSlash(h.text()))).get("hooks"), provider)
		case h.get("hooks").ok():
			r.hooksIn(h.get("hooks"), provider)
		default:
			r.hooksIn(h, provider)
		}
	}
}

func (r *reader) hooksIn(events node, provider string) {
	for event, groups := range events.members() {
		for group := range groups.elements() {
			name := event
			if m := group.get("matcher").text(); m != "" && m != "*" {
				name += "(" + m + ")"
			}
			for handler := range group.get("hooks").elements() {
				it := surface.Item{Kind: surface.KindHook, Provider: provider, Name: name, Place: handler.place()}
				if speaks[event] {
					it.Unmeasured = "what a hook says is known when it runs"
				}
				r.addItem(it, "", "")
			}
		}
	}
}

// readPluginItems lists the plugins that are live. What they bring is listed by
// its own kind.
func (r *reader) readPluginItems() {
	for _, p := range r.plugins() {
		if p.ours {
			continue
		}
		r.addItem(surface.Item{Kind: surface.KindPlugin, Provider: string(surface.ScopeUser), Name: p.name},
			filepath.Join(p.dir, ".claude-plugin", "plugin.json"), "")
	}
}
