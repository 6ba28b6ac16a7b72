package eval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/search"
)

var roughly = cmpopts.EquateApprox(0, 1e-9)

// second, third and so on are what a gain at that rank is divided by.
var second, third, fourth = math.Log2(3), 2., math.Log2(5)

func TestOneOrderIsScoredByHand(t *testing.T) {
	t.Parallel()
	all := func(x float64) RecallAt[float64] { return RecallAt[float64]{x, x, x, x} }
	for name, c := range map[string]struct {
		order     []int
		relevance map[int]float64
		want      Found
	}{
		"the only one stands first": {[]int{7, 1}, map[int]float64{7: 1}, Found{Recall: all(1), RR: 1, NDCG10: 1}},
		"graded, in the ideal order": {
			[]int{1, 2, 3}, map[int]float64{1: 2, 2: 1},
			Found{Recall: RecallAt[float64]{.5, 1, 1, 1}, RR: 1, NDCG10: 1},
		},
		"graded, the lesser one first": {
			[]int{2, 1, 3}, map[int]float64{1: 2, 2: 1},
			Found{Recall: RecallAt[float64]{.5, 1, 1, 1}, RR: 1, NDCG10: (1 + 2/second) / (2 + 1/second)},
		},
		"three of them at 2, 4 and nowhere": {
			[]int{9, 1, 8, 2}, map[int]float64{1: 1, 2: 2, 3: 1},
			Found{Recall: RecallAt[float64]{0, 1. / 3, 2. / 3, 2. / 3}, RR: 1. / 2, NDCG10: (1/second + 2/fourth) / (2 + 1/second + 1/third)},
		},
		"at 11, where only the reciprocal rank sees it": {
			[]int{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 1}, map[int]float64{1: 1}, Found{RR: 1. / 11},
		},
		"not found": {[]int{2, 3}, map[int]float64{1: 2}, Found{}},
		"no answer": {nil, map[int]float64{1: 2}, Found{}},
	} {
		if diff := cmp.Diff(c.want, found(c.order, c.relevance), roughly); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestMoreRelevantToolsThanTenCanStillBeIdeal(t *testing.T) {
	t.Parallel()
	var order []int
	relevance := map[int]float64{}
	for i := range 12 {
		order, relevance[i] = append(order, i), 1
	}
	if got := found(order, relevance); math.Abs(got.NDCG10-1) > 1e-9 || math.Abs(got.Recall.At10-10./12) > 1e-9 {
		t.Errorf("%+v", got)
	}
}

func catalogue(ids ...string) []listing.Tool {
	var tools []listing.Tool
	for _, id := range ids {
		server, name, _ := strings.Cut(id, ":")
		tools = append(tools, listing.Tool{Server: server, Name: name})
	}
	return tools
}

// fixed answers each query with an order of its own.
func fixed(orders map[string][]int) ToolRanker {
	return ToolRanker{"fixed", func(_ context.Context, query string) ([]int, error) { return orders[query], nil }}
}

func TestMeansLeaveOutWhatNothingIsRelevantTo(t *testing.T) {
	t.Parallel()
	tools := catalogue("s:a", "s:b", "s:c")
	queries := []Query{
		{"1", "first", []Label{{"s:a", 2}, {"s:gone", 2}}},
		{"2", "second", []Label{{"s:b", 1}, {"s:c", 0}}},
		{"3", "unlabelled", nil},
		{"4", "unknown", []Label{{"s:gone", 1}}},
		{"5", "irrelevant", []Label{{"s:a", 0}}},
	}
	got, err := MeasureRetrieval(t.Context(), tools, queries, []ToolRanker{fixed(map[string][]int{"first": {0, 1}, "second": {2, 1}})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := RetrievalMeans{Recall: RecallAt[float64]{.5, 1, 1, 1}, MRR: .75, NDCG10: (1 + 1/second) / 2}
	if diff := cmp.Diff(want, got.Rankers[0].RetrievalMeans, roughly, cmpopts.IgnoreFields(RetrievalMeans{}, "P50")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Tools != 3 || got.Queries != 2 || got.Skipped != 3 {
		t.Errorf("%+v", got)
	}
	faults := []string{
		`row 1 names "s:gone": there is no such tool, and the label is left out (and 1 more rows)`,
		"row 3 has no tool that is relevant, and is left out (and 2 more rows)",
	}
	if diff := cmp.Diff(faults, QueryFaults(queries, tools)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestAFailingRankerIsNamedWithItsQuery(t *testing.T) {
	t.Parallel()
	broken := ToolRanker{"broken", func(context.Context, string) ([]int, error) { return nil, fmt.Errorf("no memory") }}
	_, err := MeasureRetrieval(t.Context(), catalogue("s:a"), []Query{{"q-7", "x", []Label{{"s:a", 1}}}}, []ToolRanker{broken}, nil)
	if err == nil || err.Error() != "broken on query q-7: no memory" {
		t.Errorf("%v", err)
	}
}

func TestTheMedianTimeIsTheMiddleOfTheQueries(t *testing.T) {
	t.Parallel()
	at := func(ms ...int) (all []Found) {
		for _, n := range ms {
			all = append(all, Found{Time: time.Duration(n) * time.Millisecond})
		}
		return all
	}
	for want, all := range map[float64][]Found{3: at(9, 1, 3), 2.5: at(4, 1, 2, 3)} {
		if got := retrievalMeans(all).P50; got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

func TestIntervalsHoldTheMeanAndNarrowWithMoreQueries(t *testing.T) {
	t.Parallel()
	width := map[int]float64{}
	for _, n := range []int{40, 400} {
		all := make([]Found, n)
		for i := range all {
			all[i] = Found{RR: float64(i % 2), NDCG10: 1}
		}
		got := retrievalIntervals(all)
		if got != retrievalIntervals(all) {
			t.Error("the same queries give two intervals")
		}
		if !cmp.Equal(got.NDCG10, Interval{1, 1}, roughly) {
			t.Errorf("what is always 1 lies in %v", got.NDCG10)
		}
		if got.MRR[0] >= .5 || got.MRR[1] <= .5 {
			t.Errorf("%d queries: a mean of .5 outside of %v", n, got.MRR)
		}
		width[n] = got.MRR[1] - got.MRR[0]
	}
	// Two standard errors to either side, sqrt(.25/n) each.
	if w := width[40]; w < .2 || w > .4 || width[400] > w/2 {
		t.Errorf("widths %v", width)
	}
	if got := retrievalIntervals(nil); got != (RetrievalIntervals{}) {
		t.Errorf("no queries give %v", got)
	}
}

// letters is a model whose vector of a text is its one-hot first letter.
type letters struct{}

func (letters) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for _, text := range texts {
		v := make([]float32, 26)
		v[text[0]-'a'] = 1
		out = append(out, v)
	}
	return out, nil
}

func TestTheModelAloneRanksByCosineAndTiesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	tools := catalogue("b:one", "a:two", "b:three", "a:four")
	vectors, err := ToolVectors(t.Context(), letters{}, tools, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := SemanticTools(letters{}, vectors, tools).Rank(t.Context(), "ask")
	if want := []int{1, 3, 0, 2}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v (%v)", got, want, err)
	}
}

func TestTheProductRanksAsSearchDoes(t *testing.T) {
	t.Parallel()
	tools := catalogue("b:one", "a:two", "b:three", "a:four")
	vectors, err := ToolVectors(t.Context(), letters{}, tools, nil)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]int{"ask": {1, 3, 0, 2}, "ask four": {3, 1, 0, 2}} {
		hits, err := search.Ranking{Words: search.Tools(tools), Vectors: vectors}.Find(t.Context(), letters{}, query, len(tools))
		if err != nil {
			t.Fatal(err)
		}
		got, err := ProductTools("default", letters{}, vectors, tools).Rank(t.Context(), query)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v (%v)", query, got, want, err)
		}
		for i, h := range hits {
			if h.Doc != want[i] {
				t.Errorf("%s: search has %v", query, hits)
			}
		}
	}
}

func TestLexicalFindsWhatSharesWords(t *testing.T) {
	t.Parallel()
	r := LexicalTools("lexical", catalogue("files:write_file", "files:read_file", "git:log"))
	got, err := r.Rank(t.Context(), "read a file")
	if want := []int{1, 0}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, want %v (%v)", got, want, err)
	}
}
