package main

import (
	"context"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/plugindir"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// taps are the user's, for all conversations of this process.
type taps struct {
	*loader.Engine
	any     bool // there are capabilities, and not only skills
	library *tap.Library
	skills  *skill.Library
	read    func()        // the first time that it is called
	wanted  chan struct{} // closed by read
	route   bool          // prompts bring capabilities in
	log     hclog.Logger
}

var _ loader.Taps = (*taps)(nil)

// openTaps returns nil for a user who has no tap, no plugin and no skill: nothing is then as
// much as looked for. One that is added later counts from the next session on.
func (p *program) openTaps() *taps {
	store := tap.Open(p.layout)
	plugins := plugindir.Source{Layout: p.layout, Workspace: p.workspace}
	any := store.Any() || plugins.Any(store)
	if !any && !skill.Any(p.skillRoots()) {
		return nil
	}
	t := &taps{
		any: any, skills: skill.NewLibrary(p.skillRoots),
		library: tap.NewLibrary(store, p.config.Providers, plugins), wanted: make(chan struct{}),
		route: p.config.AutoCapabilities, log: p.log.Named("taps"),
	}
	t.read = sync.OnceFunc(func() {
		t.tell(t.library.Load())
		close(t.wanted)
	})
	t.Engine = loader.NewEngine(func(meanwhile func(*activate.Router)) (*activate.Router, error) {
		return loader.OpenRouter(p.layout, p.workspace, p.config, p.env, t.log, meanwhile)
	}, t.Catalog, t.phrases, t.log)
	t.Tune(func(r *activate.Router) { loader.Tune(p.layout, r, t.log) })
	return t
}

// Begin implements [loader.Taps].
func (t *taps) Begin() {
	go func() {
		if t.route {
			t.warm()
		}
		t.read()
	}()
}

// warm begins to load the model where a prompt needs one.
func (t *taps) warm() {
	if t.any || len(t.phrases()) > 0 {
		t.Start()
	}
}

// follow reads the taps again whenever their files change, once they are read
// at all, until ctx ends.
func (t *taps) follow(ctx context.Context) {
	select {
	case <-t.wanted:
	case <-ctx.Done():
		return
	}
	go t.trim(ctx)
	t.library.Watch(ctx, t.log, func(c *tap.Catalog) {
		t.tell(c)
		t.Prepare(ctx, c)
	})
}

// trim gives back what only loading took: half of the process, until the system
// would ask for it.
func (t *taps) trim(ctx context.Context) {
	select {
	case <-t.Ready():
		embed.Trim()
	case <-ctx.Done():
	}
}

func (t *taps) tell(c *tap.Catalog) {
	for _, p := range c.Problems {
		if p.Severity == tap.Error {
			t.log.Warn("taps", "problem", p.String())
		}
	}
}

// Any implements [loader.Taps].
func (t *taps) Any() bool { return t.any }

// Catalog implements [loader.Taps].
func (t *taps) Catalog() *tap.Catalog {
	t.read()
	return t.library.Catalog()
}

// newLoader makes the loader of a session, nil where the user has no tap and no
// skill.
func (p *program) newLoader(b *hook.Binding) *loader.Loader {
	if p.taps == nil {
		return nil
	}
	return loader.New(p.loaderOptions(b))
}

func (p *program) loaderOptions(b *hook.Binding) loader.Options {
	return loader.Options{
		Taps: p.taps, Config: p.config, Trust: p.trust, Sessions: p.state, Session: b.Session,
		Env: p.env, Cache: p.cache, Skills: p.loaderSkills(), Log: p.log.Named("capability"),
	}
}
