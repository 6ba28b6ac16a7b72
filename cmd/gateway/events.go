package main

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/gateway"
	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/rendezvous"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/plugins"
)

// events answers the session's hooks in this process, where everything that
// they need is in memory.
type events struct {
	*program
	once sync.Once
	hook *hook.Handler
	keep sync.Once
}

var _ rendezvous.Handler = (*events)(nil)

var errOtherHost = errors.New("it is of another host")

// Offer implements [rendezvous.Handler].
func (e *events) Offer(ctx context.Context, req rendezvous.Request) rendezvous.Claim {
	_, ev, err := e.decode(ctx, req)
	if err != nil {
		return rendezvous.No
	}
	return e.binding.Claim(ev, e.layout.Workspace(ev.Dir))
}

// Handle implements [rendezvous.Handler].
func (e *events) Handle(ctx context.Context, req rendezvous.Request) rendezvous.Reply {
	c, ev, err := e.decode(ctx, req)
	if err != nil {
		e.log.Warn("event not taken", "event", req.Event, "error", err)
		return rendezvous.Reply{}
	}
	claim, rebound := e.binding.Take(ev, e.layout.Workspace(ev.Dir))
	if claim == rendezvous.No {
		return rendezvous.Reply{}
	}
	if ev.Kind == event.Prompt {
		defer e.meaning.Prompted()()
	}
	if rebound {
		e.log.Info("another conversation begins", "session", ev.Session)
		e.wakes.wake()
	}
	// The next session's first hook may come before its gateway is up.
	e.keep.Do(func() { go e.listed(surface.Sources{}, nil) })
	if ev.Kind == event.Prompt && e.config.Gateway.Mode == "narrow" {
		e.narrow(ev)
	}
	switch ev.Kind {
	case event.Prompt:
		e.shadow.Prompt(ev.Session, ev.Prompt)
	case event.SessionEnd:
		e.shadow.End(ev.Session)
	}
	var reply event.Reply
	if ev.Kind != event.Other {
		reply = e.handler().Handle(ctx, ev)
	}
	if e.loader != nil {
		reply.Context = hook.Join(reply.Context, e.load(ctx, ev))
	}
	out, err := c.Encode(ctx, ev, reply)
	if err != nil {
		e.log.Warn("reply not encoded", "event", req.Event, "error", err)
	}
	return rendezvous.Reply{Claim: claim, Output: out}
}

func (e *events) decode(ctx context.Context, req rendezvous.Request) (*plugins.Client, event.Event, error) {
	if req.Host != e.host {
		return nil, event.Event{}, errOtherHost
	}
	c, err := e.adapter.use(ctx)
	if err != nil {
		return nil, event.Event{}, err
	}
	ev, err := c.Decode(ctx, plugins.RawEvent{Name: req.Event, Payload: req.Payload, Dir: req.Dir, Machine: e.machine(req.Env)})
	if err != nil {
		e.adapter.failed(c, err)
	}
	return c, ev, err
}

func (e *events) handler() *hook.Handler {
	e.once.Do(func() {
		e.hook = hook.New(hook.Options{
			Layout: e.layout, Workspace: e.workspace, Host: e.host,
			Config: e.config, Problems: e.problem,
			Sources: e.policy.Sources,
			Cache:   known{e.cache, e.policy}, Baseline: e.tools, State: e.state, Usage: e.usage,
			GatewayActive: true,
			Gateway:       e.listed,
			Waiting:       e.waiting,
			Brought:       e.brought,
			Admits:        e.admits,
			Profile:       func() *profile.Profile { return e.policy.Rules(context.Background()).Gate.Profile() },
			Log:           e.log.Named("hook"),
		})
	})
	return e.hook
}

// load lets the event change which capabilities are active, and returns what is
// to be said of it to the model, in one line.
func (e *events) load(ctx context.Context, ev event.Event) string {
	e.loader.Titled(ev.Title)
	switch {
	case strings.HasPrefix(ev.Session, state.ScratchPrefix):
	case ev.Kind == event.SessionStart && ev.Source == event.Clear:
		e.loader.Clear()
	case ev.Kind == event.Prompt:
		return e.loader.Prompt(ctx, ev.Prompt)
	default:
		e.loader.Follow()
	}
	return ""
}

// brought are the servers that no configuration of the host's declares: those of
// capabilities, and the workspace's own tools.
func (e *events) brought() []surface.Server {
	own := e.policy.running()
	if e.loader == nil {
		return own
	}
	return append(own, e.loader.Running()...)
}

// admits reports whether the session's capabilities leave a tool there.
func (e *events) admits(server, tool string) bool {
	return e.loader == nil || e.loader.Registry().Admits(server, tool)
}

// listed is what the gateway lists as far as the servers behind it are known,
// and leaves that for hooks that do not find the gateway up.
func (e *events) listed(surface.Sources, []surface.Server) (listing.Listing, bool) {
	rules := e.policy.Rules(context.Background())
	var offer gateway.Offer
	if e.loader != nil {
		offer.Bundles, offer.Skills = e.loader.Offers(context.Background())
	}
	l, err := gateway.Preview(e.config, rules, e.known(rules), offer)
	if err != nil {
		e.log.Warn("the gateway's own listing", "error", err)
		return l, false
	}
	if err := e.cache.PutGateway(e.host, l); err != nil {
		e.log.Warn("the gateway's own listing is not kept", "error", err)
	}
	return l, true
}

// narrow notes which tools fit the prompt; the gateway follows the session's
// state and lists them. A prompt that names nothing ("yes, do that") leaves the
// last choice, which is what it speaks of.
func (e *events) narrow(ev event.Event) {
	rules := e.policy.Rules(context.Background())
	ids := gateway.Relevant(rules, e.known(rules), ev.Prompt, e.config.Gateway.NarrowTo)
	if len(ids) == 0 {
		return
	}
	if _, err := e.state.Update(ev.Session, func(s *state.Session) { s.Relevant = ids }); err != nil {
		e.log.Warn("the tools that fit the prompt are not noted", "error", err)
	}
}

// known are the newest listings of the servers that the rules admit.
func (e *events) known(rules *gateway.Rules) []listing.Listing {
	cache := known{e.cache, e.policy}
	var all []listing.Listing
	for _, srv := range rules.Servers {
		if l, ok := cache.Any(srv.Name, srv.Fingerprint()); ok {
			all = append(all, l)
		}
	}
	return all
}

// waiting names the servers that the user has yet to approve, and the
// workspace's own tools likewise.
func (e *events) waiting(servers []surface.Server) []string {
	var names []string
	for _, srv := range servers {
		if s := e.trust.Check(srv, e.workspace); s == trust.Unknown || s == trust.Changed {
			names = append(names, srv.Name)
		}
	}
	return append(names, e.policy.waiting()...)
}
