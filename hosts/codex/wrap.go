package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// trackedHint is what to do about a target that git tracks.
const trackedHint = "the wiring holds for this machine alone; take the file out of git (git rm --cached), or leave Codex out with --host"

// PlanWrap implements [plugins.Adapter]. Codex is wired at user level: project
// files count only in folders that the user trusts, and not in all that belong
// to a workspace.
func (a adapter) PlanWrap(_ context.Context, req plugins.WrapRequest) (plugins.WrapPlan, error) {
	s := a.settings(req.Machine, req.Workspace)
	plan := plugins.WrapPlan{
		Notes: []string{"Codex is wired in " + s.home + ": this reaches every workspace of yours."},
		Next:  []string{"Codex runs a new hook only once you trust it: start codex, enter /hooks and trust those of ctx-hook."},
	}
	if on := s.root.at("features", "hooks"); on != nil && on.value == false {
		plan.Notes = append(plan.Notes, fmt.Sprintf("hooks are switched off (%s:%d: features.hooks); ctx's do not run until they are on", on.place.File, on.place.Line))
	}
	if req.Gateway {
		ops, err := s.gatewayOps(req)
		if err != nil {
			return plugins.WrapPlan{}, err
		}
		plan.Edits = append(plan.Edits, ops...)
	}
	plan.Edits = s.addHooks(plan.Edits, req.Hook)
	if text, err := file.Read(hooksFile(s.home)); err == nil {
		if problem := hooksProblem(hooksFile(s.home), text); problem != "" {
			plan.Notes = append(plan.Notes, problem+", and will not run ctx's either")
		}
	}
	return plan, nil
}

// gatewayOps switch the fronted servers off, each in its own table, and add the
// gateway's.
func (s *settings) gatewayOps(req plugins.WrapRequest) ([]wiring.Edit, error) {
	if mine := s.root.at("mcp_servers", ownServer); mine != nil && !own(ownServer, mine) {
		return nil, fmt.Errorf("%s:%d: a server of yours is named %q, the name that ctx-gateway needs; rename it or take it out, then wrap again",
			mine.place.File, mine.place.Line, ownServer)
	}
	var fronted, mine []surface.Server
	for _, srv := range s.servers(req.Front) {
		switch {
		case srv.Own && srv.ApprovedAsDeclared(): // by an earlier wrap, here or elsewhere, and by no repository
			mine = append(mine, srv)
		case slices.Contains(req.Front, srv.Name):
			fronted = append(fronted, srv)
		}
	}
	for _, srv := range fronted {
		if at := s.overruled(&srv, s.root.at("mcp_servers", srv.Name)); at != nil {
			return nil, fmt.Errorf("%s:%d: %s is switched here and declared elsewhere, so that it cannot be put behind the gateway; take the line out, or leave the server direct",
				at.File, at.Line, srv.Name)
		}
	}
	for _, name := range req.Front {
		if !named(fronted, name) {
			return nil, fmt.Errorf("codex has no server %q in %s", name, s.user)
		}
	}

	edits := []wiring.Edit{{
		Path:    s.user,
		Format:  wiring.TOML,
		Mode:    0o600, // as Codex itself makes it
		Why:     "load ctx-gateway in place of the servers behind it",
		Tracked: trackedHint,
	}}
	for _, l := range s.layers {
		ops := s.offOps(l, fronted)
		switch {
		case len(ops) == 0:
		case l.file == s.user:
			edits[0].Ops = append(edits[0].Ops, ops...)
		default:
			edits = append(edits, wiring.Edit{
				Path:    l.file,
				Format:  wiring.TOML,
				Ops:     ops,
				Why:     "switch off the servers behind ctx-gateway that this project declares",
				Tracked: trackedHint,
			})
		}
	}
	edits[0].Ops = append(edits[0].Ops, wiring.Op{
		Kind:  wiring.Table,
		Path:  []string{"mcp_servers", ownServer},
		Value: object(gatewayTable(req.GatewayBin, append(mine, fronted...))),
	})
	return edits, nil
}

// offOps switch servers off in the layer that declares them, above which none
// speaks of it. The machine's own file is the lowest, and its administrator's.
func (s *settings) offOps(l *layer, fronted []surface.Server) []wiring.Op {
	var ops []wiring.Op
	if l.scope == surface.ScopeManaged {
		return nil
	}
	for _, srv := range fronted {
		if srv.Place.File == l.file {
			ops = append(ops, wiring.Op{
				Kind:     wiring.Set,
				Path:     []string{"mcp_servers", srv.Name, "enabled"},
				Value:    json.RawMessage("false"),
				Existing: true,
			})
		}
	}
	return ops
}
