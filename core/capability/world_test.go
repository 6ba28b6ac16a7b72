package capability

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// fleet stands in for the gateway's servers. It complains about what a registry
// must never ask for.
type fleet struct {
	t *testing.T

	mu      sync.Mutex
	up      map[string]surface.Server
	history []string
	fails   map[string]error
	stuck   map[string]error         // on Stop
	hold    map[string]chan struct{} // Start waits for it
	linger  map[string]chan struct{} // Stop waits for it
	began   chan struct{}            // gets a word from each Start or Stop that waits
}

func newFleet(t *testing.T) *fleet {
	return &fleet{t: t, up: map[string]surface.Server{}, fails: map[string]error{}, stuck: map[string]error{}, hold: map[string]chan struct{}{}, linger: map[string]chan struct{}{}, began: make(chan struct{}, 100)}
}

func (f *fleet) Start(ctx context.Context, s surface.Server) error {
	f.mu.Lock()
	hold, fail := f.hold[s.Name], f.fails[s.Name]
	f.mu.Unlock()
	if hold != nil {
		f.began <- struct{}{}
		select {
		case <-hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if fail != nil {
		return fail
	}
	if _, up := f.up[s.Name]; up {
		f.t.Errorf("%s is started twice", s.Name)
	}
	f.up[s.Name] = s
	f.history = append(f.history, "+"+s.Name)
	return nil
}

func (f *fleet) Stop(s surface.Server) error {
	f.mu.Lock()
	linger := f.linger[s.Name]
	f.mu.Unlock()
	if linger != nil {
		f.began <- struct{}{}
		<-linger
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, up := f.up[s.Name]; !up {
		f.t.Errorf("%s is stopped and does not run", s.Name)
	}
	delete(f.up, s.Name)
	f.history = append(f.history, "-"+s.Name)
	return f.stuck[s.Name]
}

func (f *fleet) running() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for n := range f.up {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// world is a user with taps, and one session.
type world struct {
	t        *testing.T
	list     []tap.Capability
	fleet    *fleet
	trust    *trust.Store
	sessions *state.Store
	opts     Options
}

func newWorld(t *testing.T, list ...tap.Capability) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, list: list, fleet: newFleet(t), trust: trust.Open(filepath.Join(dir, "trust.json")), sessions: state.Open(dir)}
	w.opts = Options{
		Catalog: func() *tap.Catalog { return tap.Of(w.list) }, Trust: w.trust, Sessions: w.sessions, Session: "s1",
		Domain: "developer", MaxActive: 4, Servers: w.fleet,
		Install: func(context.Context, tap.Script) error { t.Error("an installer ran"); return nil },
	}
	w.approve()
	return w
}

// approve lets everything run that the taps have now.
func (w *world) approve() {
	w.t.Helper()
	for _, c := range w.list {
		commands, err := c.Commands()
		if err != nil {
			w.t.Fatal(err)
		}
		for _, cmd := range commands {
			a := trust.Approval{Fingerprint: cmd.Declaration.Fingerprint(), By: "user", Server: cmd.Declaration}
			if err := w.trust.Approve(cmd.ID, a); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

func (w *world) registry() *Registry { return New(w.opts) }

// srv is a server with the tools that a capability may use of it.
func srv(name, command string, allowed ...string) tap.Server {
	s := tap.Server{Server: surface.Server{Name: name, Scope: surface.ScopeTap, Transport: surface.Stdio, Command: command}}
	if len(allowed) > 0 {
		s.Allowed = allowed
	}
	return s
}

func capability(name string, servers ...tap.Server) tap.Capability {
	return tap.Capability{Name: name, Tap: "acme/tools", Provider: "default", Triggers: []string{"do " + name}, Servers: servers}
}

// simple are capabilities with a server of their own each.
func simple(names ...string) []tap.Capability {
	var list []tap.Capability
	for _, n := range names {
		list = append(list, capability(n, srv(n, n+"-mcp", "*")))
	}
	return list
}

func enable(t *testing.T, r *Registry, names ...string) Change {
	t.Helper()
	var c Change
	for _, n := range names {
		var err error
		if c, err = r.Enable(t.Context(), n, "user"); err != nil {
			t.Fatalf("enable %s: %v", n, err)
		}
	}
	return c
}

func disable(t *testing.T, r *Registry, name string) {
	t.Helper()
	if _, err := r.Disable(t.Context(), name); err != nil {
		t.Fatalf("disable %s: %v", name, err)
	}
}

// actives are the active capabilities, the least recently used first.
func actives(r *Registry) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for _, a := range r.active {
		names = append(names, a.Ref)
	}
	return names
}

func (w *world) want(r *Registry, active, running string) {
	w.t.Helper()
	if got := strings.Join(actives(r), " "); got != active {
		w.t.Errorf("active: %q, want %q", got, active)
	}
	if got := strings.Join(w.fleet.running(), " "); got != running {
		w.t.Errorf("running: %q, want %q", got, running)
	}
}

func blocked(t *testing.T, err error, kind Kind, words ...string) {
	t.Helper()
	var b *BlockedError
	if !errors.As(err, &b) {
		t.Errorf("got %v, want it blocked", err)
		return
	}
	if b.Reasons[0].Kind != kind {
		t.Errorf("blocked by %+v, want %s", b.Reasons, kind)
	}
	for _, word := range words {
		if !strings.Contains(b.Error()+b.Hint(), word) {
			t.Errorf("%q and hint %q do not say %q", b.Error(), b.Hint(), word)
		}
	}
}

var errNoStart = fmt.Errorf("exit status 1")
