package eval

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/search"
)

// ToolRanker is one way to find tools. Rank returns positions of tools, the best
// first; those that do not answer the query at all may be missing.
type ToolRanker struct {
	Name string
	Rank func(ctx context.Context, query string) ([]int, error)
}

// LexicalTools ranks tools as the product's search does.
func LexicalTools(name string, tools []listing.Tool) ToolRanker {
	index := search.Tools(tools)
	return ToolRanker{name, func(_ context.Context, query string) ([]int, error) {
		hits := index.Search(query, len(tools))
		order := make([]int, len(hits))
		for i, h := range hits {
			order[i] = h.Doc
		}
		return order, nil
	}}
}

// Embedder turns texts into vectors of length 1.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// batch is how many tools are embedded at once: what a model makes of every
// token of a text takes 200 KB until the whole batch is done.
const batch = 32

// SemanticTools ranks tools by the cosine between the query's vector and that of
// each tool's text. The tools are embedded here, by as many threads as there are
// processors, through ofTools; queries by model itself, so that their time
// counts. progress is told how many tools are done; nil is fine.
func SemanticTools(ctx context.Context, model, ofTools Embedder, tools []listing.Tool, progress func(done int)) (ToolRanker, error) {
	vectors := make([][]float32, len(tools))
	var mu sync.Mutex
	done := 0
	work, inner := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < len(tools); from += batch {
		part := tools[from:min(from+batch, len(tools))]
		work.Go(func() error {
			texts := make([]string, len(part))
			for i, t := range part {
				texts[i] = toolText(t)
			}
			made, err := ofTools.Embed(inner, texts)
			if err != nil {
				return fmt.Errorf("embed tools: %w", err)
			}
			copy(vectors[from:], made)
			mu.Lock()
			defer mu.Unlock()
			if done += len(part); progress != nil {
				progress(done)
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return ToolRanker{}, err
	}
	return ToolRanker{Semantic, func(ctx context.Context, query string) ([]int, error) {
		v, err := model.Embed(ctx, []string{query})
		if err != nil {
			return nil, err
		}
		return nearest(v[0], vectors), nil
	}}, nil
}

// nearest orders all vectors by their cosine to v; all are of length 1. Ties
// keep their order.
func nearest(v []float32, vectors [][]float32) []int {
	type near struct {
		cosine float32
		at     int
	}
	all := make([]near, len(vectors))
	for i, w := range vectors {
		all[i] = near{dot(v, w), i}
	}
	slices.SortFunc(all, func(a, b near) int { return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.at, b.at)) })
	order := make([]int, len(all))
	for i, n := range all {
		order[i] = n.at
	}
	return order
}

// dot is the inner product of two vectors of one length. Four sums instead of
// one: each addition else waits for the one before.
func dot(v, w []float32) float32 {
	var a, b, c, d float32
	for ; len(v) >= 4 && len(w) >= 4; v, w = v[4:], w[4:] {
		a += v[0] * w[0]
		b += v[1] * w[1]
		c += v[2] * w[2]
		d += v[3] * w[3]
	}
	for i := range min(len(v), len(w)) {
		a += v[i] * w[i]
	}
	return a + b + c + d
}

// mostToolText is how many bytes of a description a sentence model gets to see:
// what follows tells how to use a tool and not what for.
const mostToolText = 300

var (
	separators = strings.NewReplacer("_", " ", "-", " ", ".", " ")
	humps      = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)
)

// toolText is what a sentence model gets to see of a tool. Parameters are left
// out, for with them it finds fewer.
func toolText(t listing.Tool) string {
	name := separators.Replace(humps.ReplaceAllString(t.Name, "$1 $2"))
	return t.Server + " " + name + ": " + cut(t.Description, mostToolText)
}

// cut is the beginning of text, at most n bytes, in whole characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
