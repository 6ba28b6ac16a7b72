package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// host checks one host of the workspace.
func (d *doctor) host(ctx context.Context, name string, rec wiring.Record) {
	d.f.IO.Step("checking %s ...", name)
	i := slices.IndexFunc(rec.Hosts, func(h wiring.HostRecord) bool { return h.Host == name })
	if i < 0 {
		d.add(name, "record", Bad, "not wired in this workspace", "ctx wrap setup --host "+name)
		return
	}
	set, err := hosts.Open(ctx, d.f, []string{name})
	if err != nil {
		hint := "ctx plugins list"
		if e := (*cmdutil.Error)(nil); errors.As(err, &e) && e.Hint != "" {
			hint = e.Hint
		}
		d.add(name, "adapter", Bad, err.Error(), hint)
		return
	}
	defer set.Close()
	h := set.Hosts[0]
	d.add(name, "adapter", Good, "adapter "+h.Version()+" of "+h.Title(), "")

	src, err := h.Sources(ctx, d.workspace, d.store.Fronted(d.workspace, name))
	if err != nil {
		d.add(name, "configuration", Bad, err.Error(), "mend the file that is named")
		return
	}
	for _, w := range src.Warnings {
		d.add(name, "configuration", Warn, w, "mend the file; the rest was read")
	}
	wired := rec.Hosts[i]
	d.files(ctx, h, wired)
	d.hooks(ctx, h)
	d.start(ctx, h, d.servers(h, wired, src))
	if wired.Gateway {
		d.profile(name, wired)
		d.gateway(ctx, h)
	}
}

// files checks that the host's files hold what wrap put in: planning the same
// wrap again must come to nothing.
func (d *doctor) files(ctx context.Context, h *hosts.Host, wired wiring.HostRecord) {
	const name = "files"
	hook, err := d.f.Program("ctx-hook")
	if err != nil {
		d.add(h.Name(), name, Bad, err.Error(), "./install.sh")
		return
	}
	gateway, err := d.f.Program("ctx-gateway")
	if err != nil {
		d.add(h.Name(), name, Bad, err.Error(), "./install.sh")
		return
	}
	front := []string{}
	for _, s := range wired.Fronted {
		front = append(front, s.Name)
	}
	plan, err := h.PlanWrap(ctx, plugins.WrapRequest{
		Machine: h.Machine(), Workspace: d.workspace, Scope: surface.Scope(wired.Scope),
		Gateway: wired.Gateway, Front: front, Hook: hook, GatewayBin: gateway, Profile: wired.Profile,
	})
	if err != nil {
		d.add(h.Name(), name, Bad, err.Error(), "mend the file that is named, then ctx doctor again")
		return
	}
	if !d.intact {
		return // said already
	}
	// On the copy of the records: a check takes no part in what is on record.
	change, err := wiring.Open(d.scratch.Layout().Wraps()).Plan(wiring.Owner{Workspace: d.workspace, Host: h.Name()}, plan.Edits)
	if err != nil {
		d.add(h.Name(), name, Bad, err.Error(), "mend the file that is named")
		return
	}
	for _, n := range change.Notes() {
		d.add(h.Name(), name, Note, n, "")
	}
	var changed []string
	for _, fc := range change.Files() {
		if fc.Action != wiring.Keep {
			changed = append(changed, fc.Path)
		}
	}
	if len(changed) > 0 {
		d.add(h.Name(), name, Bad, "not as wrap left them: "+strings.Join(changed, ", "), "ctx wrap setup again, or ctx unwrap")
		return
	}
	d.add(h.Name(), name, Good, fmt.Sprintf("%d of %d hold what wrap put in", len(plan.Edits), len(plan.Edits)), "")
	for _, next := range plan.Next {
		d.add(h.Name(), "left to you", Note, next, "")
	}
}

// servers names those that are not where wrap would have them, and returns the
// ones that the gateway may start.
func (d *doctor) servers(h *hosts.Host, wired wiring.HostRecord, src surface.Sources) []surface.Server {
	if !wired.Gateway {
		return nil
	}
	fronted := map[string]bool{}
	for _, s := range wired.Fronted {
		fronted[s.Name] = true
	}
	direct := map[string]string{}
	for _, s := range wired.Direct {
		direct[s.Name] = s.Reason
	}
	var good []surface.Server
	for _, s := range src.Servers {
		reason, known := direct[s.Name]
		status := d.trust.Check(s, d.workspace)
		switch {
		case s.Own || s.Disabled:
		case known:
			d.add(h.Name(), "server "+s.Name, Note, "left direct: "+reason, "")
		case !fronted[s.Name]:
			d.add(h.Name(), "server "+s.Name, Warn, "the host loads it beside the gateway", "ctx wrap setup --gateway again takes it in")
		case status == trust.Rejected:
			d.add(h.Name(), "server "+s.Name, Note, "you rejected it: it is not started", "ctx trust approve "+s.Name+" takes that back")
		case status != trust.Approved:
			d.add(h.Name(), "server "+s.Name, Bad, fmt.Sprintf("%s, and waits for your approval: it is not started", novelty(status)), "ctx trust diff "+s.Name+", then ctx trust approve "+s.Name)
		default:
			good = append(good, s)
		}
		delete(fronted, s.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(fronted)) {
		if len(src.Warnings) > 0 {
			d.add(h.Name(), "server "+name, Warn, "not found in what could be read", "")
			continue
		}
		d.add(h.Name(), "server "+name, Note, "no longer configured", "ctx wrap setup --gateway again drops it")
	}
	return good
}

// start starts the servers behind the gateway and has them list their tools.
func (d *doctor) start(ctx context.Context, h *hosts.Host, servers []surface.Server) {
	if len(servers) == 0 {
		return
	}
	m := backend.New(backend.Options{Servers: servers, Env: d.f.Env, Dir: d.workspace, Client: backend.Lister{Workspace: d.workspace}})
	defer m.Close()
	m.Refresh(ctx)
	tools, good := 0, 0
	for _, st := range m.Status() {
		if st.Listed.IsZero() {
			d.add(h.Name(), "server "+st.Server, Bad, "it did not list its tools: "+st.Error, "start it by hand, or run ctx wrap setup --gateway again to leave it to the host")
			continue
		}
		for _, w := range st.Warnings {
			d.add(h.Name(), "server "+st.Server, Warn, w, "")
		}
		tools += st.Tools
		good++
	}
	d.add(h.Name(), "servers", Good, fmt.Sprintf("%d behind the gateway started and list %d tools", good, tools), "")
}
