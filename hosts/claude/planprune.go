package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

var _ plugins.Pruner = (*adapter)(nil)

// PlanPrune switches things off in the workspace's own settings.local.json. All
// of these switches were tried on the program: what is off is in no request,
// with tool search or without.
func (a *adapter) PlanPrune(_ context.Context, req plugins.PruneRequest) (plugins.PrunePlan, error) {
	r := newReader(a, plugins.SourcesRequest{Machine: req.Machine, Workspace: req.Workspace})
	r.readServers()
	if len(r.broken) > 0 {
		return plugins.PrunePlan{}, errors.Join(r.broken...)
	}
	var plan plugins.PrunePlan
	e := wiring.Edit{
		Path: r.wrapped, Format: wiring.JSON,
		Why:     "switches off what was pruned, in this workspace",
		Exclude: true,
		Tracked: "settings.local.json is meant to be yours alone: git rm --cached .claude/settings.local.json",
	}
	seen := map[string]bool{}
	for i, it := range req.Items {
		op, why := switchOff(it)
		if why != "" {
			plan.Stays = append(plan.Stays, plugins.Stay{Item: i, Why: why})
			continue
		}
		// Two names may be one to Claude Code.
		if same := strings.Join(op.Path, "\x00") + "\x00" + string(op.Value); !seen[same] {
			seen[same] = true
			e.Ops = append(e.Ops, op)
		}
	}
	if len(e.Ops) == 0 {
		return plan, nil
	}
	plan.Edits = []wiring.Edit{e}
	plan.Notes = slices.Clone(r.loose)
	if r.root != r.launch || !exists(filepath.Join(r.root, ".git")) {
		plan.Notes = append(plan.Notes, "sessions started in a subfolder load it all: Claude Code reads settings.local.json "+
			"at the top of a git repository and where it is started")
	}
	return plan, nil
}

// switchOff is the op that keeps a thing out of every request, or why there is
// none.
func switchOff(it plugins.PruneItem) (op wiring.Op, why string) {
	deny := func(rule string) wiring.Op {
		return wiring.Op{Kind: wiring.Append, Path: []string{"permissions", "deny"}, Value: mustJSON(rule)}
	}
	fromPlugin := strings.HasPrefix(it.Provider, string(surface.ScopePlugin)+":")
	switch it.Kind {
	case surface.KindServer:
		if it.Provider == string(surface.ScopeManaged) {
			return op, "the administrator of this machine loads it"
		}
		return wiring.Op{
			Kind: wiring.Append, Path: []string{"deniedMcpServers"}, Value: mustJSON(map[string]string{"serverName": it.Name}),
		}, ""
	case surface.KindTool:
		return deny("mcp__" + plain(it.Provider) + "__" + plain(it.Name)), ""
	case surface.KindAgent:
		if strings.ContainsAny(it.Name, "()*") {
			return op, "no permission rule can name it"
		}
		return deny("Agent(" + it.Name + ")"), ""
	case surface.KindSkill, surface.KindCommand:
		if fromPlugin {
			return op, "it comes with a plugin, which /plugin switches off as a whole"
		}
		return wiring.Op{
			Kind: wiring.Set, Path: []string{skillOverrides, overrideKey(it)}, Value: mustJSON(userOnly),
		}, ""
	}
	return op, "no setting of Claude Code's switches it off"
}

// How Claude Code keeps skills and commands from its model, by their names.
const (
	skillOverrides = "skillOverrides"
	userOnly       = "user-invocable-only"
)

// overrideKey is the name by which skillOverrides knows a skill, which is that
// of its folder, or a command.
func overrideKey(it plugins.PruneItem) string {
	if it.Kind == surface.KindSkill {
		return filepath.Base(filepath.Dir(it.File))
	}
	return it.Name
}

// overridden is what the settings say of a skill or command by the name that
// skillOverrides knows it by; "" for nothing. Those of plugins are out of reach.
func (r *reader) overridden(s shelf, name string) string {
	if s.prefix != "" {
		return ""
	}
	return r.setting(skillOverrides, name).text()
}

// agentDenied reports whether a permission rule keeps the model from an agent.
func (r *reader) agentDenied(name string) bool {
	for _, l := range r.layer {
		for rule := range l.get("permissions", "deny").elements() {
			switch strings.TrimSpace(rule.text()) {
			case "Agent(" + name + ")", "Task(" + name + ")":
				return true
			}
		}
	}
	return false
}
