package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/rpc"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// brought is what capabilities add to the rules.
type brought struct {
	gateway *Gateway

	mu      sync.Mutex
	servers map[string]surface.Server // that run for a capability, or are to
	base    *Rules                    // of which rules is made
	rules   *Rules                    // nil: to be made
}

var _ loader.Place = (*brought)(nil)

// rules are the rules in force, with what capabilities have brought in. As with
// [Policy], the same pointer is returned as long as nothing has changed.
func (g *Gateway) rules(ctx context.Context) *Rules {
	base := g.opts.Policy.Rules(ctx)
	if g.opts.Capabilities == nil {
		return base
	}
	return g.brought.over(base)
}

func (b *brought) over(base *Rules) *Rules {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rules != nil && b.base == base {
		return b.rules
	}
	next := *base
	next.Servers, next.bringing = slices.Clone(base.Servers), map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(b.servers)) {
		if !slices.ContainsFunc(base.Servers, func(s surface.Server) bool { return s.Name == name }) {
			next.Servers = append(next.Servers, b.servers[name])
			next.bringing[name] = true
		}
	}
	l := b.gateway.opts.Capabilities
	next.Warnings = append(slices.Clone(base.Warnings), l.Warnings()...)
	next.brought = l.Registry().Admits
	b.base, b.rules = base, &next
	return b.rules
}

// still reports whether nothing has been brought in or taken away since rules
// were made.
func (b *brought) still(rules *Rules) bool {
	if b.gateway.opts.Capabilities == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rules == rules
}

// Changed implements [loader.Place].
func (b *brought) Changed() {
	b.mu.Lock()
	b.rules = nil
	b.mu.Unlock()
	if b.gateway.ctx.Err() == nil { // else all its servers end anyway
		b.gateway.current(b.gateway.ctx)
	}
}

// Host implements [loader.Place].
func (b *brought) Host() []surface.Server {
	return b.gateway.opts.Policy.Rules(b.gateway.ctx).Host()
}

// AdmitsServer implements [loader.Place].
func (b *brought) AdmitsServer(server string) bool {
	return b.gateway.opts.Policy.Rules(b.gateway.ctx).AdmitsServer(server)
}

// Admits implements [loader.Place].
func (b *brought) Admits(t listing.Tool) bool {
	return b.gateway.opts.Policy.Rules(b.gateway.ctx).Admits(t)
}

// Start implements [loader.Place].
func (b *brought) Start(ctx context.Context, srv surface.Server) error {
	g := b.gateway
	if !b.AdmitsServer(srv.Name) {
		return fmt.Errorf("the user's rules deny all of the server %s", srv.Name)
	}
	b.set(srv)
	// A server answers even what it does not know; that starts it, too.
	_, err := g.backends.Request(ctx, srv.Name, "ping", nil, nil)
	var answered *rpc.Error
	if errors.As(err, &answered) && !notThere(answered, srv.Name) {
		err = nil
	}
	if err != nil {
		b.drop(srv.Name)
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, listingWait)
	defer cancel()
	g.settled(waiting, func(c *catalog) bool {
		return !slices.ContainsFunc(g.unsettled(c), func(s shelf) bool { return s.name == srv.Name })
	})
	return nil
}

// Stop implements [loader.Place]. The server is given the time that it needs,
// which nobody waits for.
func (b *brought) Stop(srv surface.Server) error {
	b.drop(srv.Name)
	return nil
}

func (b *brought) set(srv surface.Server) {
	b.mu.Lock()
	b.servers[srv.Name] = srv
	b.mu.Unlock()
	b.Changed()
}

// has reports whether a server runs for a capability, or is to.
func (b *brought) has(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.servers[name]
	return ok
}

func (b *brought) drop(name string) {
	b.mu.Lock()
	delete(b.servers, name)
	b.mu.Unlock()
	b.Changed()
}
