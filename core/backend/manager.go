// Package backend runs the MCP servers behind the gateway: it starts them when
// they are needed, keeps what they list, leads requests to them and what they
// ask and report back, and ends them, whatever happens to the gateway.
package backend

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/rpc"
	"github.com/ctx-sidecar/ctx/core/surface"
)

const (
	defaultMaxStarting  = 4
	defaultStartTimeout = 30 * time.Second
)

// Client is the host, as servers see it.
type Client interface {
	// Capabilities is what the host declared, as the JSON object of its
	// initialize request.
	Capabilities() json.RawMessage

	// Request forwards a request of a server's: roots/list,
	// sampling/createMessage or elicitation/create. ctx ends when the server
	// withdraws it or is gone. An error that is an [*rpc.Error] reaches the
	// server as it is.
	Request(ctx context.Context, server, method string, params json.RawMessage) (json.RawMessage, error)

	// Notify forwards a notification of a server's. It must not block for long:
	// nothing else of that server's arrives meanwhile.
	Notify(server, method string, params json.RawMessage)
}

// Options are what a Manager needs.
type Options struct {
	Servers []surface.Server
	Env     []string // base environment of servers, and where variables are looked up
	Dir     string   // absolute; working folder of servers that name none
	Client  Client   // nil: capable of nothing
	Cache   *listing.Cache
	Log     hclog.Logger // nil: none

	// Changed is called, from any goroutine, after what [Manager.Listings]
	// has of a server is no longer what it was. nil: nobody wants to know.
	Changed func(server string)

	// Listed is called after a server has been asked for its lists, whether they
	// are new or not, and before [Manager.Listings] answers them. nil: nobody
	// wants to know.
	Listed func(srv surface.Server, l listing.Listing)

	MaxStarting int // servers that may be starting at one time; 0: 4
}

// Manager runs servers. Its methods may be called concurrently.
type Manager struct {
	opt    Options
	slots  *slots
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu       sync.RWMutex
	closed   bool
	order    []*backend
	byName   map[string]*backend
	spawning sync.Mutex
	spawner  *spawnerProcess

	started atomic.Bool
	busy    atomic.Int32 // lists being read
	touched atomic.Int64 // when the last was, in nanoseconds
}

// New makes a Manager, which starts no server before [Manager.Start] or the
// first [Manager.Request].
//
// Stdio servers are children of a second process, which runs the caller's own
// executable but none of its code: see package internal/spawner.
func New(o Options) *Manager {
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	if o.MaxStarting <= 0 {
		o.MaxStarting = defaultMaxStarting
	}
	m := &Manager{opt: o, slots: &slots{free: o.MaxStarting}, byName: map[string]*backend{}}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.SetServers(o.Servers)
	return m
}

// Start starts the servers that no listing is known of for what the client is
// capable of. The others start when they are first used.
func (m *Manager) Start() {
	m.started.Store(true)
	m.mu.RLock()
	order := m.order
	m.mu.RUnlock()
	for _, b := range order {
		b.startIfUnknown()
	}
}

// SetServers replaces the servers. Those whose declaration stays the same are
// not disturbed; those that are gone end.
func (m *Manager) SetServers(servers []surface.Server) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	old := m.byName
	m.order, m.byName = nil, make(map[string]*backend, len(servers))
	stdio := false
	for _, srv := range servers {
		if m.byName[srv.Name] != nil {
			continue // the first of a name wins, as in the host's own order
		}
		b := old[srv.Name]
		if b != nil && b.isFor(srv) {
			delete(old, srv.Name)
		} else {
			b = newBackend(m, srv)
			if m.started.Load() {
				m.wg.Go(b.startIfUnknown)
			}
		}
		m.order = append(m.order, b)
		m.byName[srv.Name] = b
		stdio = stdio || srv.Transport == surface.Stdio
	}
	for _, b := range old {
		m.wg.Go(b.close)
	}
	if stdio {
		// Early, so that the first server to start need not wait for it.
		m.wg.Go(func() { _, _ = m.spawn() }) // an error shows when it is needed
	}
}

// Listings are the listings that are known, in the order of the servers: the
// cached ones until the servers' own arrive.
func (m *Manager) Listings() []listing.Listing {
	m.mu.RLock()
	order := m.order
	m.mu.RUnlock()
	known := make([]listing.Listing, 0, len(order))
	for _, b := range order {
		if l := b.known(); l != nil {
			known = append(known, *l)
		}
	}
	return known
}

// Request forwards a request to a server, which is started if need be, and
// returns its result. It is sent once, whatever happens. onProgress, unless
// nil, gets the params of each notifications/progress for it under the caller's
// own token; it must not block. The error is an [*rpc.Error], the server's own
// one unchanged, or the cause of ctx.
func (m *Manager) Request(ctx context.Context, server, method string, params json.RawMessage, onProgress func(params json.RawMessage)) (json.RawMessage, error) {
	b := m.backend(server)
	if b == nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "there is no server %q", server)
	}
	return b.call(ctx, method, params, onProgress)
}

// Await starts a server if need be and waits until it has been asked for its
// lists since then, whether it has answered or not. Its error is that of a
// request.
func (m *Manager) Await(ctx context.Context, server string) error {
	b := m.backend(server)
	if b == nil {
		return rpc.Errorf(rpc.CodeInvalidParams, "there is no server %q", server)
	}
	return b.await(ctx)
}

// Notify forwards a notification to a server, or, with server "", to all. One
// that is not running is not told.
func (m *Manager) Notify(server, method string, params json.RawMessage) {
	m.mu.RLock()
	order := m.order
	m.mu.RUnlock()
	for _, b := range order {
		if server == "" || b.srv.Name == server {
			b.notify(method, params)
		}
	}
}

// Refresh starts every server, also those that failed, and waits until each has
// listed or failed, and for what some list only a moment later. It gives up
// when ctx ends.
func (m *Manager) Refresh(ctx context.Context) {
	m.mu.RLock()
	order := m.order
	m.mu.RUnlock()
	var attempts []*attempt
	for _, b := range order {
		if a := b.refresh(); a != nil {
			attempts = append(attempts, a)
		}
	}
	for _, a := range attempts {
		select {
		case <-a.listed:
		case <-ctx.Done():
			return
		}
	}
	m.settle(ctx)
}

// settle waits until no list has been read for a moment: some servers add tools
// once they have asked their client for something.
func (m *Manager) settle(ctx context.Context) {
	const quiet, most = 250 * time.Millisecond, 3 * time.Second
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for m.busy.Load() > 0 || time.Since(time.Unix(0, m.touched.Load())) < quiet {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Status tells of every server, in their order.
func (m *Manager) Status() []Status {
	m.mu.RLock()
	order := m.order
	m.mu.RUnlock()
	all := make([]Status, len(order))
	for i, b := range order {
		all[i] = b.status()
	}
	return all
}

// Close ends every server and waits until they have ended: each is given the
// end of its input, a second later SIGTERM, another second later SIGKILL.
func (m *Manager) Close() {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	m.closed = true
	order := m.order
	m.mu.Unlock()
	m.cancel()
	for _, b := range order {
		m.wg.Go(b.close)
	}
	m.wg.Wait()
	m.spawning.Lock()
	defer m.spawning.Unlock()
	if m.spawner != nil {
		m.spawner.close()
	}
}

func (m *Manager) backend(name string) *backend {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.byName[name]
}

// spawn returns the spawner, started again if it is gone.
func (m *Manager) spawn() (*spawnerProcess, error) {
	m.spawning.Lock()
	defer m.spawning.Unlock()
	if m.spawner != nil {
		select {
		case <-m.spawner.gone:
			m.opt.Log.Warn("the spawner has ended; starting another")
		default:
			return m.spawner, nil
		}
	}
	var err error
	m.spawner, err = startSpawner()
	return m.spawner, err
}

func (m *Manager) changed(server string) {
	if m.opt.Changed != nil {
		m.opt.Changed(server)
	}
}

// version is that of the module that this was built from.
var version = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
})
