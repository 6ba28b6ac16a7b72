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
// and puts them in order by both. text is that of a document, "" for one that is
// not read. Where the model has no network for it the hits are as they were.
func Reread(ctx context.Context, model Embedder, query string, hits []Hit, text func(doc int) string) ([]Hit, error) {
	chooser, ok := model.(Chooser)
	if !ok || !chooser.Chooses() {
		return hits, nil
	}
	var read []int
	var texts []embed.Candidate
	for i, h := range hits {
		if len(read) == jointMost || h.Score < hits[0].Score-jointNear {
			break
		}
		if t := text(h.Doc); t != "" {
			read, texts = append(read, i), append(texts, embed.Candidate{Card: t, Most: jointTokens})
		}
	}
	if len(read) < 2 {
		return hits, nil
	}
	each, none, err := chooser.Choose(ctx, cut(query, mostQuery), texts)
	if err == nil && len(each) != len(read) {
		err = fmt.Errorf("the model has %d scores for %d tools", len(each), len(read))
	}
	if err != nil {
		return hits, fmt.Errorf("read tools together with the query: %w", err)
	}
	// What was not read stays behind what was, as far as it was.
	logits := slices.Repeat([]float64{slices.Min(each)}, len(hits))
	for i, at := range read {
		logits[at] = each[i]
	}
	out := slices.Clone(hits)
	for i := range out {
		out[i].Score += jointWeight * (logits[i] - none)
	}
	slices.SortStableFunc(out, compare)
	return out, nil
}
