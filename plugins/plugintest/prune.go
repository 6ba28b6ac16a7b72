package plugintest

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// prune has an adapter that is a Pruner switch off all that there is: what it
// says is off must be off to itself, and come back as it was.
func (k *kit) prune() {
	pruner, ok := k.adapter.(plugins.Pruner)
	if !ok {
		return
	}
	for _, w := range k.worlds() {
		before, err := w.tree()
		if err != nil {
			k.t.Fatal(err)
		}
		s, ok := k.read(w)
		if !ok {
			continue
		}
		req := plugins.PruneRequest{Machine: w.machine, Workspace: w.workspace, Items: prunable(s)}
		plan, ok := k.planPrune(pruner, w, req)
		if !ok {
			continue
		}
		k.compare(w, "PlanPrune", before)
		store := wiring.Open(filepath.Join(k.t.TempDir(), "wraps"))
		owner := wiring.Owner{Workspace: w.workspace, Host: k.description().Name, For: wiring.Prune}
		if !k.apply(w, "the plan of prune", func() (*wiring.Change, error) { return store.Plan(owner, plan.Edits) }) {
			continue
		}
		k.pruned(w, req, plan)
		if k.apply(w, "undoing prune", func() (*wiring.Change, error) { return store.Unplan(owner) }) {
			k.compare(w, "prune and undo", before)
		}
	}
}

// prunable names all that a host loads and that is of a kind that can be pruned.
func prunable(s surface.Sources) []plugins.PruneItem {
	var items []plugins.PruneItem
	for _, srv := range s.Servers {
		if !srv.Own && !srv.Disabled {
			items = append(items, plugins.PruneItem{Kind: surface.KindServer, Provider: string(srv.Scope), Name: srv.Name, File: srv.Place.File})
		}
	}
	for _, it := range s.Items {
		items = append(items, plugins.PruneItem{Kind: it.Kind, Provider: it.Provider, Name: it.Name, File: it.Place.File})
	}
	return items
}

func (k *kit) planPrune(pruner plugins.Pruner, w world, req plugins.PruneRequest) (plan plugins.PrunePlan, ok bool) {
	k.survives(w.name+": PlanPrune", func() {
		var err error
		if plan, err = pruner.PlanPrune(k.ctx, req); err != nil {
			if !errors.Is(err, plugins.ErrNoPrune) {
				k.fail("%s: PlanPrune: %v", w.name, err)
			}
			return
		}
		again, err := pruner.PlanPrune(k.ctx, req)
		if err != nil || !reflect.DeepEqual(plan, again) {
			k.fail("%s: PlanPrune: a second call plans otherwise:\n%+v\n%+v, %v", w.name, plan, again, err)
		}
		for _, e := range plan.Edits {
			if !strings.HasPrefix(e.Path, w.root+string(filepath.Separator)) {
				k.fail("%s: PlanPrune: %q is neither in the home nor in the workspace", w.name, e.Path)
			}
			if e.Why == "" {
				k.fail("%s: PlanPrune: nothing says why %s is edited", w.name, e.Path)
			}
		}
		for _, s := range plan.Stays {
			if s.Item < 0 || s.Item >= len(req.Items) || s.Why == "" {
				k.fail("%s: PlanPrune: %+v is about none of %d items, or does not say why", w.name, s, len(req.Items))
				return
			}
		}
		ok = true
	})
	return plan, ok
}

// pruned compares what the host loads now with what the plan said.
func (k *kit) pruned(w world, req plugins.PruneRequest, plan plugins.PrunePlan) {
	s, ok := k.read(w)
	if !ok {
		return
	}
	stays := make(map[plugins.PruneItem]bool)
	for _, x := range plan.Stays {
		stays[req.Items[x.Item]] = true
	}
	for _, it := range prunable(s) {
		if it.Kind == surface.KindServer && !stays[it] {
			k.fail("%s: the server %q is switched off, and is read as loaded", w.name, it.Name)
		}
	}
	for _, it := range s.Items {
		named := plugins.PruneItem{Kind: it.Kind, Provider: it.Provider, Name: it.Name, File: it.Place.File}
		if it.Resident > 0 && !stays[named] {
			k.fail("%s: %s %q is switched off, and is read as %d bytes in every request", w.name, it.Kind, it.Name, it.Resident)
		}
	}
}
