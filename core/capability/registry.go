// Package capability keeps which capabilities of the user's taps are active in
// one session: it gates, starts, counts, evicts and restores them. What a
// capability is, core/tap says; which one a prompt asks for, core/activate.
package capability

import (
	"context"
	"slices"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Servers starts and stops servers. Start returns once the server answers. The
// servers are as their tap declares them, under the names they are served by:
// values take the place of placeholders where a server is started, and nowhere
// before. Calls for one server never overlap, those for several do.
type Servers interface {
	Start(ctx context.Context, server surface.Server) error
	Stop(server surface.Server) error
}

// Options is what a registry works with.
type Options struct {
	Catalog  func() *tap.Catalog // the taps as they are now
	Trust    *trust.Store
	Sessions *state.Store // nil: nothing outlives the process
	Session  string       // "" while the host has not told it
	Env      []string     // in the form of os.Environ
	Domain   string       // of the session, "" for none

	// Role are the capabilities of the session's role: static, so never counted
	// and never evicted. See [Registry.StartRole].
	Role []string

	// Host are the servers that run in any case, as the host's user declares
	// them. A capability with the very same server uses that one.
	Host func() []surface.Server

	MaxActive int // capabilities at once, those of the role not counted; at least 1

	// Servers is nil in a process that cannot start any: what is enabled there is
	// left for the session's gateway to do.
	Servers Servers

	// Install runs an approved installer; nil runs it as it is.
	Install func(context.Context, tap.Script) error

	// Changed is called, in a goroutine of its own, after what is exposed has
	// changed; nil: nobody wants to know.
	Changed func()

	Log hclog.Logger
}

// Registry is the capabilities of one session. Its methods may be called
// concurrently.
type Registry struct {
	opts  Options
	saves sync.Mutex // held while the session's file is written, so that the last state is written last

	// mu guards all that follows. Nothing is started, stopped or written under it.
	mu        sync.Mutex
	session   string
	bound     bool      // what was active in the session before is looked at
	epoch     int       // grows whenever everything active goes
	closed    bool      // what is active is left as it was written
	active    []*active // least recently used first
	role      []*active
	coming    []*active            // announced, and neither active nor given up yet
	idle      map[string]string    // capabilities of the role and the preload that are not active, and why
	instances map[string]*instance // by the name under which they are served
	installed map[string]bool      // hashes of installers that ran
	ops       map[string]*op       // by pinned name
}

// active is a capability in use, as it was declared when it was enabled.
type active struct {
	tap.Capability
	by   []string
	uses []use
}

// use is one server of an active capability.
type use struct {
	served   string    // the server's name here
	instance *instance // nil: the host's own server
	server   tap.Server
}

// New returns the registry of a session. In a process that can start servers,
// what was active in the session is active again only after [Registry.Bind].
func New(o Options) *Registry {
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	if o.Host == nil {
		o.Host = func() []surface.Server { return nil }
	}
	if o.Install == nil {
		env := o.Env
		o.Install = func(ctx context.Context, s tap.Script) error { return s.Run(ctx, env) }
	}
	o.MaxActive = max(1, o.MaxActive)
	r := &Registry{
		opts: o, session: o.Session,
		idle: map[string]string{}, instances: map[string]*instance{}, installed: map[string]bool{}, ops: map[string]*op{},
	}
	r.reload()
	return r
}

// reload takes over what others have written, where this process only writes
// wishes itself.
func (r *Registry) reload() {
	if r.opts.Servers != nil || r.opts.Sessions == nil {
		return
	}
	s, err := r.opts.Sessions.Load(r.id())
	if err != nil {
		return // as good as a new session; the store keeps the file aside at the next write
	}
	catalog, host := r.opts.Catalog(), r.opts.Host()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active, r.role, r.instances = nil, nil, map[string]*instance{}
	for _, name := range r.opts.Role {
		if c, ok := catalog.Find(name); ok && c.In(r.opts.Domain) {
			r.role = append(r.role, &active{Capability: c, uses: r.bind(c, host)})
		}
	}
	for _, known := range s.Capabilities {
		if c, ok := catalog.Find(known.Ref); ok {
			r.active = append(r.active, &active{Capability: c, by: known.By, uses: r.bind(c, host)})
		}
	}
}

func (r *Registry) id() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session
}

func find(list []*active, pinned string) *active {
	if i := slices.IndexFunc(list, func(a *active) bool { return a.Pinned() == pinned }); i >= 0 {
		return list[i]
	}
	return nil
}

// save writes down which capabilities are active.
func (r *Registry) save() {
	if r.opts.Sessions == nil {
		return
	}
	r.saves.Lock()
	defer r.saves.Unlock()
	r.mu.Lock()
	if r.closed { // nothing is active any more, and what was is to come back
		r.mu.Unlock()
		return
	}
	id := r.session
	list := make([]state.Capability, 0, len(r.active))
	for _, a := range r.active {
		list = append(list, state.Capability{Ref: a.Pinned(), By: slices.Clone(a.by)})
	}
	r.mu.Unlock()
	if id == "" {
		return
	}
	if _, err := r.opts.Sessions.Update(id, func(s *state.Session) { s.Capabilities = list }); err != nil {
		r.opts.Log.Warn("the active capabilities will not be known after a restart", "session", id, "error", err)
	}
}

func (r *Registry) changed() {
	if r.opts.Changed != nil {
		go r.opts.Changed()
	}
}
