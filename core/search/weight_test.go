package search

import (
	"bufio"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/listing"
)

// labelled is a catalogue with queries on it that the weight may be chosen by.
type labelled struct {
	tools   []listing.Tool
	queries []string
	wanted  []map[string]bool // ids of tools
}

// TestTheWeightOfWords ranks the rows that are there to train with, and none of
// those that docs/search.md measures on, with several weights. Another model may
// want another one: -v prints the table.
func TestTheWeightOfWords(t *testing.T) {
	model := shipped(t)
	sets := map[string][]labelled{"written": written(t)}
	if public := publicRows(t); public != nil {
		sets["MetaTool, training questions"] = []labelled{*public}
	}
	for name, all := range sets {
		best, chosen := 0.0, 0.0
		for _, weight := range []float64{0, .02, wordsWeight, .06, .08, .12} {
			recall, mrr := rankedBy(t, model, all, weight)
			t.Logf("%s, weight %.2f: recall@5 %.3f, MRR %.3f", name, weight, recall, mrr)
			best = max(best, recall+mrr)
			if weight == wordsWeight {
				chosen = recall + mrr
			}
		}
		if chosen < best-.02 {
			t.Errorf("%s: the weight in use is worse than another one", name)
		}
	}
}

func rankedBy(t *testing.T, model *embed.Cache, sets []labelled, weight float64) (recall5, mrr float64) {
	n := 0.0
	for _, s := range sets {
		index := Tools(s.tools)
		vectors, err := Embed(t.Context(), model, Texts(s.tools), nil, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range s.queries {
			v, err := EmbedQuery(t.Context(), model, q)
			if err != nil {
				t.Fatal(err)
			}
			cosines, err := vectors.Cosines(v)
			if err != nil {
				t.Fatal(err)
			}
			words, terms := index.scores(q)
			first := 0.0
			for rank, h := range index.fuse(cosines, words, terms, weight, len(s.tools)) {
				if !s.wanted[i][s.tools[h.Doc].ID()] {
					continue
				}
				if rank < 5 {
					recall5 += 1 / float64(len(s.wanted[i]))
				}
				first = max(first, 1/float64(rank+1))
			}
			mrr += first
			n++
		}
	}
	return recall5 / n, mrr / n
}

// shipped is the model that ships, which remembers, or skips the test.
func shipped(t *testing.T) *embed.Cache {
	t.Helper()
	if os.Getenv(embed.LibraryVariable) == "" {
		t.Skip(embed.LibraryVariable + " names no ONNX Runtime library")
	}
	bundle, err := embed.ReadBundle("../../models/" + embed.DefaultModel)
	if err != nil {
		t.Fatal(err)
	}
	library, err := embed.OpenLibrary(embed.LibrarySource{Env: os.Environ()})
	if err != nil {
		t.Skip(err)
	}
	defer library.Close()
	model, err := embed.Open(bundle, library, 1)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { model.Close() })
	cache, err := embed.OpenCache("", model.ID(), model)
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

// row is a tool or a query.
type row struct {
	Server, Query, Tool string
	Labels              []struct {
		Tool      string
		Relevance float64
	}
	raw json.RawMessage
}

func readRows(t *testing.T, path string) (rows []row) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		r := row{raw: slices.Clone(lines.Bytes())}
		if err := json.Unmarshal(r.raw, &r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		rows = append(rows, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

func (l *labelled) add(r row) {
	if r.Query == "" {
		l.tools = append(l.tools, listing.Listing{Server: r.Server, Tools: []json.RawMessage{r.raw}}.Parse()...)
		return
	}
	wanted := map[string]bool{}
	for _, label := range r.Labels {
		wanted[label.Tool] = label.Relevance > 0
	}
	if r.Tool != "" {
		wanted[r.Tool] = true
	}
	l.queries, l.wanted = append(l.queries, r.Query), append(l.wanted, wanted)
}

// written are the rows that were written for this project, a catalogue a file.
func written(t *testing.T) (sets []labelled) {
	t.Helper()
	files, err := filepath.Glob("../../models/train/data/retrieval/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		var l labelled
		for _, r := range readRows(t, file) {
			l.add(r)
		}
		sets = append(sets, l)
	}
	return sets
}

// publicRows are some of MetaTool's training questions, nil where they are not
// there.
func publicRows(t *testing.T) *labelled {
	t.Helper()
	dir := filepath.Join(cmp.Or(os.Getenv("CTX_DATA"), "../../../shared/data"), "retrieval")
	if _, err := os.Stat(dir); err != nil {
		t.Logf("without MetaTool: %v (set CTX_DATA)", err)
		return nil
	}
	var l labelled
	for _, r := range readRows(t, filepath.Join(dir, "metatool_tools.jsonl")) {
		l.add(r)
	}
	for i, r := range readRows(t, filepath.Join(dir, "metatool_train.jsonl")) {
		if i%24 == 0 { // they come sorted by tool
			l.add(r)
		}
	}
	return &l
}
