package embed

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func defaultModel(t *testing.T) *Model {
	t.Helper()
	return modelIn(t, defaultBundle)
}

func modelIn(t *testing.T, dir string) *Model {
	t.Helper()
	lib, err := OpenLibrary(LibrarySource{Env: os.Environ()})
	if errors.Is(err, ErrNoLibrary) {
		t.Skip(LibraryVariable + " names no ONNX Runtime library")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	b, err := ReadBundle(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Open(b, lib, 1)
	if errors.Is(err, ErrNoRuntime) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// Of the bundle that ships, and of the one before it, which stays loadable:
// models/train/vectors.py writes what they are compared with.
func TestVectorsAreTheReferences(t *testing.T) {
	for _, name := range []string{DefaultModel, "all-minilm-l6-v2-q"} {
		t.Run(name, func(t *testing.T) {
			m := modelIn(t, filepath.Join("../../models", name))
			raw, err := os.ReadFile(filepath.Join("testdata", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var want []struct {
				Text   string    `json:"text"`
				Vector []float32 `json:"vector"`
			}
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, w := range want {
				texts = append(texts, w.Text)
			}
			got, err := m.Embed(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			if len(want) == 0 || len(got) != len(want) {
				t.Fatalf("%d vectors for %d texts", len(got), len(want))
			}
			for i, w := range want {
				if len(w.Vector) == 0 || len(got[i]) != len(w.Vector) {
					t.Fatalf("%q: %d dimensions, want %d", w.Text, len(got[i]), len(w.Vector))
				}
				worst := 0.0
				for j := range w.Vector {
					worst = max(worst, math.Abs(float64(got[i][j]-w.Vector[j])))
				}
				if !(worst <= 1e-3) { // nor is it NaN
					t.Errorf("%q differs by %.5f", w.Text, worst)
				}
			}
		})
	}
}

func TestATextHasTheSameVectorInAnyCompany(t *testing.T) {
	m := defaultModel(t)
	alone, err := m.Embed(t.Context(), []string{"create a jira ticket"})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("a much longer text beside it ", 12)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			among, err := m.Embed(t.Context(), []string{long, "create a jira ticket", "!"})
			if err != nil {
				t.Error(err)
			} else if !slices.Equal(alone[0], among[1]) {
				t.Error("the vector depends on the company")
			}
		})
	}
	wg.Wait()
}

func TestEmbeddingStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := &Model{graph: fakeGraph{}, tokenizer: &Tokenizer{limit: 4, longest: 9}}
	if _, err := m.Embed(ctx, []string{"x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTokensComeWithTheVector(t *testing.T) {
	t.Parallel()
	tok := &Tokenizer{vocab: map[string]int32{"a": 7, "b": 9}, longest: 9, limit: 9, start: 3, end: 4}
	m := &Model{bundle: Bundle{Pooling: "mean", Batch: 2}, tokenizer: tok, graph: fakeGraph{}}
	got, err := m.Encode(t.Context(), []string{"a b", "", "b"})
	if err != nil {
		t.Fatal(err)
	}
	want := [][][]float32{{{7, 1}, {9, 2}}, {}, {{9, 1}}}
	for i, w := range want {
		if diff := cmp.Diff(w, got[i].Tokens); diff != "" {
			t.Errorf("text %d (-want +got):\n%s", i, diff)
		}
	}
}

// fakeGraph answers for every token its id and its column.
type fakeGraph struct{}

func (fakeGraph) close() error { return nil }

func (fakeGraph) run(ids, mask, _ []int64, rows, width int) ([]float32, error) {
	var out []float32
	for i, id := range ids {
		if mask[i] == 0 {
			id = 1000 // a padded position must reach no vector
		}
		out = append(out, float32(id), float32(i%width))
	}
	return out, nil
}

func TestPoolingLeavesPaddingOut(t *testing.T) {
	t.Parallel()
	tok := &Tokenizer{vocab: map[string]int32{"a": 7, "b": 9}, longest: 9, limit: 9, start: 3, end: 4}
	unit := func(x, y float64) []float32 {
		n := math.Hypot(x, y)
		return []float32{float32(x / n), float32(y / n)}
	}
	for pooling, want := range map[string][][]float32{
		"mean": {unit(3+7+4, 0+1+2), unit(3+7+9+4, 0+1+2+3)},
		"cls":  {unit(3, 0), unit(3, 0)},
	} {
		m := &Model{bundle: Bundle{Pooling: pooling, Batch: 2}, tokenizer: tok, graph: fakeGraph{}}
		got, err := m.Embed(t.Context(), []string{"a", "a b"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s pooling (-want +got):\n%s", pooling, diff)
		}
	}
}

func TestTheDefaultBundleIsWhole(t *testing.T) {
	t.Parallel()
	b, err := ReadBundle(defaultBundle)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Verify(nil); err != nil {
		t.Error(err)
	}
	b.Files["LICENSE"] = "0"
	if err := b.Verify(nil); err == nil || !strings.Contains(err.Error(), "LICENSE") {
		t.Errorf("a changed file gives %v", err)
	}
}

func TestFindsWhatIsInstalledAndNothingElse(t *testing.T) {
	t.Parallel()
	share := t.TempDir()
	if _, err := FindBundle("", []string{share}); !errors.Is(err, ErrNoModel) {
		t.Errorf("without a model: %v", err)
	}
}

func TestALibraryThatIsNoneIsATypedError(t *testing.T) {
	if os.Getenv(LibraryVariable) != "" {
		t.Skip("this process loads a real library; the first one counts")
	}
	b, err := ReadBundle(defaultBundle)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "libonnxruntime.so")
	if err := os.WriteFile(path, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	lib, err := OpenLibrary(LibrarySource{Configured: path})
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	_, err = Open(b, lib, 1)
	if errors.Is(err, ErrNoRuntime) {
		t.Skip(err)
	}
	var broken *LibraryError
	if !errors.As(err, &broken) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "/proc/") {
		t.Errorf("got %v", err)
	}
}
