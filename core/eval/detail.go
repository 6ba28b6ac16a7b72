package eval

import (
	"cmp"
	"slices"

	"github.com/ctx-sidecar/ctx/core/activate"
)

// Explain fills in what lies behind the rates, the sweep over thresholds only
// for scores that are probabilities.
func (s *Scored) Explain(sweep []float64) {
	i := s.Bootstrap()
	s.Intervals, s.Kinds, s.Confused = &i, s.ByKind(), s.Confusions()
	if s.probabilities() {
		s.Points = s.Sweep(sweep)
	}
	for _, a := range s.Answers {
		if s.Thresholds = a.Thresholds; len(a.Scores) > 0 {
			break // a prompt without scores has come to no tap, and to no calibration of one
		}
	}
}

// probabilities reports whether the scores of all answers are such.
func (s *Scored) probabilities() bool {
	for _, a := range s.Answers {
		sum := a.None
		for _, c := range a.Scores {
			sum += c.Probability
		}
		if sum > 1.001 || sum < 0.999 {
			return false
		}
	}
	return true
}

// KindRates are the rates of the rows of one kind.
type KindRates struct {
	Kind      string `json:"kind"`
	Rows      int    `json:"rows"`
	Positives int    `json:"positives"`
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
	Expected string `json:"expected"` // the first that the row names; "" where nothing may be activated
	Got      string `json:"got"`
	Rows     int    `json:"rows"`
	Fired    int    `json:"fired"` // how many of these were activated
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

// Point is what other thresholds would give: activate_at moved to At for the
// first two, suggest_at for the others while nothing is activated.
type Point struct {
	At           float64 `json:"at"`
	FiredCorrect float64 `json:"fired_correct"`
	FalseFires   float64 `json:"false_fires"`
	Covered      float64 `json:"covered"`
	Noise        float64 `json:"noise"`
}

// Sweep moves the thresholds over these values.
func (s Scored) Sweep(thresholds []float64) []Point {
	var out []Point
	for _, t := range thresholds {
		fire, name := make([]Answer, len(s.Answers)), make([]Answer, len(s.Answers))
		for i, a := range s.Answers {
			fire[i], name[i] = a, a
			fire[i].Decision = a.At(activate.Thresholds{ActivateAt: t, SuggestAt: never})
			name[i].Decision = a.At(activate.Thresholds{ActivateAt: never, SuggestAt: t})
		}
		fired, named := rates(fire), rates(name)
		out = append(out, Point{t, fired.FiredCorrect, fired.FalseFires, named.Covered, named.Noise})
	}
	return out
}

// never is a threshold that no probability reaches.
const never = 2
