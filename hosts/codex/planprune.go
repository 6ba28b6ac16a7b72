package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ctx-sidecar/ctx/core/git"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

var _ plugins.Pruner = adapter{}

// PlanPrune switches servers and tools off in the tables that define them, and
// skills in the user's own file. All of these switches were tried on the
// program.
func (a adapter) PlanPrune(_ context.Context, req plugins.PruneRequest) (plugins.PrunePlan, error) {
	s := a.settings(req.Machine, req.Workspace)
	p := pruning{settings: s, declared: s.servers(nil), edits: map[string]*wiring.Edit{}}
	var plan plugins.PrunePlan
	for i, it := range req.Items {
		if why := p.add(it); why != "" {
			plan.Stays = append(plan.Stays, plugins.Stay{Item: i, Why: why})
		}
	}
	for _, file := range p.order {
		plan.Edits = append(plan.Edits, *p.edits[file])
	}
	if _, ok := p.edits[s.user]; ok {
		plan.Notes = append(plan.Notes, "Codex is told in "+s.home+": this reaches every workspace of yours.")
	}
	return plan, nil
}

// pruning gathers the edits of a plan, one for each file.
type pruning struct {
	*settings
	declared []surface.Server
	edits    map[string]*wiring.Edit
	order    []string
}

// add adds what switches a thing off, or says why there is nothing that does.
func (p *pruning) add(it plugins.PruneItem) string {
	switch it.Kind {
	case surface.KindServer:
		return p.server(it.Name, "enabled", func(l *layer, srv surface.Server) []wiring.Op {
			return p.offOps(l, []surface.Server{srv})
		})
	case surface.KindTool:
		return p.server(it.Provider, "disabled_tools", func(l *layer, srv surface.Server) []wiring.Op {
			if p.decides(srv, "disabled_tools") != l {
				return nil
			}
			return []wiring.Op{{
				Kind:     wiring.Append,
				Path:     []string{"mcp_servers", srv.Name, "disabled_tools"},
				Value:    json.RawMessage(encode(it.Name)),
				Existing: true,
			}}
		})
	case surface.KindSkill:
		if strings.HasPrefix(it.Provider, string(surface.ScopePlugin)+":") {
			return "it comes with a plugin, which Codex switches off as a whole"
		}
		return p.edit(p.user, wiring.Op{
			Kind: wiring.Append, Path: []string{"skills", "config"},
			Value: object([]setting{{"path", paths.Real(it.File)}, {"enabled", false}}),
		})
	}
	return "no setting of Codex's switches it off"
}

// server adds ops for a server in each layer that has a word in it.
func (p *pruning) server(name, key string, ops func(*layer, surface.Server) []wiring.Op) string {
	for _, srv := range p.declared {
		if srv.Name != name {
			continue
		}
		if srv.Scope == surface.ScopeManaged {
			return byAdministrator
		}
		for _, l := range p.layers {
			for _, op := range ops(l, srv) {
				if why := p.edit(l.file, op); why != "" {
					return why
				}
			}
		}
		return ""
	}
	return fmt.Sprintf("%s declares no server %q, so that there is no table to put %s into", p.user, name, key)
}

// decides is the layer whose word on a key of a server counts: the highest that
// has the key, else the one that defines the server.
func (p *pruning) decides(srv surface.Server, key string) *layer {
	var found *layer
	for _, l := range p.layers {
		table, _ := l.values["mcp_servers"].(map[string]any)
		entry, _ := table[srv.Name].(map[string]any)
		if _, says := entry[key]; says || found == nil && l.file == srv.Place.File {
			found = l
		}
	}
	return found
}

func (p *pruning) edit(file string, op wiring.Op) string {
	if file != p.user {
		if tracked, err := git.Tracks(file); tracked || err != nil {
			return "declared in a file that git tracks: switching it off there would reach everyone who works in the repository"
		}
	}
	e := p.edits[file]
	if e == nil {
		e = &wiring.Edit{
			Path: file, Format: wiring.TOML, Mode: 0o600, Tracked: trackedHint,
			Why: "switches off what was pruned",
		}
		p.edits[file] = e
		p.order = append(p.order, file)
	}
	e.Ops = append(e.Ops, op)
	return ""
}
