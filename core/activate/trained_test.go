package activate

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// The product has to compute what the trainer computed of the
// same prompts, with and without the model.
func TestProbabilitiesAreTheTrainers(t *testing.T) {
	model := openModel(t)
	for name, make := range map[string]func() (*Router, error){
		"lexical": func() (*Router, error) { return New(Lexical(), nil, "") },
		"model": func() (*Router, error) {
			s, err := ReadScorer(defaultBundle + "/" + ScorerFile)
			if err != nil {
				return nil, err
			}
			return New(s, model, t.TempDir())
		},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "model" && model == nil {
				t.Skip("no ONNX Runtime library in " + embed.LibraryVariable + ", or built without cgo")
			}
			r, err := make()
			if err != nil {
				t.Fatal(err)
			}
			read := false
			for _, want := range trained(t, name) {
				o, err := r.Observe(t.Context(), want.Text, want.Domain, shop)
				if err != nil {
					t.Fatal(err)
				}
				near := func(a, b float64) bool { return math.Abs(a-b) <= 2e-3 } // NaN is near nothing
				if got := append(o.Probabilities, o.None); !slices.EqualFunc(got, want.Probabilities, near) {
					t.Errorf("%q: got %.4f, want %.4f", want.Text, got, want.Probabilities)
				}
				if !slices.EqualFunc(o.Mixed, want.Mixed, near) {
					t.Errorf("%q, read jointly: got %.4f, want %.4f", want.Text, o.Mixed, want.Mixed)
				}
				read = read || len(want.Mixed) > 0
			}
			if read != (name == "model") {
				t.Errorf("a row has been read jointly: %t", read)
			}
		})
	}
}

const defaultBundle = "../../models/" + embed.DefaultModel

// openModel returns the default model, nil where ONNX Runtime cannot be had.
func openModel(t *testing.T) *embed.Model {
	t.Helper()
	lib, err := embed.OpenLibrary(embed.LibrarySource{Env: os.Environ()})
	if errors.Is(err, embed.ErrNoLibrary) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	b, err := embed.ReadBundle(defaultBundle)
	if err != nil {
		t.Fatal(err)
	}
	m, err := embed.Open(b, lib, 1)
	if errors.Is(err, embed.ErrNoRuntime) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

type trainedRow struct {
	Text          string    `json:"text"`
	Domain        string    `json:"domain"`
	Probabilities []float64 `json:"probabilities"` // of shop's candidates with triggers, then of none
	Mixed         []float64 `json:"mixed"`         // the same with the joint reading, where there was one
}

func trained(t *testing.T, name string) []trainedRow {
	t.Helper()
	f, err := os.Open("testdata/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []trainedRow
	s := bufio.NewScanner(f)
	for s.Scan() {
		var r trainedRow
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if err := s.Err(); err != nil || len(rows) == 0 {
		t.Fatalf("%d rows of %s (%v)", len(rows), f.Name(), err)
	}
	return rows
}
