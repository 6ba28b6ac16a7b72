package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// counter is a model that notes what it is asked for.
type counter struct {
	mu    sync.Mutex
	asked [][]string
	fail  error
}

func (c *counter) Embed(_ context.Context, texts []string) ([][]float32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, texts)
	if c.fail != nil {
		return nil, c.fail
	}
	var out [][]float32
	for _, text := range texts {
		out = append(out, []float32{float32(len(text)), 1, 0})
	}
	return out, nil
}

func several(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf("text %d", i))
	}
	return texts
}

func TestTextsAreEmbeddedInBatches(t *testing.T) {
	t.Parallel()
	texts := several(2*batch + 5)
	for _, workers := range []int{0, 1, 4} {
		model, last := &counter{}, 0
		v, err := Embed(t.Context(), model, texts, nil, workers, func(done int) { last = done })
		if err != nil || last != len(texts) {
			t.Fatalf("%v; %d done", err, last)
		}
		var seen []string
		for _, some := range model.asked {
			if len(some) > batch {
				t.Errorf("%d at once", len(some))
			}
			seen = append(seen, some...)
		}
		slices.Sort(seen)
		if want := slices.Sorted(slices.Values(texts)); !slices.Equal(seen, want) {
			t.Errorf("asked for %d texts of %d", len(seen), len(want))
		}
		cosines, err := v.Cosines([]float32{1, 0, 0})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range cosines {
			if int(c) != len(texts[i]) {
				t.Errorf("row %d is another text's", i)
			}
		}
	}
}

func TestKnownTextsAreNotEmbeddedAgain(t *testing.T) {
	t.Parallel()
	model := &counter{}
	before, err := Embed(t.Context(), model, []string{"a", "bb", "ccc"}, nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	model.asked = nil
	after, err := Embed(t.Context(), model, []string{"dddd", "ccc", "a", "a"}, before, 1, nil)
	if err != nil || len(model.asked) != 1 || !slices.Equal(model.asked[0], []string{"dddd"}) {
		t.Fatalf("asked %q (%v)", model.asked, err)
	}
	if got, err := after.Cosines([]float32{1, 0, 0}); err != nil || !slices.Equal(got, []float32{4, 3, 1, 1}) {
		t.Errorf("%v (%v)", got, err)
	}
	same := after.Reuse([]string{"a", "dddd"})
	if same == nil {
		t.Fatal("nothing is known any more")
	}
	if got, err := same.Cosines([]float32{1, 0, 0}); err != nil || !slices.Equal(got, []float32{1, 4}) {
		t.Errorf("%v (%v)", got, err)
	}
	var none *Vectors
	if after.Reuse([]string{"a", "e"}) != nil || none.Reuse([]string{"a"}) != nil {
		t.Error("what was never embedded is known")
	}
}

func TestAModelThatFailsLeavesNoVectors(t *testing.T) {
	t.Parallel()
	broken := errors.New("out of memory")
	if v, err := Embed(t.Context(), &counter{fail: broken}, several(100), nil, 2, nil); v != nil || !errors.Is(err, broken) {
		t.Errorf("%v, %v", v, err)
	}
	for _, n := range []sized{-1, 0} {
		if v, err := Embed(t.Context(), n, several(3), nil, 1, nil); v != nil || err == nil {
			t.Errorf("%d numbers: %v, %v", n, v, err)
		}
	}
	one, err := Embed(t.Context(), sized(2), several(1), nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := Embed(t.Context(), sized(3), several(2), one, 1, nil); v != nil || err == nil {
		t.Errorf("of two sizes: %v, %v", v, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Embed(gone, ending{}, several(3), nil, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// ending is a model that looks at its context.
type ending struct{}

func (ending) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return make([][]float32, len(texts)), ctx.Err()
}

func TestTheInnerProductCountsEveryNumber(t *testing.T) {
	t.Parallel()
	v, w := []float32{}, []float32{}
	want := float32(0)
	for i := range 11 {
		if got := dot(v, w); got != want {
			t.Errorf("of %d numbers: %v, want %v", i, got, want)
		}
		v, w = append(v, float32(i+1)), append(w, float32(i-3))
		want += float32((i + 1) * (i - 3))
	}
}
