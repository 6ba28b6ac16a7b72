package loader

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/search"
)

// lengths is a model whose vector of a text is its length in two numbers.
type lengths struct {
	fail  error
	empty bool
}

func (lengths) ID() string { return "lengths" }

func (l lengths) Encode(_ context.Context, texts []string) ([]embed.Encoding, error) {
	if l.fail != nil || l.empty {
		return nil, l.fail
	}
	var out []embed.Encoding
	for _, text := range texts {
		out = append(out, embed.Encoding{Vector: []float32{float32(len(text)), 1}})
	}
	return out, nil
}

// meaningOf is a Meaning of which opened counts how often it opens a model.
func meaningOf(t *testing.T, e *Engine, model activate.Encoder, err error) (m *Meaning, opened *atomic.Int32) {
	t.Helper()
	opened = &atomic.Int32{}
	return NewMeaning(MeaningOptions{
		Engine: e, Dir: filepath.Join(t.TempDir(), "tools"), Log: hclog.NewNullLogger(),
		Open: func() (activate.Encoder, error) { opened.Add(1); return model, err },
	}), opened
}

func (m *Meaning) wait(t *testing.T) {
	t.Helper()
	select {
	case <-m.Ready():
	case <-time.After(20 * time.Second):
		t.Fatal("it is never ready")
	}
}

func TestNoModelIsLoadedForSearchesBeforeOneIsLikely(t *testing.T) {
	t.Parallel()
	m, opened := meaningOf(t, nil, lengths{}, nil)
	m.Prompted()() // there is nothing to search
	m.Want()
	if opened.Load() != 0 {
		t.Error("loaded without a search or a prompt")
	}
	if m.Prompt().IsZero() || time.Since(m.Prompt()) > time.Minute {
		t.Errorf("the last message came at %v", m.Prompt())
	}
	done := m.Prompted()
	if opened.Load() != 0 {
		t.Error("loaded while the prompt is being dealt with")
	}
	done()
	m.Prompted()()
	m.Begin()
	m.wait(t)
	model, err := m.Model()
	if err != nil || opened.Load() != 1 {
		t.Fatalf("opened %d times, %v", opened.Load(), err)
	}
	if v, err := model.Embed(t.Context(), []string{"abc"}); err != nil || v[0][0] != 3 {
		t.Errorf("%v, %v", v, err)
	}
}

func TestTheModelOfPromptsIsThatOfSearches(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*Engine, *Meaning){
		"a prompt loads it": func(e *Engine, _ *Meaning) { e.Start() },
		"a search loads it": func(_ *Engine, m *Meaning) { m.Begin() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(func(func(*activate.Router)) (*activate.Router, error) { return semantic(t), nil })
			m, opened := meaningOf(t, e, lengths{}, nil)
			start(e, m)
			m.wait(t)
			if _, err := m.Model(); err != nil || opened.Load() != 0 {
				t.Errorf("%v; a second one was opened %d times", err, opened.Load())
			}
		})
	}
}

// semantic is a router with a model whose vectors all have one size.
func semantic(t *testing.T) *activate.Router {
	t.Helper()
	s, err := activate.ReadScorer(filepath.Join("..", "..", "models", embed.DefaultModel, activate.ScorerFile))
	if err != nil {
		t.Fatal(err)
	}
	r, err := activate.New(s, flat(384), "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

type flat int

func (flat) ID() string { return "flat" }

func (n flat) Encode(_ context.Context, texts []string) ([]embed.Encoding, error) {
	out := make([]embed.Encoding, len(texts))
	for i := range out {
		v := make([]float32, n)
		v[0] = 1
		out[i] = embed.Encoding{Vector: v}
	}
	return out, nil
}

func TestWherePromptsGoByWordsSearchesTryForThemselves(t *testing.T) {
	t.Parallel()
	e := newEngine(func(func(*activate.Router)) (*activate.Router, error) {
		return lexical(t), errors.New("it has no scorer")
	})
	m, opened := meaningOf(t, e, lengths{}, nil)
	m.Begin()
	m.wait(t)
	if _, err := m.Model(); err != nil || opened.Load() != 1 {
		t.Errorf("opened %d times, %v", opened.Load(), err)
	}
}

func TestWhyThereIsNoModelForSearches(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		model lengths
		err   error
	}{
		embed.ErrNoLibrary.Error():                               {err: embed.ErrNoLibrary},
		"the sentence model does not answer: out of memory":      {model: lengths{fail: errors.New("out of memory")}},
		"the sentence model does not answer: it has no vector f": {model: lengths{empty: true}},
	} {
		m, _ := meaningOf(t, nil, c.model, c.err)
		m.Begin()
		m.wait(t)
		if _, err := m.Model(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestVectorsOfToolsHaveAFileOfTheirOwn(t *testing.T) {
	t.Parallel()
	m, _ := meaningOf(t, nil, lengths{}, nil)
	m.Begin()
	m.wait(t)
	kept, err := m.Keep([]string{"a tool"})
	if err == nil {
		_, err = kept.Embed(t.Context(), []string{"a tool"})
	}
	if err == nil {
		err = kept.Save()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(m.opts.Dir, "lengths-text1.vec")); err != nil {
		t.Error(err)
	}
	for _, v := range [][]float32{{1}, {1, 2, 3}, {1, float32(math.NaN())}, {float32(math.Inf(1)), 0}} {
		if m.model.Fits(v) {
			t.Errorf("%v is taken for one of the model's", v)
		}
	}
}

// choosing is a model that can read texts together.
type choosing struct {
	lengths
	err error
}

func (choosing) Chooses() bool { return true }

func (c choosing) Choose(_ context.Context, _ string, candidates []embed.Candidate) ([]float64, float64, error) {
	return make([]float64, len(candidates)), 1, c.err
}

func TestSearchesHaveTheModelReadWhereItCan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model   activate.Encoder
		chooses bool
		fails   bool
	}{
		"it can":    {choosing{}, true, false},
		"it cannot": {lengths{}, false, false},
		"it fails":  {choosing{err: errors.New("broken")}, true, true}, // searches are by vectors then
	} {
		m, _ := meaningOf(t, nil, c.model, nil)
		m.Begin()
		m.wait(t)
		model, err := m.Model()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		chooser, ok := model.(search.Chooser)
		if !ok || chooser.Chooses() != c.chooses {
			t.Errorf("%s: it says the other", name)
		}
		if _, none, err := chooser.Choose(t.Context(), "a", []embed.Candidate{{}}); (err == nil) != (c.chooses && !c.fails) || err == nil && none != 1 {
			t.Errorf("%s: none has %v (%v)", name, none, err)
		}
	}
}
