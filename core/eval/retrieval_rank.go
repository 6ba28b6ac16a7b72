package eval

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/search"
)

// ToolRanker is one way to find tools. Rank returns positions of tools, the best
// first; those that do not answer the query at all may be missing.
type ToolRanker struct {
	Name string
	Rank func(ctx context.Context, query string) ([]int, error)
}

// LexicalTools ranks tools by their words, as the product does without a model.
func LexicalTools(name string, tools []listing.Tool) ToolRanker {
	return ranker(name, search.Ranking{Words: search.Tools(tools)}, nil, len(tools))
}

// ProductTools ranks tools as the product does with a model: vectors are those
// of its [search.Texts].
func ProductTools(name string, model search.Embedder, vectors *search.Vectors, tools []listing.Tool) ToolRanker {
	return ranker(name, search.Ranking{Words: search.Tools(tools), Vectors: vectors, Tools: tools}, model, len(tools))
}

func ranker(name string, r search.Ranking, model search.Embedder, limit int) ToolRanker {
	return ToolRanker{name, func(ctx context.Context, query string) ([]int, error) {
		hits, err := r.Find(ctx, model, query, limit)
		return positions(hits), err
	}}
}

// ToolVectors makes the vectors of tools, by as many threads as there are
// processors. progress is told how many tools are done; nil is fine.
func ToolVectors(ctx context.Context, model search.Embedder, tools []listing.Tool, progress func(done int)) (*search.Vectors, error) {
	return search.Embed(ctx, model, search.Texts(tools), nil, runtime.GOMAXPROCS(0), progress)
}

// SemanticTools ranks tools by a model alone: by the cosine between the query's
// vector, which is made by it so that its time counts, and each of vectors, which
// are those of the tools' [search.Texts]; and by what it says of the first ones
// where it can read them with the query. Ties keep the order of the tools.
func SemanticTools(model search.Embedder, vectors *search.Vectors, tools []listing.Tool) ToolRanker {
	return ToolRanker{Semantic, func(ctx context.Context, query string) ([]int, error) {
		vector, err := search.EmbedQuery(ctx, model, query)
		if err != nil {
			return nil, err
		}
		cosines, err := vectors.Cosines(vector)
		if err != nil {
			return nil, err
		}
		hits := make([]search.Hit, len(cosines))
		for i, c := range cosines {
			hits[i] = search.Hit{Doc: i, Score: float64(c)}
		}
		slices.SortStableFunc(hits, func(a, b search.Hit) int { return cmp.Compare(b.Score, a.Score) })
		hits, err = search.Reread(ctx, model, query, hits, tools, nil)
		return positions(hits), err
	}}
}

func positions(hits []search.Hit) []int {
	order := make([]int, len(hits))
	for i, h := range hits {
		order[i] = h.Doc
	}
	return order
}
