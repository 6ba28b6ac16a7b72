// Package loader brings capabilities of the user's taps into one conversation:
// those that a prompt asks for, that the user wants from the start, and that the
// model enables. What is active, core/capability keeps; what a prompt asks for,
// core/activate decides.
package loader

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/capability"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Listings is the cache of what servers listed; see [*listing.Cache].
type Listings interface {
	Any(server, fingerprint string) (listing.Listing, bool)
}

// Options are what a Loader works with.
type Options struct {
	Taps     Taps
	Config   config.Config
	Trust    *trust.Store
	Sessions *state.Store
	Session  func() string // the conversation that is served now, "" while that is not known
	Title    string        // of the conversation, for [Cold]: a loader is told it by [Loader.Titled]
	Env      []string      // in the form of os.Environ
	Cache    Listings
	Skills   Skills
	Log      hclog.Logger
}

// Taps is what all conversations of a process have in common.
type Taps interface {
	// Any reports whether there may be capabilities, and not only skills.
	Any() bool
	// Catalog is the taps as they are now, read if they have not been yet.
	Catalog() *tap.Catalog
	// Begin says that somebody will soon want to know; it does not wait.
	Begin()
	// Decide routes a prompt, with what there is when ctx ends at the latest.
	// degraded says why that is words alone, nil where it is not.
	Decide(ctx context.Context, q activate.Request) (d activate.Decision, degraded, err error)
	// Degraded says why prompts are routed by words alone, nil where they are not
	// and where that is not known before ctx ends.
	Degraded(ctx context.Context) error
	// Similar compares a text with phrases; see [skill.Similar].
	Similar(ctx context.Context, text string, phrases []string) ([]float64, skill.Thresholds, error)
}

// Loader is the capabilities of one conversation after the other. Its methods
// may be called concurrently, once [Loader.Attach] has been.
type Loader struct {
	opts     Options
	attached chan struct{}
	greeted  chan struct{} // closed by Begin
	begin    sync.Once
	place    Place
	registry *capability.Registry
	ctx      context.Context // ends with the loader
	end      context.CancelFunc

	binds, starts pending
	early         unbound
	binding       sync.Mutex // held while one conversation takes the other's place

	mu      sync.Mutex
	begun   bool
	session string
	titled  titled
	coming  map[string]bool   // capabilities that are being enabled
	failed  map[string]string // why a capability that a prompt activated is not there, by its name
	late    error             // why the last prompt was routed by words alone, nil where it was not or always is
}

// Place is the gateway that capabilities come to.
type Place interface {
	capability.Servers
	Admitted
	// Changed is called after what is active has changed.
	Changed()
}

// New makes the loader of one session of a gateway.
func New(o Options) *Loader {
	l := &Loader{opts: o, attached: make(chan struct{}), greeted: make(chan struct{}), coming: map[string]bool{}, failed: map[string]string{}}
	l.ctx, l.end = context.WithCancel(context.Background())
	return l
}

// Attach gives the loader the gateway that it works for.
func (l *Loader) Attach(p Place) {
	l.place = p
	o := l.opts.registry(p)
	o.Servers, o.Changed = p, p.Changed
	l.registry = capability.New(o)
	close(l.attached)
}

// registry are the options of a registry that starts no servers.
func (o Options) registry(user Admitted) capability.Options {
	return capability.Options{
		Catalog: o.Taps.Catalog, Trust: o.Trust, Sessions: o.Sessions, Env: o.Env,
		Domain: Domain(o.Config), Role: o.Config.Roles[o.Config.Role].Capabilities,
		Host: user.Host, MaxActive: o.Config.Activate.MaxActive, Log: o.Log,
	}
}

// roleWait is how long the greeting of a host waits for the capabilities of the
// session's role, so that they are in what it says.
const roleWait = 500 * time.Millisecond

// Begin lets servers start, since the host has said now what it can do for
// them, and starts those of the session's role.
func (l *Loader) Begin(ctx context.Context) {
	l.begin.Do(func() {
		close(l.greeted)
		if len(l.opts.Config.Roles[l.opts.Config.Role].Capabilities) == 0 {
			return
		}
		l.starts.run(func() { l.registry.StartRole(l.ctx); l.place.Changed() })
		ctx, cancel := context.WithTimeout(ctx, roleWait)
		defer cancel()
		l.starts.wait(ctx)
	})
}

// Listed says that the host has its answers: what takes a processor for a while
// delays nobody now.
func (l *Loader) Listed() { l.opts.Taps.Begin() }

// open waits until servers may start; false: they never will.
func (l *Loader) open() bool {
	select {
	case <-l.greeted:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// Domain is that of a session's role: what stands before the colon.
func Domain(c config.Config) string {
	domain, _, _ := strings.Cut(c.Role, ":")
	return domain
}

// Running are the servers that capabilities have brought in; see
// [capability.Registry.Running].
func (l *Loader) Running() []surface.Server {
	if !l.ready() {
		return nil
	}
	return l.registry.Running()
}

// Registry is what is active in the conversation.
func (l *Loader) Registry() *capability.Registry { return l.registry }

// Follow makes what is active that of the conversation that is served now, if
// that has become another one. It does not wait; [Loader.Wait] does.
func (l *Loader) Follow() {
	id := l.opts.Session()
	l.mu.Lock()
	first, same := !l.begun, l.begun && l.session == id
	l.begun, l.session = true, id
	l.mu.Unlock()
	if same {
		return
	}
	l.binds.run(func() {
		if !l.open() {
			return
		}
		l.binding.Lock()
		defer l.binding.Unlock()
		l.mu.Lock()
		clear(l.failed)
		l.mu.Unlock()
		now := l.opts.Session()
		if fresh := l.registry.Bind(l.ctx, now); fresh && (now != "" || first) {
			l.preload()
		}
		l.registry.Sync(l.ctx)
		l.place.Changed()
	})
}

// Sync does what commands of the user's have asked for, which they leave in the
// conversation's file.
func (l *Loader) Sync() {
	l.starts.run(func() {
		if l.open() && len(l.registry.Sync(l.ctx)) > 0 {
			l.place.Changed()
		}
	})
}

// Clear makes everything inactive but what the role has: the user has begun
// anew.
func (l *Loader) Clear() {
	id := l.opts.Session()
	l.mu.Lock()
	same := l.begun && l.session == id
	l.mu.Unlock()
	if !same {
		l.Follow() // another conversation, which has nothing active
		return
	}
	l.binds.run(func() {
		if !l.open() {
			return
		}
		l.binding.Lock()
		defer l.binding.Unlock()
		l.registry.Clear()
		l.clearSkills()
		l.preload()
		l.place.Changed()
	})
}

// preload enables what the user wants each conversation to begin with.
func (l *Loader) preload() {
	if names := l.opts.Config.PreloadCapabilities; len(names) > 0 {
		l.registry.Preload(l.ctx, names)
	}
	l.preloadSkills()
}

// Bound waits until what is active is that of the conversation that is served.
func (l *Loader) Bound(ctx context.Context) {
	l.Follow()
	l.binds.wait(ctx)
}

// Wait waits for everything that is on its way to be active, what other
// processes have asked for included.
func (l *Loader) Wait(ctx context.Context) {
	l.Bound(ctx)
	l.Sync()
	l.starts.wait(ctx)
}

// Warnings name what is not active although somebody wanted it to be, and why.
func (l *Loader) Warnings() []string {
	list := l.registry.Warnings()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, why := range l.failed {
		list = append(list, why)
	}
	return list
}

// ready waits for the gateway, which is made right after its loader.
func (l *Loader) ready() bool {
	select {
	case <-l.attached: // whatever the clock does on a busy machine
		return true
	default:
	}
	select {
	case <-l.attached:
		return true
	case <-time.After(time.Second):
		return false
	}
}

// Close stops what capabilities have brought in. What is active stays so for
// the next process that serves the conversation.
func (l *Loader) Close() {
	l.end()
	l.registry.Close()
	waiting, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	l.binds.wait(waiting)
	l.starts.wait(waiting)
}

// enable activates in the background what a prompt has asked for, for the sake
// of by.
func (l *Loader) enable(name, by string) {
	l.mu.Lock()
	l.coming[name] = true
	l.mu.Unlock()
	// Announced before anybody is told, so that whoever is told can disable it.
	enable := l.registry.Announce(name, by)
	l.starts.run(func() {
		l.open() // where servers never start, l.ctx has ended, and enable says so
		_, err := enable(l.ctx)
		l.mu.Lock()
		delete(l.coming, name)
		delete(l.failed, name)
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, capability.ErrSession) {
			l.failed[name] = "the capability " + name + " is not enabled: " + Explain(err)
			l.opts.Log.Warn("a capability is not enabled", "capability", name, "error", err)
		}
		l.mu.Unlock()
		l.place.Changed()
	})
}

// Explain is an error with what to do about it.
func Explain(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		return err.Error() + " (" + hinted.Hint() + ")"
	}
	return err.Error()
}
