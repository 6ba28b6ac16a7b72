package wrap

import (
	"context"
	"fmt"

	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// probe starts the servers that are to be fronted and were never listed as they
// are declared now, all hosts' together. One that does not list its tools is
// left direct. A dry run starts nothing.
func (w *wrapper) probe(ctx context.Context) error {
	cache := listing.OpenCache(state.FindDir(w.layout, w.workspace), listing.KeyFile(w.layout))
	for _, j := range w.jobs {
		var unknown []surface.Server
		for _, s := range j.servers {
			if s.Verdict == Disabled || s.Approval == "" {
				continue
			}
			if l, ok := cached(cache, s.Server, j.lister(w.workspace)); ok {
				j.listings[s.Name] = l
			} else {
				unknown = append(unknown, s.Server)
			}
		}
		if w.dryRun || len(unknown) == 0 {
			continue
		}
		listings, failures, err := w.list(ctx, j, unknown)
		if err != nil {
			return err
		}
		for i := range j.servers {
			s := &j.servers[i]
			if l, ok := listings[s.Name]; ok {
				j.listings[s.Name] = l
			} else if st, ok := failures[s.Name]; ok {
				const silent = "it did not list its tools: "
				s.leave(silent + st.Error)
				s.Kept = silent + st.Failure
			}
		}
	}
	return nil
}

// lister is the client that servers list for what they would to the host.
func (j *job) lister(workspace string) backend.Lister {
	return backend.Lister{Workspace: workspace, Declares: j.host.Description.ClientCapabilities}
}

// cached is what a server listed to this client, or else to another one.
func cached(c *listing.Cache, s surface.Server, client backend.Lister) (listing.Listing, bool) {
	if l, ok := c.Get(s.Name, s.Fingerprint(), string(client.Capabilities())); ok {
		return l, true
	}
	return c.Any(s.Name, s.Fingerprint())
}

// list starts servers, all at once as far as the manager lets them, and returns
// what each lists, or why it lists nothing.
func (w *wrapper) list(ctx context.Context, j *job, servers []surface.Server) (map[string]listing.Listing, map[string]backend.Status, error) {
	w.f.IO.Step("asking %s of %s for their tools ...", count(len(servers), "server"), j.host.Title())
	defer w.f.IO.Step("")
	// Without a cache: the workspace has no folder of ours before it is wrapped.
	m := backend.New(backend.Options{Servers: servers, Env: w.f.Env, Dir: w.workspace, Client: j.lister(w.workspace)})
	defer m.Close()
	m.Refresh(ctx)
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("list the tools: %w", err)
	}
	found := map[string]listing.Listing{}
	for _, l := range m.Listings() {
		found[l.Server] = l
	}
	failures := map[string]backend.Status{}
	for _, st := range m.Status() {
		if _, ok := found[st.Server]; ok {
			continue
		}
		switch {
		case st.NeedsOAuth:
			st.Error = "it needs the host's own login"
			st.Failure = st.Error
		case st.Error == "":
			st.Error = "no answer"
			st.Failure = st.Error
		}
		failures[st.Server] = st
	}
	return found, failures, nil
}

// keep writes what was listed where hooks and gateways look for it.
func (w *wrapper) keep() error {
	dir, why := state.SafeDir(w.layout, w.workspace)
	if why != "" {
		fmt.Fprintf(w.f.IO.Err, "warning: %s; what ctx knows of this workspace is kept in %s\n", why, dir)
	}
	if err := prune.Follow(w.layout, w.workspace); err != nil {
		fmt.Fprintf(w.f.IO.Err, "warning: what was pruned behind the gateway is shown again: %v\n", err)
	}
	cache := listing.OpenCache(dir, listing.KeyFile(w.layout))
	tools := baseline.Open(w.layout.Baselines(), w.workspace, nil)
	for _, j := range w.jobs {
		for _, s := range j.servers {
			l, ok := j.listings[s.Name]
			if _, known := cache.Get(l.Server, l.Fingerprint, l.Capabilities); !ok || known {
				continue
			}
			tools.Observe(s.Server, l)
			if err := cache.Put(l); err != nil {
				return fmt.Errorf("keep what the servers list: %w", err)
			}
		}
		if j.kernel == nil {
			continue
		}
		if err := cache.PutGateway(j.host.Name(), *j.kernel); err != nil {
			return fmt.Errorf("keep what the gateway lists: %w", err)
		}
	}
	if err := tools.Flush(); err != nil {
		return fmt.Errorf("keep how the tools are defined: %w", err)
	}
	return nil
}
