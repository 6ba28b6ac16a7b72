package plugintest

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Where the programs would be; nothing runs them.
const (
	hookBin    = "/opt/ctx/bin/ctx-hook"
	gatewayBin = "/opt/ctx/bin/ctx-gateway"
)

func (k *kit) wrap() {
	for _, gateway := range []bool{false, true} {
		for _, scope := range []surface.Scope{surface.ScopeProject, surface.ScopeUser} {
			for _, w := range k.worlds() {
				k.wrapOnce(w, scope, gateway)
			}
		}
	}
}

// wrapOnce wraps one machine for real, looks at what came of it, and takes it
// back.
func (k *kit) wrapOnce(w world, scope surface.Scope, gateway bool) {
	before, err := w.tree()
	if err != nil {
		k.t.Fatal(err)
	}
	s, ok := k.read(w)
	if !ok {
		return
	}
	req := plugins.WrapRequest{
		Machine: w.machine, Workspace: w.workspace, Scope: scope,
		Gateway: gateway, Hook: hookBin, GatewayBin: gatewayBin,
	}
	if gateway {
		req.Front = frontable(s)
	}
	plan, ok := k.plan(w, req)
	if !ok {
		return
	}
	k.compare(w, "PlanWrap", before)
	k.saneEdits(w, req, plan)

	store := wiring.Open(filepath.Join(k.t.TempDir(), "wraps"))
	owner := wiring.Owner{Workspace: w.workspace, Host: k.description().Name}
	if !k.apply(w, "the plan of wrap", func() (*wiring.Change, error) { return store.Plan(owner, plan.Edits) }) {
		return
	}
	if again, ok := k.plan(w, req); ok {
		if change, err := store.Plan(owner, again.Edits); err != nil {
			k.fail("%s: wrap for a second time: %v", w.name, err)
		} else if !change.Empty() {
			k.fail("%s: wrap for a second time changes something:\n%s", w.name, change.Diff())
		}
	}
	k.wrapped(w, req, s)
	if k.apply(w, "unwrap", func() (*wiring.Change, error) { return store.Unplan(owner) }) {
		k.compare(w, "wrap and unwrap", before)
	}
}

// frontable are the servers that a gateway can stand before.
func frontable(s surface.Sources) []string {
	var names []string
	for _, srv := range s.Servers {
		if !srv.Own && !srv.Disabled && srv.Direct == "" {
			names = append(names, srv.Name)
		}
	}
	return names
}

func (k *kit) plan(w world, req plugins.WrapRequest) (plan plugins.WrapPlan, ok bool) {
	k.survives(w.name+": PlanWrap", func() {
		var err error
		if plan, err = k.adapter.PlanWrap(k.ctx, req); err != nil {
			k.fail("%s: PlanWrap: %v", w.name, err)
			return
		}
		again, err := k.adapter.PlanWrap(k.ctx, req)
		if err != nil || !reflect.DeepEqual(plan, again) {
			k.fail("%s: PlanWrap: a second call plans otherwise:\n%+v\n%+v, %v", w.name, plan, again, err)
		}
		ok = true
	})
	return plan, ok
}

func (k *kit) saneEdits(w world, req plugins.WrapRequest, plan plugins.WrapPlan) {
	if len(plan.Edits) == 0 {
		k.fail("%s: PlanWrap: no edits, so ctx would not run", w.name)
	}
	var all bytes.Buffer
	for _, e := range plan.Edits {
		if !filepath.IsAbs(e.Path) || !strings.HasPrefix(e.Path, w.root+string(filepath.Separator)) {
			k.fail("%s: PlanWrap: %q is neither in the home nor in the workspace", w.name, e.Path)
		}
		if e.Why == "" {
			k.fail("%s: PlanWrap: the edit of %s does not say why", w.name, e.Path)
		}
		all.Write(e.Content)
		for _, op := range e.Ops {
			if !json.Valid(op.Value) {
				k.fail("%s: PlanWrap: %s: the value %q is not JSON", w.name, e.Path, op.Value)
			}
			all.Write(op.Value)
		}
	}
	if !bytes.Contains(all.Bytes(), []byte(hookBin)) {
		k.fail("%s: PlanWrap: no edit runs %s", w.name, hookBin)
	}
	if has := bytes.Contains(all.Bytes(), []byte(gatewayBin)); has != req.Gateway {
		k.fail("%s: PlanWrap: with Gateway %v, an edit runs %s: %v", w.name, req.Gateway, gatewayBin, has)
	}
}

func (k *kit) apply(w world, what string, plan func() (*wiring.Change, error)) bool {
	change, err := plan()
	if err == nil {
		err = change.Apply()
	}
	if err != nil {
		k.fail("%s: %s: %v", w.name, what, err)
	}
	return err == nil
}

// wrapped looks at a machine after wrap: what was fronted is there and is not
// the user's to have disabled, and our own server is told from the others.
func (k *kit) wrapped(w world, req plugins.WrapRequest, before surface.Sources) {
	after, ok := k.read(w, req.Front...)
	if !ok {
		return
	}
	own := false
	servers := map[string]surface.Server{}
	for _, s := range after.Servers {
		servers[s.Name] = s
		own = own || s.Own
	}
	if own != req.Gateway {
		k.fail("%s: Sources after wrap: with Gateway %v, a server is Own: %v", w.name, req.Gateway, own)
	}
	for _, s := range before.Servers {
		switch now, ok := servers[s.Name]; {
		case !ok:
			k.fail("%s: Sources after wrap: the server %s is gone", w.name, s.Name)
		case now.Disabled != s.Disabled:
			k.fail("%s: Sources after wrap: the server %s has Disabled %v, and had %v", w.name, s.Name, now.Disabled, s.Disabled)
		case now.Fingerprint() != s.Fingerprint():
			k.fail("%s: Sources after wrap: the server %s is declared otherwise, so its approval would not hold", w.name, s.Name)
		}
	}
}
