package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/listing"
)

// subjects is a model whose vector of a text says which of a few subjects it is
// about, and a little of none.
type subjects struct {
	about map[string]int // by a word
	asked func(texts []string) error
}

func (s subjects) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if s.asked != nil {
		if err := s.asked(texts); err != nil {
			return nil, err
		}
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = make([]float32, 5)
		out[i][4] = .1
		for word, subject := range s.about {
			if strings.Contains(text, word) {
				out[i][subject] = 1
			}
		}
	}
	return out, nil
}

var weather = subjects{about: map[string]int{"forecast": 0, "rain": 0, "umbrella": 0, "wage": 1, "salary": 1, "pay": 1}}

var jobs = []listing.Tool{
	tool("sky", "get_forecast", "The forecast of a place.", ""),
	tool("sky", "get_forecast_v1", "The forecast of a place. DEPRECATED: use get_forecast.", ""),
	tool("office", "print_slip", "Print the wage of an employee.", ""),
	tool("office", "print_label", "Print a label.", ""),
}

func ranking(t *testing.T, model Embedder, tools []listing.Tool) Ranking {
	t.Helper()
	v, err := Embed(t.Context(), model, Texts(tools), nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Ranking{Tools(tools), v, tools}
}

func found(tools []listing.Tool, hits []Hit) (ids []string) {
	for _, h := range hits {
		ids = append(ids, tools[h.Doc].Name)
	}
	return ids
}

func TestWhatSharesNoWordIsFoundByItsMeaning(t *testing.T) {
	t.Parallel()
	r := ranking(t, weather, jobs)
	for query, want := range map[string]string{
		"do I need an umbrella?": "get_forecast", // and not the outdated one, which means the same
		"my salary":              "print_slip",
		"label":                  "print_label", // by its word alone
		"who am I":               "get_forecast",
	} {
		hits, err := r.Find(t.Context(), weather, query, 2)
		if got := found(jobs, hits); err != nil || len(got) != 2 || got[0] != want {
			t.Errorf("%s: %q (%v), want %s first", query, got, err, want)
		}
	}
}

func TestWordsDecideAmongToolsThatMeanTheSame(t *testing.T) {
	t.Parallel()
	tools := []listing.Tool{
		tool("sky", "rain_today", "Whether rain falls today.", ""),
		tool("sky", "rain_gauge", "What a gauge of rain shows.", ""),
	}
	r := ranking(t, weather, tools)
	for query, want := range map[string]string{"rain today": "rain_today", "gauge for rain": "rain_gauge"} {
		hits, err := r.Find(t.Context(), weather, query, 1)
		if got := found(tools, hits); err != nil || got[0] != want {
			t.Errorf("%s: %q (%v)", query, got, err)
		}
	}
}

func TestAToolThatFitsStandsBeforeWordsThatDoNot(t *testing.T) {
	t.Parallel()
	// Every word of a long message is somewhere; its meaning is in one place.
	tools := []listing.Tool{
		tool("sky", "forecast", "The forecast of a place.", ""),
		tool("misc", "notes", "Notes on a trip, friends, the mountains and tomorrow.", ""),
	}
	hits, err := ranking(t, weather, tools).Find(t.Context(), weather, "with friends on a trip to the mountains tomorrow: umbrella or not?", 2)
	if got := found(tools, hits); err != nil || got[0] != "forecast" {
		t.Errorf("%q (%v)", got, err)
	}
}

func TestWithoutVectorsOrWordsInTheQueryTheModelIsNotAsked(t *testing.T) {
	t.Parallel()
	r := ranking(t, weather, jobs)
	mute := subjects{asked: func(texts []string) error { return fmt.Errorf("asked %q", texts) }}
	if hits, err := r.Find(t.Context(), mute, " ?! -", 5); err != nil || len(hits) != 0 {
		t.Errorf("%v (%v)", hits, err)
	}
	hits, err := Ranking{Words: r.Words}.Find(t.Context(), mute, "a label", 5)
	if got := found(jobs, hits); err != nil || !slices.Equal(got, []string{"print_label"}) {
		t.Errorf("%q (%v)", got, err)
	}
	if hits, err := ranking(t, weather, nil).Find(t.Context(), weather, "rain", 5); err != nil || len(hits) != 0 {
		t.Errorf("of no tools: %v (%v)", hits, err)
	}
	if hits, err := r.Find(t.Context(), weather, "rain", 0); err != nil || len(hits) != 0 {
		t.Errorf("limit 0: %v (%v)", hits, err)
	}
}

func TestAModelThatFailsLeavesTheWords(t *testing.T) {
	t.Parallel()
	r := ranking(t, weather, jobs)
	broken := errors.New("out of memory")
	for name, model := range map[string]Embedder{
		"an error":     subjects{asked: func([]string) error { return broken }},
		"another size": sized(3),
		"no vector":    sized(-1),
	} {
		hits, err := r.Find(t.Context(), model, "print a label", 1)
		if got := found(jobs, hits); err == nil || !slices.Equal(got, []string{"print_label"}) {
			t.Errorf("%s: %q (%v)", name, got, err)
		}
	}
}

// sized is a model whose vectors have so many numbers; less than 0: it has none.
type sized int

func (n sized) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if n < 0 {
		return nil, nil
	}
	var out [][]float32
	for range texts {
		out = append(out, make([]float32, n))
	}
	return out, nil
}

func TestLongQueriesAreCutForTheModel(t *testing.T) {
	t.Parallel()
	r := ranking(t, weather, jobs)
	longest := 0
	counting := weather
	counting.asked = func(texts []string) error { longest = len(texts[0]); return nil }
	if _, err := r.Find(t.Context(), counting, strings.Repeat("雨", 10_000), 1); err != nil || longest == 0 || longest > mostQuery {
		t.Errorf("%d bytes (%v)", longest, err)
	}
}

func TestTextIsInWordsAndCutInWholeCharacters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool listing.Tool
		want string
	}{
		{listing.Tool{Server: "github", Name: "get_pull-request", Description: "Fetch one."}, "github get pull request: Fetch one."},
		{listing.Tool{Server: "github", Name: "getPullRequest"}, "github get Pull Request: "},
		{listing.Tool{Server: "s", Name: "n", Description: strings.Repeat("x", 299) + "éy"}, "s n: " + strings.Repeat("x", 299)},
	} {
		if got := Text(c.tool); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestTheBestAreThoseOfASort(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		for _, limit := range []int{-1, 0, 1, 5, n, n + 3} {
			kept := top{limit: limit}
			var all []Hit
			for i := range n {
				h := Hit{i, float64(chance.IntN(8))} // with ties
				all = append(all, h)
				kept.add(h)
			}
			slices.SortStableFunc(all, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
			if got, want := kept.best(), all[:min(max(limit, 0), n)]; !slices.Equal(got, want) {
				t.Fatalf("%d of %d: %v, want %v", limit, n, got, want)
			}
		}
	}
}
