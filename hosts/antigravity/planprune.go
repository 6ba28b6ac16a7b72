package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ctx-sidecar/ctx/core/git"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

var _ plugins.Pruner = adapter{}

// PlanPrune switches servers and tools off in the objects that declare them.
func (a adapter) PlanPrune(_ context.Context, req plugins.PruneRequest) (plugins.PrunePlan, error) {
	home := req.Machine.Home
	servers := (&reader{}).servers(home, req.Workspace, nil)
	var plan plugins.PrunePlan
	for i, it := range req.Items {
		file, op, why := switchOff(servers, it)
		if why != "" {
			plan.Stays = append(plan.Stays, plugins.Stay{Item: i, Why: why})
			continue
		}
		e := slices.IndexFunc(plan.Edits, func(e wiring.Edit) bool { return e.Path == file })
		if e < 0 {
			e = len(plan.Edits)
			plan.Edits = append(plan.Edits, wiring.Edit{
				Path: file, Format: wiring.JSON, Mode: 0o600, Exclude: true, Tracked: trackedHint,
				Why: "switches off what was pruned",
			})
		}
		plan.Edits[e].Ops = append(plan.Edits[e].Ops, op)
	}
	if len(plan.Edits) > 0 {
		plan.Notes = []string{
			"Antigravity is told in " + configDir(home) + ": this reaches every workspace of yours.",
			"Antigravity's switches follow its documentation; they were not tried on the program.",
		}
	}
	return plan, nil
}

// switchOff is the op that switches a thing off and the file that it goes to, or
// why there is none.
func switchOff(servers []surface.Server, it plugins.PruneItem) (file string, op wiring.Op, why string) {
	name := it.Name
	switch it.Kind {
	case surface.KindServer:
		op = wiring.Op{Kind: wiring.Set, Path: []string{"mcpServers", name, "disabled"}, Value: json.RawMessage("true"), Existing: true}
	case surface.KindTool:
		name = it.Provider
		op = wiring.Op{Kind: wiring.Append, Path: []string{"mcpServers", name, "disabledTools"}, Value: encode(it.Name), Existing: true}
	default:
		return "", op, "no setting of Antigravity's switches it off"
	}
	at := slices.IndexFunc(servers, func(srv surface.Server) bool { return srv.Name == name })
	if at < 0 {
		return "", op, fmt.Sprintf("no file declares a server %q", name)
	}
	file = servers[at].Place.File
	if tracked, err := git.Tracks(file); servers[at].Scope == surface.ScopeProject && (tracked || err != nil) {
		return "", op, "declared in a file that git tracks: switching it off there would reach everyone who works in the repository"
	}
	return file, op, ""
}
