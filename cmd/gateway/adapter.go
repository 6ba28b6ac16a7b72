package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/gateway"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/rendezvous"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// adapter is the host's adapter, which starts while the rest gets ready, and
// again if it has died.
type adapter struct {
	open func(context.Context) (*plugins.Client, error)

	mu     sync.Mutex
	last   *start
	at     time.Time // of the last start
	closed bool
}

// start is one start of the adapter, and what has come of it. Whoever waits for
// one is told of that one, though another may have begun since.
type start struct {
	done   chan struct{} // closed once client or err is there, which then stay
	client *plugins.Client
	err    error
}

// died is what has come of a start whose process has ended.
func died(err error) *start {
	done := make(chan struct{})
	close(done)
	return &start{done: done, err: err}
}

// adapterWait bounds how long a request waits for the adapter: a host that gets
// no answer at all is worse off than one that is told why there are no servers.
const adapterWait = 5 * time.Second

// again is how soon after a start that failed another one is tried.
const again = 2 * time.Second

// openAdapter starts the adapter. It does not wait.
func (p *program) openAdapter() {
	a := &adapter{open: func(ctx context.Context) (*plugins.Client, error) {
		c, err := plugins.OpenHostWith(ctx, p.layout, p.host, plugins.Options{Env: p.env, Log: p.log.Named("adapter")})
		if err != nil {
			return nil, err
		}
		d, err := c.Describe(ctx)
		if err == nil && d.SessionEnv != "" && p.binding.Session() == "" {
			p.binding.Bind(paths.Lookup(p.env, d.SessionEnv))
		}
		return c, err
	}}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.start()
	p.adapter = a
}

// start begins a start; a.mu is held.
func (a *adapter) start() {
	s := &start{done: make(chan struct{})}
	a.last, a.at = s, time.Now()
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), adapterWait)
		defer cancel()
		c, err := a.open(ctx)
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.closed && c != nil {
			c.Close()
			c, err = nil, errors.New("the gateway is ending")
		}
		s.client, s.err = c, err
		close(s.done)
	}()
}

// use waits for the adapter. One that failed to start is started again after a
// while.
func (a *adapter) use(ctx context.Context) (*plugins.Client, error) {
	a.mu.Lock()
	if a.last.err != nil && !a.closed && time.Since(a.at) > again {
		a.start()
	}
	s := a.last
	a.mu.Unlock()
	select {
	case <-s.done:
		return s.client, s.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// clientCapabilities is what the host declares to its servers, nil when its
// adapter does not know or cannot be asked.
func (a *adapter) clientCapabilities(ctx context.Context) json.RawMessage {
	c, err := a.use(ctx)
	if err != nil {
		return nil // whoever needs the adapter itself says why
	}
	d, err := c.Describe(ctx)
	if err != nil {
		return nil
	}
	return d.ClientCapabilities
}

// failed notes that a call did not work, so that the next use starts anew if
// the process has ended.
func (a *adapter) failed(c *plugins.Client, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var exited *plugins.ExitedError
	if c != nil && a.last.client == c && errors.As(err, &exited) {
		c.Close()
		a.last = died(err)
	}
}

func (a *adapter) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	if c := a.last.client; c != nil {
		c.Close()
	}
}

// read reads the host's configuration through the adapter.
func (p *program) read(ctx context.Context, fronted []string) (surface.Sources, gateway.Asker, error) {
	ctx, cancel := context.WithTimeout(ctx, adapterWait)
	defer cancel()
	c, err := p.adapter.use(ctx)
	if err != nil {
		return surface.Sources{}, 0, err
	}
	s, err := c.Sources(ctx, plugins.SourcesRequest{Machine: p.machine(p.env), Workspace: p.workspace, Dir: p.dir, Fronted: fronted})
	if err != nil {
		p.adapter.failed(c, err)
		return surface.Sources{}, 0, err
	}
	pruned, err := prune.Read(p.surface)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Warnings = append(s.Warnings, "what was pruned is shown: "+err.Error())
	}
	s = pruned.Apply(s, fronted, prune.Path(p.surface))
	asker, err := p.asker(ctx, c)
	if err != nil {
		p.adapter.failed(c, err)
	}
	return s, asker, err
}

// asker tells who asks the user about a call on the adapter's host. Where one of
// its events comes before each call, our hook answers that; else the host's own
// question is about the gateway's tools, and no rule on those behind is in it.
func (p *program) asker(ctx context.Context, a plugins.Adapter) (gateway.Asker, error) {
	d, err := a.Describe(ctx)
	if err != nil || !d.AsksPermission {
		return gateway.GatewayAsks, err
	}
	for _, e := range d.Events {
		ev, err := a.Decode(ctx, plugins.RawEvent{Name: e.Name, Payload: e.In(p.workspace), Dir: p.workspace, Machine: p.machine(p.env)})
		if err != nil {
			return gateway.GatewayAsks, fmt.Errorf("the adapter's sample of %s: %w", e.Name, err)
		}
		if ev.Kind == event.ToolBefore {
			return gateway.HookAsks, nil
		}
	}
	return gateway.HostAsks, nil
}

// machine describes the user's side to the adapter, with the process that the
// host is: rules may be given on its command line alone.
func (p *program) machine(env []string) plugins.Machine {
	env = append(slices.Clone(env), "CTX_HOST_PID="+strconv.Itoa(rendezvous.HostPID()))
	return plugins.Machine{Home: p.layout.Home, Env: env}
}
