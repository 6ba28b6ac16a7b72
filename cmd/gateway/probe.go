package main

import (
	"context"
	"encoding/json"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
)

const (
	// probeTime is how long one probe may take, all servers together.
	probeTime = time.Minute
	// probeAgain is how long a server that did not list is left alone, once for
	// each time that it did not.
	probeAgain = time.Hour
)

// probe has the servers that the user approved, and that nobody has listed as
// they are declared now, list what they have: ctx-gateway probe [--host H]
// [--workspace DIR]. A hook starts it in the background, with nobody to tell
// what goes wrong: that is in the log, and in the cache.
func probe(args []string, env []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	layout := paths.FromEnv(env)
	o, err := parse(args, layout, dir)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()

	p := newProgram(o, layout, env, o.workspace)
	p.openAdapter()
	defer p.adapter.close()
	lock := flock.New(filepath.Join(p.surface, "probe.lock"), flock.SetPermissions(0o600))
	if alone, err := lock.TryLock(); err != nil || !alone {
		return err // another one is at it
	}
	defer lock.Unlock()

	sources, err := p.policy.Sources(ctx)
	if err != nil {
		return err
	}
	client := backend.Lister{Workspace: o.workspace, Declares: p.adapter.clientCapabilities(ctx)}
	servers := p.unlisted(sources.Servers, client.Capabilities(), time.Now())
	if len(servers) == 0 {
		return nil
	}
	m := backend.New(backend.Options{
		Servers: servers, Env: env, Dir: o.workspace, Client: client, Cache: p.cache, Log: p.log.Named("probe"),
		Listed: p.tools.Observe,
	})
	defer m.Close()
	m.Refresh(ctx)
	return p.tools.Flush()
}

// unlisted picks the servers that a probe asks.
func (p *program) unlisted(servers []surface.Server, declared json.RawMessage, now time.Time) []surface.Server {
	capabilities := listing.Canonical(declared)
	var found []surface.Server
	for _, srv := range servers {
		if srv.Own || srv.Disabled || srv.Direct != "" || p.trust.Check(srv, p.workspace) != trust.Approved {
			continue
		}
		if _, ok := p.cache.Any(srv.Name, srv.Fingerprint()); ok {
			continue
		}
		f, failed := p.cache.Failure(srv.Name, srv.Fingerprint(), capabilities)
		if failed && now.Sub(f.At) < time.Duration(f.Count)*probeAgain {
			continue
		}
		found = append(found, srv)
	}
	return found
}
