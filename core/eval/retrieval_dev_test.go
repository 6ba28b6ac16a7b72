package eval_test

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/eval"
)

// TestRetrievalOfPublicSets holds search and the shipped model to what
// docs/search.md says of them, a query of the smaller set less.
func TestRetrievalOfPublicSets(t *testing.T) {
	t.Parallel()
	dir := cmp.Or(os.Getenv("CTX_DATA"), filepath.Join("..", "..", "..", "shared", "data"))
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no evaluation data: %v (set CTX_DATA)", err)
	}
	type bar struct{ recall5, mrr float64 }
	for set, bars := range map[string]map[string]bar{
		"coding":   {"lexical": {.73, .63}, eval.Semantic: {.92, .89}, "default": {.92, .86}},
		"metatool": {"lexical": {.63, .52}, eval.Semantic: {.89, .78}, "default": {.89, .78}},
	} {
		tools, warnings, err := eval.ReadCatalogue(filepath.Join(dir, "retrieval", set+"_tools.jsonl"))
		if err != nil || warnings != nil {
			t.Fatal(err, warnings)
		}
		queries, err := eval.ReadQueries(filepath.Join(dir, "retrieval", set+"_queries.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if faults := eval.QueryFaults(queries, tools); faults != nil {
			t.Errorf("%s: %q", set, faults)
		}
		rankers := []eval.ToolRanker{eval.LexicalTools("lexical", tools)}
		if _, both := bars[eval.Semantic]; both {
			if model := openModel(t); model != nil {
				vectors, err := eval.ToolVectors(t.Context(), model, tools, nil)
				if err != nil {
					t.Fatal(err)
				}
				rankers = append(rankers, eval.SemanticTools(model, vectors, tools), eval.ProductTools("default", model, vectors, tools))
			}
		}
		got, err := eval.MeasureRetrieval(t.Context(), tools, queries, rankers, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range got.Rankers {
			t.Logf("%s, %s: %+v", set, r.Name, r.RetrievalMeans)
			if want := bars[r.Name]; r.Recall.At5 < want.recall5 || r.MRR < want.mrr {
				t.Errorf("%s, %s: recall@5 %.3f, MRR %.3f; want at least %+v", set, r.Name, r.Recall.At5, r.MRR, want)
			}
		}
	}
}

// openModel is the model that ships, nil where it cannot be used here.
func openModel(t *testing.T) *embed.Model {
	t.Helper()
	bundle, err := embed.ReadBundle("../../models/" + embed.DefaultModel)
	if err != nil {
		t.Fatal(err)
	}
	library, err := embed.OpenLibrary(embed.LibrarySource{Env: os.Environ()})
	if err != nil {
		t.Logf("without the model: %v", err)
		return nil
	}
	defer library.Close()
	model, err := embed.Open(bundle, library, 1)
	if err != nil {
		t.Logf("without the model: %v", err)
		return nil
	}
	t.Cleanup(func() { model.Close() })
	return model
}
