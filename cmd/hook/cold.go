package main

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"sync"

	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/localtool"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/rendezvous"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/core/usage"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// cold answers without a gateway: it starts the host's adapter for this event.
func (p program) cold(ctx context.Context, req rendezvous.Request) ([]byte, error) {
	adapter, err := plugins.OpenHostWith(ctx, p.layout, req.Host, plugins.Options{Env: p.env, Log: p.log})
	if err != nil {
		return nil, err
	}
	defer adapter.Close()

	machine := plugins.Machine{Home: p.layout.Home, Env: p.env}
	ev, err := adapter.Decode(ctx, plugins.RawEvent{
		Name: req.Event, Payload: req.Payload, Dir: req.Dir, Machine: machine,
	})
	if err != nil {
		return nil, err
	}
	var reply event.Reply
	if ev.Kind != event.Other {
		h := p.handler(ctx, adapter, machine, ev)
		line := make(chan string, 1) // a prompt that asks for something is routed meanwhile
		go func() { line <- p.route(ctx, h, ev) }()
		reply = h.Handle(ctx, ev)
		reply.Context = hook.Join(reply.Context, <-line)
	}
	return adapter.Encode(ctx, ev, reply)
}

func (p program) handler(ctx context.Context, adapter plugins.Adapter, machine plugins.Machine, ev event.Event) *hook.Handler {
	workspace := p.layout.Workspace(ev.Dir)
	dir, why := state.SafeDir(p.layout, workspace)
	if why != "" {
		p.log.Warn("the workspace's own folder is passed over", "why", why, "for", dir)
	}
	cache := listing.OpenCache(dir, listing.KeyFile(p.layout))
	cfg, problems := config.Load(p.layout, workspace, p.env)
	sources := sync.OnceValues(func() (surface.Sources, error) {
		fronted := wiring.Open(p.layout.Wraps()).Fronted(workspace, ev.Host)
		s, err := adapter.Sources(ctx, plugins.SourcesRequest{Machine: machine, Workspace: workspace, Dir: ev.Dir, Fronted: fronted})
		pruned, bad := prune.Read(dir)
		if bad != nil && !errors.Is(bad, fs.ErrNotExist) {
			p.log.Warn("what was pruned is not known", "error", bad)
		}
		return pruned.Apply(s, fronted, prune.Path(dir)), err
	})
	return hook.New(hook.Options{
		Layout: p.layout, Workspace: workspace, Host: ev.Host,
		Config: cfg, Problems: problems,
		Sources: func(context.Context) (surface.Sources, error) { return sources() },
		Cache:   cache, Baseline: baseline.Open(p.layout.Baselines(), workspace, p.log.Named("baseline")),
		State: state.Open(dir), Usage: usage.Open(dir),
		Gateway: func(surface.Sources, []surface.Server) (listing.Listing, bool) { return cache.Gateway(ev.Host) },
		Waiting: func(servers []surface.Server) []string { return p.waiting(servers, workspace) },
		Brought: func() []surface.Server { return p.local(workspace) },
		Unlisted: func(servers []surface.Server) {
			if p.layout.Wrapped(workspace) {
				p.probe(ev.Host, workspace, servers)
			}
		},
		Log: p.log,
	})
}

// waiting names the servers that the user has yet to approve, and the
// workspace's own tools likewise.
func (p program) waiting(servers []surface.Server, workspace string) []string {
	approvals := trust.Open(p.layout.Trust())
	var names []string
	for _, srv := range servers {
		if s := approvals.Check(srv, workspace); s == trust.Unknown || s == trust.Changed {
			names = append(names, srv.Name)
		}
	}
	for _, w := range localtool.OpenShelf(workspace, approvals).State().Waiting {
		names = append(names, w.ID())
	}
	return names
}

// local is the server of the workspace's own tools, where some are approved. A
// call names it by the name that it has unless the user has another one of that.
func (p program) local(workspace string) []surface.Server {
	if len(localtool.OpenShelf(workspace, trust.Open(p.layout.Trust())).State().Approved) == 0 {
		return nil
	}
	return []surface.Server{localtool.AsServer(localtool.Server, workspace)}
}

// hostPID adds to an environment which process the host is, for adapters that
// tell conversations apart by it.
func hostPID(env []string) []string {
	return append(slices.Clone(env), "CTX_HOST_PID="+strconv.Itoa(rendezvous.HostPID()))
}
