package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/ctx-sidecar/ctx/core/activate"
)

// Routing is how well each ranker did.
type Routing struct {
	Positives int      `json:"positives"` // rows that something may be activated for
	Abstain   int      `json:"abstain"`   // rows that nothing may
	Rankers   []Scored `json:"rankers"`
	Warnings  []string `json:"warnings,omitempty"`
}

// Rates are shares, from 0 to 1.
type Rates struct {
	Top1         float64 `json:"top1"`          // of the positives: the best in-domain one is right
	FiredCorrect float64 `json:"fired_correct"` // of the positives: activated, and right
	FalseFires   float64 `json:"false_fires"`   // of the abstain rows: activated
	Covered      float64 `json:"covered"`       // of the positives: right and activated, or among the suggested, beside a wrong one too
	Noise        float64 `json:"noise"`         // of the abstain rows: activated or suggested
}

// Scored is a ranker with its rates and each answer.
type Scored struct {
	Name string `json:"name"`
	Rates
	Thresholds activate.Thresholds `json:"thresholds"` // a calibration's of the tap, or the scorer's
	Intervals  *Intervals          `json:"intervals,omitempty"`
	Kinds      []KindRates         `json:"kinds,omitempty"`
	Confused   []Confusion         `json:"confusions,omitempty"`
	Points     []Point             `json:"sweep,omitempty"`
	Answers    []Answer            `json:"-"` // one per row
}

// Answer is what a ranker decided on a row.
type Answer struct {
	Row
	activate.Decision
	Top string // the best in-domain candidate, "" for none
}

// Measure asks every ranker about every row. progress is told of each row before
// it is asked about, counted from 0; nil is fine.
func Measure(ctx context.Context, rows []Row, rankers []Ranker, progress func(ranker string, row int)) (Routing, error) {
	var out Routing
	for _, r := range rows {
		if len(r.Expect) > 0 {
			out.Positives++
		} else {
			out.Abstain++
		}
	}
	for _, ranker := range rankers {
		s := Scored{Name: ranker.Name}
		for i, row := range rows {
			if err := ctx.Err(); err != nil { // words alone never look
				return out, err
			}
			if progress != nil {
				progress(ranker.Name, i)
			}
			d, err := ranker.Choose(ctx, row)
			if err != nil {
				return out, fmt.Errorf("%s on row %s: %w", ranker.Name, row.ID, err)
			}
			d.Scores = slices.Clone(d.Scores)
			for i := range d.Scores {
				d.Scores[i].Features = nil // no rate is made of them, and they are most of an answer
			}
			s.Answers = append(s.Answers, Answer{Row: row, Decision: d, Top: top(d)})
		}
		s.Rates = rates(s.Answers)
		out.Rankers = append(out.Rankers, s)
	}
	return out, nil
}

// top is the best candidate of the session's domain, "" for none.
func top(d activate.Decision) string {
	for _, c := range d.Scores {
		if c.Gate == activate.Open {
			return c.Name
		}
	}
	return ""
}

// Right reports whether the row's own capability was activated.
func (a Answer) Right() bool {
	return a.Outcome == activate.Activate && slices.Contains(a.Expect, a.Winner)
}

// Covered reports whether the row's own capability was activated or suggested.
func (a Answer) Covered() bool {
	return a.Right() || slices.ContainsFunc(a.Suggested, func(s string) bool { return slices.Contains(a.Expect, s) })
}

func rates(answers []Answer) Rates {
	var r Rates
	positives, abstain := 0, 0
	count := func(to *float64, is bool) {
		if is {
			*to++
		}
	}
	for _, a := range answers {
		if len(a.Expect) > 0 {
			positives++
			count(&r.Top1, slices.Contains(a.Expect, a.Top))
			count(&r.FiredCorrect, a.Right())
			count(&r.Covered, a.Covered())
			continue
		}
		abstain++
		count(&r.FalseFires, a.Outcome == activate.Activate)
		count(&r.Noise, a.Outcome != activate.Silence)
	}
	share := func(n float64, of int) float64 { return n / float64(max(of, 1)) }
	return Rates{
		share(r.Top1, positives), share(r.FiredCorrect, positives), share(r.FalseFires, abstain),
		share(r.Covered, positives), share(r.Noise, abstain),
	}
}
