package capability

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// instance is a server that capabilities brought in, running or not.
type instance struct {
	server      surface.Server // as declared, under the name it is served by
	fingerprint string
	refs        int // guarded by the registry's mu; 0: to be stopped

	op sync.Mutex // one start or stop at a time
	up bool       // guarded by op
}

// bind takes references on the servers of a capability, for mu's holder. A
// server that the host runs in any case is the host's. A name that another
// command has stays that one's: the server is then "ORG/NAME", and with that
// taken too "ORG/CAPABILITY/NAME". One of which nothing is exposed is left out:
// it would run for nobody.
func (r *Registry) bind(c tap.Capability, host []surface.Server) []use {
	var uses []use
	for _, s := range c.Servers {
		if s.Toolless() {
			continue
		}
		name, inst, hosts := r.place(c, s, host)
		if inst == nil && !hosts {
			declared := s.Server
			declared.Name = name
			inst = &instance{server: declared, fingerprint: s.Fingerprint()}
			r.instances[name] = inst
		}
		if inst != nil {
			inst.refs++
		}
		uses = append(uses, use{served: name, instance: inst, server: s})
	}
	return uses
}

// reserved are names that stand for something else where tools are named.
var reserved = []string{"ctx", "local", "capability", "skill"}

// place finds the name of a capability's server and, if it is there already,
// the server behind it.
func (r *Registry) place(c tap.Capability, s tap.Server, host []surface.Server) (name string, inst *instance, hosts bool) {
	fingerprint := s.Fingerprint()
	org, _, _ := strings.Cut(c.Tap, "/")
	names := []string{s.Name, org + "/" + s.Name, org + "/" + c.Name + "/" + s.Name, c.Tap + "/" + c.Name + "/" + s.Name}
	for i := 0; ; i++ {
		if i < len(names) {
			name = names[i]
		} else {
			name = fmt.Sprintf("%s/%d", names[len(names)-1], i)
		}
		taken := slices.Contains(reserved, name)
		for _, h := range host {
			if h.Name != name {
				continue
			}
			if h.Fingerprint() == fingerprint {
				return name, nil, true
			}
			taken = true
		}
		have := r.instances[name]
		switch {
		case taken:
		case have == nil:
			return name, nil, false
		case have.fingerprint == fingerprint:
			return name, have, false
		}
	}
}

// release gives references back, for mu's holder, and returns the servers that
// have to be looked at.
func (r *Registry) release(uses []use) []*instance {
	var gone []*instance
	for _, u := range uses {
		if u.instance == nil {
			continue
		}
		if u.instance.refs--; u.instance.refs == 0 {
			gone = append(gone, u.instance)
		}
	}
	return gone
}

// start brings up the servers of a capability, together. The first failure is
// the answer.
func (r *Registry) start(ctx context.Context, uses []use) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, u := range uses {
		if u.instance != nil {
			g.Go(func() error { return r.settle(ctx, u.instance) })
		}
	}
	return g.Wait()
}

// stop takes down the servers that nobody needs any more, together. One that
// does not stop is logged and forgotten: nothing else must wait for it.
func (r *Registry) stop(list []*instance) (warnings []string) {
	var all sync.WaitGroup
	var mu sync.Mutex
	for _, inst := range list {
		all.Go(func() {
			if err := r.settle(context.Background(), inst); err != nil {
				r.opts.Log.Warn("a server did not stop", "server", inst.server.Name, "error", err)
				mu.Lock()
				defer mu.Unlock()
				warnings = append(warnings, fmt.Sprintf("the server %s did not stop: %v", inst.server.Name, err))
			}
		})
	}
	all.Wait()
	return warnings
}

// settle makes a server run if anybody needs it and stop if nobody does, as
// that is when its turn comes.
func (r *Registry) settle(ctx context.Context, inst *instance) error {
	inst.op.Lock()
	defer inst.op.Unlock()
	r.mu.Lock()
	wanted := inst.refs > 0
	r.mu.Unlock()
	switch {
	case wanted == inst.up:
	case wanted:
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.opts.Servers.Start(ctx, inst.server); err != nil {
			return fmt.Errorf("start %s: %w", inst.server.Name, err)
		}
		inst.up = true
	default:
		inst.up = false
		if err := r.opts.Servers.Stop(inst.server); err != nil {
			r.forget(inst)
			return err
		}
	}
	if !inst.up {
		r.forget(inst)
	}
	return nil
}

// forget frees the name of a server that is down, unless somebody has come to
// need it.
func (r *Registry) forget(inst *instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if inst.refs == 0 && r.instances[inst.server.Name] == inst {
		delete(r.instances, inst.server.Name)
	}
}
