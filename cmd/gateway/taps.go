package main

import (
	"context"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// taps are the user's, for all conversations of this process.
type taps struct {
	library *tap.Library
	read    func() // the first time that it is called
	log     hclog.Logger

	load   func() // the router, the first time that it is called
	loaded chan struct{}
	// Once loaded is closed:
	router   *activate.Router
	degraded error
}

var _ loader.Taps = (*taps)(nil)

// openTaps returns nil for a user who has no tap: nothing is then as much as
// looked for. A tap that is added later counts from the next session on.
func (p *program) openTaps() *taps {
	store := tap.Open(p.layout)
	if !store.Any() {
		return nil
	}
	t := &taps{library: tap.NewLibrary(store, p.config.Providers), log: p.log.Named("taps"), loaded: make(chan struct{})}
	t.read = sync.OnceFunc(func() { t.tell(t.library.Load()) })
	t.load = sync.OnceFunc(func() {
		go func() {
			t.router, t.degraded = loader.OpenRouter(p.layout, p.config, p.env, t.log)
			close(t.loaded)
			t.prepare(context.Background(), t.Catalog())
		}()
	})
	return t
}

// follow reads the taps whenever their files change, until ctx ends.
func (t *taps) follow(ctx context.Context, route bool) {
	t.read()
	if route {
		t.load()
	}
	t.library.Watch(ctx, t.log, func(c *tap.Catalog) {
		t.tell(c)
		select {
		case <-t.loaded:
			t.prepare(ctx, c)
		default: // it is prepared when it is loaded
		}
	})
}

// prepare spares the next prompt what does not depend on it.
func (t *taps) prepare(ctx context.Context, c *tap.Catalog) {
	if err := t.router.Prepare(ctx, loader.Candidates(c, nil)); err != nil && ctx.Err() == nil {
		t.log.Warn("the next prompt is routed later than it could be", "error", err)
	}
}

func (t *taps) tell(c *tap.Catalog) {
	for _, p := range c.Problems {
		if p.Severity == tap.Error {
			t.log.Warn("taps", "problem", p.String())
		}
	}
}

// Catalog implements [loader.Taps].
func (t *taps) Catalog() *tap.Catalog {
	t.read()
	return t.library.Catalog()
}

// Router implements [loader.Taps].
func (t *taps) Router(ctx context.Context) (loader.Router, error, error) {
	t.load()
	select {
	case <-t.loaded:
		return t.router, t.degraded, nil
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
}

// newLoader makes the loader of a session, nil where the user has no tap.
func (p *program) newLoader(b *hook.Binding) *loader.Loader {
	if p.taps == nil {
		return nil
	}
	return loader.New(loader.Options{
		Taps: p.taps, Config: p.config, Trust: p.trust, Sessions: p.state, Session: b.Session,
		Env: p.env, Cache: p.cache, Log: p.log.Named("capability"),
	})
}
