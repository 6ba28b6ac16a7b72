package eval

import (
	"math/rand/v2"
	"slices"
)

// Interval is where a rate lies with 95 % confidence, as far as the choice of
// rows goes.
type Interval [2]float64

// Intervals are those of the rates of the same names.
type Intervals struct {
	Top1         Interval `json:"top1"`
	FiredCorrect Interval `json:"fired_correct"`
	FalseFires   Interval `json:"false_fires"`
	Covered      Interval `json:"covered"`
	Noise        Interval `json:"noise"`
}

const resamples = 1000

// Bootstrap draws the rows again and again, positives and abstain rows apart,
// and cuts off 2.5 % of the rates at either end. The chance is the same every
// time.
func (s Scored) Bootstrap() Intervals {
	var positives, abstain []Answer
	for _, a := range s.Answers {
		if len(a.Expect) > 0 {
			positives = append(positives, a)
		} else {
			abstain = append(abstain, a)
		}
	}
	chance := rand.New(rand.NewPCG(1, 2))
	draw := func(from []Answer, rate func(Rates) float64) Interval {
		if len(from) == 0 {
			return Interval{}
		}
		hits := make([]float64, len(from))
		for i := range from {
			hits[i] = rate(rates(from[i : i+1]))
		}
		drawn := make([]float64, resamples)
		for k := range drawn {
			for range hits {
				drawn[k] += hits[chance.IntN(len(hits))]
			}
			drawn[k] /= float64(len(hits))
		}
		slices.Sort(drawn)
		return Interval{drawn[resamples*25/1000], drawn[resamples*975/1000-1]}
	}
	return Intervals{
		Top1:         draw(positives, func(r Rates) float64 { return r.Top1 }),
		FiredCorrect: draw(positives, func(r Rates) float64 { return r.FiredCorrect }),
		FalseFires:   draw(abstain, func(r Rates) float64 { return r.FalseFires }),
		Covered:      draw(positives, func(r Rates) float64 { return r.Covered }),
		Noise:        draw(abstain, func(r Rates) float64 { return r.Noise }),
	}
}
