package activate

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// Router decides. It is safe for concurrent use.
type Router struct {
	scorer *Scorer
	packer packer
	cache  *embed.Cache // nil without a model
	close  func() error

	mu      sync.Mutex
	field   *field
	known   [sha256.Size]byte // the texts that field is made of
	unsaved error

	calibrations map[string]Calibration // by fingerprint
}

// New makes a router of a scorer; model is nil for one that needs none. The
// vectors of candidates are kept in cacheDir, "" for in memory alone. The error
// is a cache file that could not be used: the router works all the same.
func New(s *Scorer, model Encoder, cacheDir string) (*Router, error) {
	r := &Router{scorer: s}
	if s.Model == "" {
		return r, nil
	}
	r.packer = packer{model, s.projection}
	sum := sha256.Sum256([]byte(s.Projection.Mean + s.Projection.Basis))
	var err error
	r.cache, err = embed.OpenCache(cacheDir, fmt.Sprintf("%s-%x", model.ID(), sum[:4]), r.packer)
	return r, err
}

// Ranker is the name of the model in use, "lexical" without one.
func (r *Router) Ranker() string {
	if r.scorer.Model == "" {
		return "lexical"
	}
	return r.scorer.Model
}

// Model is the sentence model in use, nil without one. It may be used beside the
// router, for other texts.
func (r *Router) Model() Encoder { return r.packer.model }

// Request is one prompt with what it may ask for.
type Request struct {
	Prompt     string // as the user sent it
	Domain     string // the session's, "" for none
	Candidates []Candidate
	ActivateAt *float64 // nil: the calibration's of the tap of the one that fits best, else the scorer's
	SuggestAt  *float64
	MinChars   int  // fewer characters that are no white space: silence
	NoSuggest  bool // activate or be silent
}

// Decide scores every candidate, those included that may not be activated: one
// of these can be what the prompt means, and then nothing is done.
func (r *Router) Decide(ctx context.Context, q Request) (Decision, error) {
	d := Decision{Ranker: r.Ranker(), Prompt: own(q.Prompt), Thresholds: r.scorer.Calibration, None: 1, Scores: []Score{}}
	d.Thresholds.override(q)
	candidates := routable(q.Candidates)
	if n := nonSpace(d.Prompt); n < q.MinChars || n == 0 {
		d.silence("%d characters of the user's own, fewer than %d", n, max(q.MinChars, 1))
		return d, nil
	}
	if len(candidates) == 0 {
		d.silence("no capability has triggers")
		return d, nil
	}
	f, rows, prompt, err := r.features(ctx, d.Prompt, candidates)
	if err != nil {
		return d, fmt.Errorf("route a prompt: %w", err)
	}
	each, none := r.scorer.probabilities(rows, outside(candidates, q.Domain), d.Prompt, prompt.vector)
	joint, err := r.read(ctx, f, d.Prompt, prompt, candidates, each, none)
	if err != nil {
		return d, fmt.Errorf("route a prompt: %w", err)
	}
	if joint != nil {
		each, none = r.scorer.Joint.mix(*joint, each, none)
	}
	if math.IsNaN(none) { // then all of them are
		return d, fmt.Errorf("route a prompt: %s and its scorer give no numbers", r.Ranker())
	}
	d.None = none
	for i, c := range candidates {
		named := map[string]float64{}
		for j, name := range r.scorer.Features {
			named[name] = rows[i][j]
		}
		d.Scores = append(d.Scores, Score{c.Name, each[i], c.gate(q.Domain), named})
	}
	if len(f.tuned) > 0 {
		d.adjust(func(name string) *tuned { return f.tuned[name] })
	}
	d.verbatim(candidates)
	d.sort()
	if t := f.tuned[d.Scores[0].Name]; t != nil { // the tap of the one that fits best decides
		d.Thresholds, d.Calibrated = t.Thresholds, t.tap
		d.Thresholds.override(q)
	}
	d.settle(!q.NoSuggest)
	return d, nil
}

// override lets the user's own settings win.
func (t *Thresholds) override(q Request) {
	if q.ActivateAt != nil {
		t.ActivateAt = *q.ActivateAt
	}
	if q.SuggestAt != nil {
		t.SuggestAt = *q.SuggestAt
	}
}

// Routable counts the candidates that a prompt can lead to.
func Routable(candidates []Candidate) int { return len(routable(candidates)) }

func routable(candidates []Candidate) []Candidate {
	return slices.DeleteFunc(slices.Clone(candidates), func(c Candidate) bool { return len(c.Triggers) == 0 })
}

func outside(candidates []Candidate, domain string) []bool {
	out := make([]bool, len(candidates))
	for i, c := range candidates {
		out[i] = c.Outside(domain)
	}
	return out
}

func (r *Router) features(ctx context.Context, prompt string, candidates []Candidate) (*field, [][]float64, encoded, error) {
	f, err := r.prepare(ctx, candidates)
	if err != nil {
		return nil, nil, encoded{}, err
	}
	if r.cache == nil {
		return f, f.features(prompt, nil), encoded{}, nil
	}
	rows, err := r.packer.Embed(ctx, []string{prompt})
	if err != nil {
		return nil, nil, encoded{}, err
	}
	e := r.packer.unpack(rows[0])
	return f, f.features(prompt, &e), e, nil
}

// Prepare computes what does not depend on a prompt, so that the first one
// needs not wait for it, and keeps it.
func (r *Router) Prepare(ctx context.Context, candidates []Candidate) error {
	_, err := r.prepare(ctx, routable(candidates))
	return err
}

func (r *Router) prepare(ctx context.Context, candidates []Candidate) (*field, error) {
	h := sha256.New()
	for _, c := range candidates {
		fmt.Fprintf(h, "%q %q %q %q %q %q\n", c.Name, c.Title, c.Description, c.Triggers, c.Domains, c.Tap)
	}
	key := [sha256.Size]byte(h.Sum(nil))
	f, made, err := r.fieldOf(ctx, candidates, key)
	if made && r.cache != nil {
		// Costs time, never an answer; and what was made before ctx ended need not
		// be made again.
		unsaved := r.cache.Save()
		r.mu.Lock()
		r.unsaved = unsaved
		r.mu.Unlock()
	}
	return f, err
}

// fieldOf is the field of candidates whose texts have the hash key; made says
// that it was not there yet.
func (r *Router) fieldOf(ctx context.Context, candidates []Candidate, key [sha256.Size]byte) (f *field, made bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.field != nil && r.known == key {
		return r.field, false, nil
	}
	if f, err = newField(ctx, candidates, r.cache, r.packer); err != nil {
		return nil, true, err
	}
	f.tune(candidates, r.calibrations)
	r.field, r.known = f, key
	return f, true, nil
}

// Problem is what does not work though decisions do: vectors that could not be
// kept, so that they have to be computed again. nil is the normal case.
func (r *Router) Problem() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unsaved
}

// Baseline returns the thresholds of a ranker that the product is only compared
// with; both are 0 for one that the scorer's file does not know.
func (r *Router) Baseline(name string) Thresholds { return r.scorer.Baselines[name] }
