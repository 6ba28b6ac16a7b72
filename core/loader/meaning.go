package loader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/search"
)

// Meaning is the sentence model of a process for its searches: the one that
// prompts are routed with where that is loaded, so that there is never a second
// one, else one of its own. Loading it costs memory that a conversation without
// a search needs not, so nothing is loaded before it is wanted. Its methods may
// be called concurrently.
type Meaning struct {
	opts   MeaningOptions
	wanted atomic.Bool
	prompt atomic.Pointer[time.Time]
	begin  func()

	ready chan struct{} // closed once the model has answered a first time
	// Once ready is closed:
	model sentences
	err   error
}

// MeaningOptions are what a Meaning works with.
type MeaningOptions struct {
	// Engine is what prompts are routed with, nil where none are.
	Engine *Engine
	// Open loads a model, where the engine has none.
	Open func() (activate.Encoder, error)
	// Dir is the folder for the vectors of tools; see [Vectors].
	Dir string
	Log hclog.Logger
}

// NewMeaning makes a Meaning that has loaded nothing.
func NewMeaning(o MeaningOptions) *Meaning {
	m := &Meaning{opts: o, ready: make(chan struct{})}
	m.begin = sync.OnceFunc(func() { go m.load() })
	if o.Engine != nil {
		go func() {
			<-o.Engine.Ready() // it is loaded for prompts, and costs nothing more
			m.Begin()
		}()
	}
	return m
}

// Want says that there is something to search.
func (m *Meaning) Want() { m.wanted.Store(true) }

// Prompted says that the user has sent a message, and done that it is dealt with:
// a search may follow in some seconds, if there is something to search. Neither
// waits.
func (m *Meaning) Prompted() (done func()) {
	now := time.Now()
	m.prompt.Store(&now)
	return func() {
		if m.wanted.Load() {
			m.Begin()
		}
	}
}

// Prompt is when the user's last message came, zero when none has.
func (m *Meaning) Prompt() time.Time {
	if t := m.prompt.Load(); t != nil {
		return *t
	}
	return time.Time{}
}

// Begin begins to load the model. It does not wait.
func (m *Meaning) Begin() { m.begin() }

// Ready is closed once [Meaning.Model] answers.
func (m *Meaning) Ready() <-chan struct{} { return m.ready }

// Model is the model, which there is none of where the error says why. It is to
// be asked for once it is ready.
func (m *Meaning) Model() (search.Embedder, error) { return m.model, m.err }

// Keep puts what is kept of earlier conversations in front of the model, for a
// list of texts. What is returned works where there is an error, too.
func (m *Meaning) Keep(texts []string) (*embed.Kept, error) {
	name := fmt.Sprintf("%s-text%d", m.model.ID(), search.TextVersion)
	return embed.OpenKept(m.opts.Dir, name, m.model, texts)
}

func (m *Meaning) load() {
	defer close(m.ready)
	var model activate.Encoder
	if e := m.opts.Engine; e != nil {
		e.Start()
		<-e.Ready()
		model = e.Model()
	}
	if model == nil {
		if model, m.err = m.opts.Open(); m.err != nil {
			return
		}
	}
	// The first text takes the network's memory, and its time, and tells the size
	// of vectors.
	first, err := model.Encode(context.Background(), []string{"a text of some words"})
	if err == nil && len(first) != 1 {
		err = errors.New("it has no vector for a text")
	}
	if err != nil {
		m.err = fmt.Errorf("the sentence model does not answer: %w", err)
		return
	}
	m.model = sentences{model, len(first[0].Vector)}
	if m.model.Chooses() { // what fails now fails at the first search, which says so
		_, _, _ = m.model.Choose(context.Background(), "a request", []embed.Candidate{{Card: "a text of some words"}})
	}
	m.opts.Log.Debug("the sentence model is loaded for searches", "model", model.ID())
}

// sentences is an encoder of which the vectors of whole texts are wanted.
type sentences struct {
	activate.Encoder
	size int
}

// Embed implements [embed.Embedder].
func (s sentences) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	encoded, err := s.Encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	return embed.Vectors(encoded), nil
}

// Chooses implements [search.Chooser].
func (s sentences) Chooses() bool {
	c, ok := s.Encoder.(search.Chooser)
	return ok && c.Chooses()
}

// Choose implements [search.Chooser].
func (s sentences) Choose(ctx context.Context, request string, candidates []embed.Candidate) ([]float64, float64, error) {
	c, ok := s.Encoder.(search.Chooser)
	if !ok {
		return nil, 0, fmt.Errorf("the model %s has no network that chooses", s.ID())
	}
	return c.Choose(ctx, request, candidates)
}

// Fits implements [embed.Embedder].
func (s sentences) Fits(v []float32) bool {
	return len(v) == s.size && !slices.ContainsFunc(v, func(x float32) bool { return x-x != 0 })
}
