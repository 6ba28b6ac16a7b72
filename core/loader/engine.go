package loader

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// ErrLate is that the sentence model was not ready when an answer was due.
var ErrLate = errors.New("the sentence model was not ready in time")

// ErrFailed is that the sentence model was ready and did not answer.
var ErrFailed = errors.New("the sentence model does not answer")

// passing reports whether words alone decide this once, though there is a model.
func passing(degraded error) bool {
	return errors.Is(degraded, ErrLate) || errors.Is(degraded, ErrFailed)
}

// Engine is what all conversations of a process route with: a router, and in
// it the sentence model, that is loaded once and in the background. Until it is
// ready, and where it takes too long, words alone decide. Its methods may be
// called concurrently.
type Engine struct {
	open    func(meanwhile func(*activate.Router)) (*activate.Router, error)
	catalog func() *tap.Catalog
	log     hclog.Logger
	start   func()
	phrases func() []string
	words   func() *activate.Router
	tune    func(*activate.Router)

	ready chan struct{} // closed once the router could decide at once
	// Once ready is closed:
	router   *activate.Router
	degraded error
}

// NewEngine makes an engine that loads nothing before [Engine.Start]. open
// returns a router in any case; its error says why that one routes by words
// alone. While it loads the model, open may call meanwhile with the router.
// catalog is the taps as they are now, phrases what skills compare prompts with.
func NewEngine(open func(meanwhile func(*activate.Router)) (*activate.Router, error), catalog func() *tap.Catalog, phrases func() []string, log hclog.Logger) *Engine {
	e := &Engine{open: open, catalog: catalog, phrases: phrases, log: log, ready: make(chan struct{})}
	e.start = sync.OnceFunc(func() { go e.load() })
	e.words = sync.OnceValue(func() *activate.Router {
		r, _ := activate.New(activate.Lexical(), nil, "") // without a cache nothing can fail
		if e.tune != nil {
			e.tune(r)
		}
		return r
	})
	return e
}

// Tune is called with the router that decides by words, before it does. It is to
// be set before the engine is used.
func (e *Engine) Tune(f func(*activate.Router)) { e.tune = f }

// Start begins to load the router. It does not wait.
func (e *Engine) Start() { e.start() }

func (e *Engine) load() {
	ctx := context.Background()
	r, degraded := e.open(func(r *activate.Router) {
		// What goes wrong here goes wrong again below, where it is told.
		_ = r.Prepare(ctx, Candidates(e.catalog(), nil))
		_ = r.PreparePhrases(ctx, e.phrases())
	})
	e.prepare(ctx, r, e.catalog())
	if err := r.PreparePhrases(ctx, e.phrases()); err != nil {
		e.log.Warn("the phrases of skills are compared later than they could be", "error", err)
	}
	e.router, e.degraded = r, degraded
	close(e.ready)
	if m := r.Model(); m != nil {
		// The first text takes the network's memory, and its time.
		if _, err := m.Encode(ctx, []string{"a text of some words"}); err != nil {
			e.log.Warn("the sentence model does not answer", "error", err)
		}
	}
}

// Prepare spares the next prompt what does not depend on it. It does nothing
// before the router is there.
func (e *Engine) Prepare(ctx context.Context, c *tap.Catalog) {
	if r := e.loaded(); r != nil {
		e.prepare(ctx, r, c)
	}
}

func (e *Engine) prepare(ctx context.Context, r *activate.Router, c *tap.Catalog) {
	if err := r.Prepare(ctx, Candidates(c, nil)); err != nil && ctx.Err() == nil {
		e.log.Warn("the next prompt is routed later than it could be", "error", err)
	}
	if err := r.Problem(); err != nil {
		e.log.Warn("vectors are not kept", "error", err)
	}
}

// loaded is the router, nil while there is none.
func (e *Engine) loaded() *activate.Router {
	select {
	case <-e.ready:
		return e.router
	default:
		return nil
	}
}

// Ready is closed once the router is loaded.
func (e *Engine) Ready() <-chan struct{} { return e.ready }

// Model is the sentence model that the process has loaded, nil while it is
// loading and where there is none. It is one for all who need one.
func (e *Engine) Model() activate.Encoder {
	if r := e.loaded(); r != nil {
		return r.Model()
	}
	return nil
}

// Decide implements [Taps].
func (e *Engine) Decide(ctx context.Context, q activate.Request) (d activate.Decision, degraded, err error) {
	e.Start()
	select {
	case <-e.ready:
	case <-ctx.Done():
		return e.byWords(q, ErrLate)
	}
	type answer struct {
		activate.Decision
		err error
	}
	done := make(chan answer, 1) // texts that are new to the model may keep it busy for long
	go func() {
		d, err := e.router.Decide(ctx, q)
		done <- answer{d, err}
	}()
	select {
	case a := <-done:
		switch {
		case a.err == nil:
			return a.Decision, e.degraded, nil
		case ctx.Err() == nil:
			return e.byWords(q, fmt.Errorf("%w: %w", ErrFailed, a.err))
		}
	case <-ctx.Done():
	}
	return e.byWords(q, ErrLate)
}

// byWords decides without waiting for anything; why is told.
func (e *Engine) byWords(q activate.Request, why error) (d activate.Decision, degraded, err error) {
	d, err = e.words().Decide(context.Background(), q)
	return d, why, err
}

// Degraded implements [Taps].
func (e *Engine) Degraded(ctx context.Context) error {
	e.Start()
	select {
	case <-e.ready:
		return e.degraded
	case <-ctx.Done():
		return nil
	}
}
