package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/search"
)

// Meaning is a sentence model for searches; see [*loader.Meaning].
type Meaning interface {
	// Want says that there is something to search.
	Want()
	// Begin begins to load the model. It does not wait.
	Begin()
	// Ready is closed once Model answers.
	Ready() <-chan struct{}
	// Model is the model; the error says why there is none.
	Model() (search.Embedder, error)
	// Prompt is when the user's last message came, zero when none has.
	Prompt() time.Time
	// Keep puts what is kept of earlier sessions in front of the model, for a list
	// of texts. What is returned works where there is an error, too.
	Keep(texts []string) (Kept, error)
}

// Kept is a model's vectors that are kept; see [*embed.Kept].
type Kept interface {
	search.Embedder
	Save() error
}

const (
	// meaningWait is how long all searches of a session together wait for the model
	// and for what it makes of the tools. That is nothing to an agent, which often
	// searches only once, and enough to read two hundred tools for the first time.
	meaningWait = 1500 * time.Millisecond
	// patientWait is how long a search waits that says that it has the time.
	patientWait = 10 * time.Second
	// calm is how long the model reads nothing after a message of the user's, which
	// is being dealt with: nobody waits for what it reads but a search.
	calm = time.Second
	// queryWait is how long a model that is ready may take for a query.
	queryWait = 500 * time.Millisecond
	// saveEvery is how often what a model makes of many tools is written down, so
	// that little is lost with the session.
	saveEvery = 5 * time.Second
)

// errReading is that the model is not ready for a search.
var errReading = errors.New("the sentence model is still reading the tools")

// reader has the sentence model read the tools of one session, in the
// background, so that they can be found by what they mean.
type reader struct {
	gateway *Gateway
	model   Meaning
	on      atomic.Bool   // the session has a search
	news    chan struct{} // the catalog may have become another

	waiting atomic.Int32 // searches

	mu      sync.Mutex
	vectors *search.Vectors // of the tools that were read last
	failed  error           // why there are none
	changed chan struct{}   // closed, and made anew, when one of these changes
	until   time.Time       // when searches stop to wait; zero: none has begun
	said    map[string]bool
}

func newReader(g *Gateway, m Meaning) *reader {
	return &reader{gateway: g, model: m, news: make(chan struct{}, 1), changed: make(chan struct{}), said: map[string]bool{}}
}

// begin follows the session's tools, which are to be searched.
func (r *reader) begin() {
	if r.model == nil {
		return
	}
	r.on.Store(true)
	go r.follow(r.gateway.ctx)
}

// notice is called with every new catalog. It does not wait.
func (r *reader) notice(c *catalog) {
	if !r.on.Load() || len(c.tools) == 0 {
		return
	}
	r.model.Want()
	select {
	case r.news <- struct{}{}:
	default: // it is to look anyway
	}
}

func (r *reader) follow(ctx context.Context) {
	select {
	case <-r.model.Ready():
	case <-ctx.Done():
		return
	}
	if _, err := r.model.Model(); err != nil {
		r.settle(nil, err)
		return
	}
	for {
		r.gateway.mu.Lock()
		c := r.gateway.catalog
		r.gateway.mu.Unlock()
		if c != nil && len(c.tools) > 0 && c.vectors.Load() == nil {
			r.read(ctx, c)
		}
		select {
		case <-r.news:
		case <-ctx.Done():
			return
		}
	}
}

// read has the model read the tools of a catalog.
func (r *reader) read(ctx context.Context, c *catalog) {
	log := r.gateway.log
	texts := search.Texts(c.tools)
	kept, err := r.model.Keep(texts)
	if err != nil {
		log.Warn("what the sentence model made of tools before is made anew", "error", err)
	}
	save := func() {
		if err := kept.Save(); err != nil {
			log.Warn("what the sentence model makes of tools is not kept", "error", err)
		}
	}
	began := time.Now()
	last, asked := began, false
	log.Debug("the sentence model reads the tools; until then they are found by words alone", "tools", len(texts))
	v, err := search.Embed(ctx, calmly{kept, r}, texts, r.known(), 1, func(int) {
		asked = true
		if time.Since(last) > saveEvery {
			save()
			last = time.Now()
		}
	})
	save()
	switch {
	case ctx.Err() != nil:
		return
	case err == nil:
		c.vectors.Store(v)
		log.Debug("tools are found by what they mean", "tools", len(texts), "took", time.Since(began))
	}
	r.settle(v, err)
	if asked {
		embed.Trim()
	}
}

// calmly is a model that is asked for nothing while the user's message is being
// dealt with, unless a search waits for it.
type calmly struct {
	search.Embedder
	reader *reader
}

// Embed implements [search.Embedder].
func (c calmly) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for c.reader.waiting.Load() == 0 && time.Since(c.reader.model.Prompt()) < calm {
		select {
		case <-look.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return c.Embedder.Embed(ctx, texts)
}

func (r *reader) known() *search.Vectors {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.vectors
}

func (r *reader) settle(v *search.Vectors, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed = err; err == nil {
		r.vectors = v
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// await returns the vectors of the tools of a catalog; the error says why there
// are none. It waits for as long as a search may.
func (r *reader) await(ctx context.Context, c *catalog, patient bool) (*search.Vectors, error) {
	r.model.Begin()
	r.mu.Lock()
	if r.until.IsZero() {
		r.until = time.Now().Add(meaningWait)
	}
	until := r.until
	r.mu.Unlock()
	if patient {
		until = time.Now().Add(patientWait)
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	r.waiting.Add(1)
	defer r.waiting.Add(-1)
	for {
		if v := c.vectors.Load(); v != nil {
			return v, nil
		}
		r.mu.Lock()
		known, failed, changed := r.vectors, r.failed, r.changed
		r.mu.Unlock()
		if failed != nil {
			return nil, failed
		}
		if known != nil {
			// The rules have changed, and leave no tool that has not been read.
			if v := known.Reuse(search.Texts(c.tools)); v != nil {
				c.vectors.Store(v)
				r.settle(v, nil)
				return v, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, errReading
		}
	}
}

// find ranks the tools of a catalog for a query; degraded says why that is by
// words alone, nil where it is not.
func (r *reader) find(ctx context.Context, c *catalog, query string, limit int, patient bool) (hits []search.Hit, degraded error) {
	words := func() []search.Hit { return c.index().Search(query, limit) }
	if !r.on.Load() || len(c.tools) == 0 {
		return words(), nil
	}
	vectors, err := r.await(ctx, c, patient)
	if err != nil {
		return words(), err
	}
	model, err := r.model.Model()
	if err != nil {
		return words(), err
	}
	ranking := search.Ranking{Words: c.index(), Vectors: vectors, Tools: c.tools}
	type answer struct {
		hits []search.Hit
		err  error
	}
	done := make(chan answer, 1) // a model may be busy for long
	go func() {
		hits, err := ranking.Find(ctx, model, query, limit)
		done <- answer{hits, err}
	}()
	late := time.NewTimer(queryWait)
	defer late.Stop()
	select {
	case a := <-done:
		return a.hits, a.err
	case <-late.C:
		return words(), errors.New("the sentence model takes too long")
	case <-ctx.Done():
		return words(), nil // nobody reads it
	}
}

// warning is what an answer says of a degraded search: of what only passes each
// time, of what stays the first time.
func (r *reader) warning(degraded error) string {
	if degraded == nil {
		return ""
	}
	what := "tools are found by words alone"
	if errors.Is(degraded, search.ErrUnread) {
		what = "tools are found by words and vectors alone"
	}
	text := fmt.Sprintf("%s: %v", what, degraded)
	r.mu.Lock()
	told := r.said[text]
	r.said[text] = true
	r.mu.Unlock()
	switch {
	case errors.Is(degraded, errReading):
		r.gateway.log.Debug("a search goes by words alone", "why", degraded)
		return text
	case told:
		return ""
	}
	r.gateway.log.Warn(what, "why", degraded)
	return text
}

// search ranks the tools for a query. A tool that is named outright comes first.
func (g *Gateway) search(ctx context.Context, c *catalog, query string, limit int, patient bool) (tools []listing.Tool, warning string) {
	hits, degraded := g.reader.find(ctx, c, query, limit, patient)
	return c.named(query, hits, limit), g.reader.warning(degraded)
}
