package search

import (
	"context"
	"fmt"
	"strings"

	"github.com/ctx-sidecar/ctx/core/listing"
)

// Ranking is how ctx finds tools: by their words and, where a model has read
// them, by what they mean. It is safe for concurrent use.
type Ranking struct {
	Words   *Index
	Vectors *Vectors       // of the texts of the same documents, see [Texts]; nil: words alone
	Tools   []listing.Tool // the same documents, for a model that can read a few of them with the query; nil: none is read
}

// Texts are what a sentence model gets to see of tools.
func Texts(tools []listing.Tool) []string {
	texts := make([]string, len(tools))
	for i, t := range tools {
		texts[i] = Text(t)
	}
	return texts
}

// Find returns the best documents for a query, the best first, at most limit. By
// words alone those are left out that share none with it; a model has an opinion
// of each. Where the model fails, the hits are those by words and the error says
// why; with ErrUnread they are those by words and model, but for a second look.
func (r Ranking) Find(ctx context.Context, model Embedder, query string, limit int) ([]Hit, error) {
	scores, terms := r.Words.scores(query)
	if r.Vectors == nil || !strings.ContainsFunc(query, wordRune) {
		return shared(scores, limit), nil
	}
	cosines, err := r.cosines(ctx, model, query)
	if err != nil {
		return shared(scores, limit), err
	}
	hits := r.Words.fuse(cosines, scores, terms, wordsWeight, max(limit, jointMost))
	if r.Tools != nil {
		hits, err = Reread(ctx, model, query, hits, r.Tools, r.Words.outdated)
	}
	return hits[:min(len(hits), max(limit, 0))], err
}

func (r Ranking) cosines(ctx context.Context, model Embedder, query string) ([]float32, error) {
	vector, err := EmbedQuery(ctx, model, query)
	if err != nil {
		return nil, err
	}
	return r.Vectors.Cosines(vector)
}

// EmbedQuery returns the vector of a query. Of a long one its beginning counts.
func EmbedQuery(ctx context.Context, model Embedder, query string) ([]float32, error) {
	made, err := model.Embed(ctx, []string{cut(query, mostQuery)})
	if err == nil && len(made) != 1 {
		err = fmt.Errorf("the model has %d vectors for a query", len(made))
	}
	if err != nil {
		return nil, fmt.Errorf("embed the query: %w", err)
	}
	return made[0], nil
}
