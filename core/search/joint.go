package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/listing"
)

// Where several tools come near a query, vectors cannot tell which of them does
// the job: they were made of each text alone. A network that reads the query and
// a few of them together can, in the time of a few vectors. Of what a search may
// take, many tools in few words made the most: chosen on MetaTool's training
// questions for the tools that models/train/folds.json leaves out.
const (
	jointNear   = 0.2  // below the score of the first: what is further behind is not read
	jointMost   = 8    // tools that are read
	jointTokens = 8    // of each: its name and how it begins to say what it does
	jointWeight = 0.03 // of a logit, beside a cosine
)

// ErrUnread is part of an error where the first tools could not be read together
// with the query: what was found is in order without.
var ErrUnread = errors.New("the first tools are not read together with the query")

// Chooser is a sentence model that can also read a query together with a few
// candidates, as [embed.Model.Choose] does.
type Chooser interface {
	Chooses() bool
	Choose(ctx context.Context, request string, candidates []embed.Candidate) (each []float64, none float64, err error)
}

// Reread has the best of these hits, best first, read together with the query,
// and puts them in order by both. Those that are outdated, by their Doc, are
// raised no more than the others; nil: none is. Where the model has no network for
// it the hits are as they were, and where that fails too: the error is ErrUnread.
func Reread(ctx context.Context, model Embedder, query string, hits []Hit, tools []listing.Tool, outdated []int) ([]Hit, error) {
	chooser, ok := model.(Chooser)
	if !ok || !chooser.Chooses() {
		return hits, nil
	}
	var texts []embed.Candidate
	for n, h := range hits {
		if n == jointMost || h.Score < hits[0].Score-jointNear {
			break
		}
		texts = append(texts, embed.Candidate{Card: brief(tools[h.Doc]), Most: jointTokens})
	}
	if len(texts) < 2 {
		return hits, nil
	}
	each, none, err := chooser.Choose(ctx, cut(query, mostQuery), texts)
	if err == nil && len(each) != len(texts) {
		err = fmt.Errorf("the model has %d scores for %d tools", len(each), len(texts))
	}
	if err == nil && slices.ContainsFunc(append(each, none), func(x float64) bool { return x-x != 0 }) {
		err = errors.New("the model gives no numbers")
	}
	if err != nil {
		return hits, fmt.Errorf("%w: %w", ErrUnread, err)
	}
	stale := func(i int) bool { return slices.Contains(outdated, hits[i].Doc) }
	best, least := math.Inf(-1), slices.Min(each)
	for i, logit := range each {
		if !stale(i) {
			best = max(best, logit)
		}
	}
	out := slices.Clone(hits)
	for i := range out {
		logit := least // what was not read stays behind what was, as far as it was
		switch {
		case i < len(each) && stale(i): // it says much the same as what took its place
			logit = max(least, min(each[i], best))
		case i < len(each):
			logit = each[i]
		}
		out[i].Score += jointWeight * (logit - none)
	}
	slices.SortStableFunc(out, compare)
	return out, nil
}

// brief is what is read of a tool in a few tokens: not its server, whose name
// may be longer.
func brief(t listing.Tool) string { return spelt(t.Name) + ": " + cut(t.Description, mostText) }
