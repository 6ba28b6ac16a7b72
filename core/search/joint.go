package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// Where several tools come near a query, vectors cannot tell which of them does
// the job: they were made of each text alone. A network that reads the query and
// a few of them together can, in the time of a few vectors. Of what a search may
// take, many tools in few words made the most: chosen on MetaTool's training
// questions for the tools that models/train/folds.json leaves out.
const (
	jointNear   = 0.2  // below the score of the first: what is further behind is not read
	jointMost   = 8    // tools that are read
	jointTokens = 8    // of each: its server, its name and how it begins to say what it does
	jointWeight = 0.03 // of a logit, beside a cosine
)

// Chooser is a sentence model that can also read a query together with a few
// candidates, as [embed.Model.Choose] does.
type Chooser interface {
	Chooses() bool
	Choose(ctx context.Context, request string, candidates []embed.Candidate) (each []float64, none float64, err error)
}

// Reread has the best of these hits, best first, read together with the query,
// and puts them in order by both. text is that of a document. Where the model
// has no network for it the hits are as they were.
func Reread(ctx context.Context, model Embedder, query string, hits []Hit, text func(doc int) string) ([]Hit, error) {
	chooser, ok := model.(Chooser)
	if !ok || !chooser.Chooses() {
		return hits, nil
	}
	n := 0
	for n < min(len(hits), jointMost) && hits[n].Score >= hits[0].Score-jointNear {
		n++
	}
	if n < 2 {
		return hits, nil
	}
	read := make([]embed.Candidate, n)
	for i := range read {
		read[i] = embed.Candidate{Card: text(hits[i].Doc), Most: jointTokens}
	}
	each, none, err := chooser.Choose(ctx, cut(query, mostQuery), read)
	if err == nil && len(each) != n {
		err = fmt.Errorf("the model has %d scores for %d tools", len(each), n)
	}
	if err != nil {
		return hits, fmt.Errorf("read tools together with the query: %w", err)
	}
	out := slices.Clone(hits)
	for i := range out {
		// What was not read stays behind what was, as far as it was.
		logit := slices.Min(each)
		if i < n {
			logit = each[i]
		}
		out[i].Score += jointWeight * (logit - none)
	}
	slices.SortStableFunc(out, compare)
	return out, nil
}
