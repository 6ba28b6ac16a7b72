package eval

import (
	"cmp"
	"slices"

	"github.com/ctx-sidecar/ctx/core/activate"
)

// KindRates are the rates of the rows of one kind.
type KindRates struct {
	Kind      string
	Rows      int
	Positives int
	Rates
}

// ByKind splits a ranker's rates by the kind of row, in the order of names.
func (s Scored) ByKind() []KindRates {
	of := map[string][]Answer{}
	for _, a := range s.Answers {
		of[a.Kind] = append(of[a.Kind], a)
	}
	var out []KindRates
	for kind, answers := range of {
		k := KindRates{Kind: kind, Rows: len(answers), Rates: rates(answers)}
		for _, a := range answers {
			if len(a.Expect) > 0 {
				k.Positives++
			}
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b KindRates) int { return cmp.Compare(a.Kind, b.Kind) })
	return out
}

// Confusion is how often one capability stood first in another one's place.
type Confusion struct {
	Expected string // the first that the row names; "" where nothing may be activated
	Got      string
	Rows     int
	Fired    int // how many of these were activated
}

// Confusions lists the wrong answers, the most frequent first. Of the abstain
// rows only those count that were activated or suggested.
func (s Scored) Confusions() []Confusion {
	at := map[[2]string]*Confusion{}
	for _, a := range s.Answers {
		expected := ""
		if len(a.Expect) > 0 {
			expected = a.Expect[0]
		}
		if expected != "" && (a.Top == "" || slices.Contains(a.Expect, a.Top)) || expected == "" && a.Outcome == activate.Silence {
			continue
		}
		key := [2]string{expected, a.Top}
		if at[key] == nil {
			at[key] = &Confusion{Expected: expected, Got: a.Top}
		}
		at[key].Rows++
		if a.Outcome == activate.Activate {
			at[key].Fired++
		}
	}
	var out []Confusion
	for _, c := range at {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Confusion) int {
		return cmp.Or(cmp.Compare(b.Fired, a.Fired), cmp.Compare(b.Rows, a.Rows),
			cmp.Compare(a.Expected, b.Expected), cmp.Compare(a.Got, b.Got))
	})
	return out
}

// Point is what another threshold would give.
type Point struct {
	ActivateAt   float64
	FiredCorrect float64
	FalseFires   float64
}

// Sweep moves the activation threshold over these values.
func (s Scored) Sweep(thresholds []float64) []Point {
	var out []Point
	for _, t := range thresholds {
		moved := make([]Answer, len(s.Answers))
		for i, a := range s.Answers {
			a.Outcome, a.Winner = activate.Silence, ""
			if len(a.Scores) > 0 && a.Scores[0].Gate == activate.Open && a.Scores[0].Probability >= t {
				a.Outcome, a.Winner = activate.Activate, a.Scores[0].Name
			}
			moved[i] = a
		}
		r := rates(moved)
		out = append(out, Point{t, r.FiredCorrect, r.FalseFires})
	}
	return out
}
