package eval

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/eval"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/loader"
)

// finders returns the rankers of tools that can be had here, and the model's
// name where there is one.
func finders(ctx context.Context, f *cmdutil.Factory, tools []listing.Tool) (rankers []eval.ToolRanker, name string, warnings []string, done func(), err error) {
	lexical := eval.LexicalTools("lexical", tools)
	cfg, warnings := settings(f)
	model, degraded := loader.OpenModel(f.Layout(), f.Workspace(), cfg, f.Env)
	if degraded != nil {
		warnings = append(warnings, fmt.Sprintf("semantic is left out, and default goes by words alone, for no model is in use: %s", why(degraded)))
		return []eval.ToolRanker{lexical, eval.LexicalTools("default", tools)}, "", warnings, func() {}, nil
	}
	// Not among the vectors of sessions: thousands of tools would drive those out.
	kept, err := embed.OpenCache(filepath.Join(loader.Vectors(f.Layout()), "eval"), model.ID(), model)
	if err != nil {
		warnings = append(warnings, err.Error())
	}
	vectors, err := eval.ToolVectors(ctx, kept, tools, func(done int) {
		f.IO.Step("semantic: tool %d of %d", done, len(tools))
	})
	// What was made before an interrupt is kept too.
	if err := kept.Save(); err != nil {
		warnings = append(warnings, err.Error())
	}
	if err != nil {
		model.Close()
		return nil, "", nil, nil, err
	}
	rankers = []eval.ToolRanker{lexical, eval.SemanticTools(model, vectors, tools), eval.ProductTools("default", model, vectors, tools)}
	return rankers, model.Name(), warnings, func() { model.Close() }, nil
}
