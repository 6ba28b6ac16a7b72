package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ctx-sidecar/ctx/core/activate"
)

// Targets are what a calibration may cost, as shares of the abstain rows.
type Targets struct {
	FalseFires float64 `json:"max_false_fires"`
	Noise      float64 `json:"max_noise"`
}

// The least that can be calibrated on, and what is enough to trust it.
const (
	LeastRows  = 20  // of either sort
	EnoughRows = 100 // of the abstain rows: three of a hundred are a rate of 3 %
)

// ErrTooFew says that there are too few rows to calibrate on.
var ErrTooFew = errors.New("too few rows")

// folds is how many parts the rows are cut into, each judged by what the others
// have taught.
const folds = 5

// Fitted is a calibration with what it is worth.
type Fitted struct {
	activate.Calibration
	Before   Scored // the scorer's own calibration
	Expected Scored // each row by a calibration that was made without it
}

// Fit makes a calibration for the capabilities that ranker chooses among:
// scale and bias by Platt's method, with a pull towards 1 and 0, then the least
// thresholds that meet the targets on rows that scale and bias were not fitted
// on. Nothing is drawn at random. Too few rows are [ErrTooFew].
func Fit(ctx context.Context, rows []Row, ranker Ranker, t Targets) (Fitted, error) {
	measured, err := Measure(ctx, rows, []Ranker{ranker}, nil)
	if err != nil {
		return Fitted{}, err
	}
	if measured.Positives < LeastRows || measured.Abstain < LeastRows {
		return Fitted{}, fmt.Errorf("%w: %d that expect a capability and %d that expect none, and %d of either are needed",
			ErrTooFew, measured.Positives, measured.Abstain, LeastRows)
	}
	all := measured.Rankers[0].Answers
	out := Fitted{Before: measured.Rankers[0], Expected: Scored{Name: ranker.Name}}
	for fold := range folds {
		rest, held := split(all, fold)
		c, err := fit(ctx, rest, t)
		if err != nil {
			return Fitted{}, err
		}
		for _, a := range held {
			out.Expected.Answers = append(out.Expected.Answers, a.with(c))
		}
	}
	out.Expected.Rates = rates(out.Expected.Answers)
	out.Calibration, err = fit(ctx, all, t)
	return out, err
}

// split takes every fifth of either sort of row out.
func split(answers []Answer, fold int) (rest, held []Answer) {
	seen := [2]int{}
	for _, a := range answers {
		sort := 0
		if len(a.Expect) > 0 {
			sort = 1
		}
		if seen[sort]%folds == fold {
			held = append(held, a)
		} else {
			rest = append(rest, a)
		}
		seen[sort]++
	}
	return rest, held
}

// with is the answer under another calibration.
func (a Answer) with(c activate.Calibration) Answer {
	a.Decision = a.Decision.With(c)
	a.Top = top(a.Decision)
	return a
}

// fit takes long on many rows, and fails with ctx alone.
func fit(ctx context.Context, answers []Answer, t Targets) (activate.Calibration, error) {
	var apart []Answer // each with a scale and bias that are not its own
	for fold := range folds {
		if err := ctx.Err(); err != nil {
			return activate.Calibration{}, err
		}
		rest, held := split(answers, fold)
		c := platt(rest)
		for _, a := range held {
			apart = append(apart, a.with(c))
		}
	}
	if err := ctx.Err(); err != nil {
		return activate.Calibration{}, err
	}
	c := platt(answers)
	c.Thresholds = thresholds(apart, t)
	return c, nil
}

// thresholds are the least that meet the targets, rounded up to four digits. What
// is activated is noise too, and activate_at has the first say: of the noise that
// is allowed suggest_at gets what is left.
func thresholds(answers []Answer, t Targets) activate.Thresholds {
	var winners, shares, right []float64
	for _, a := range answers {
		winner, share, own := a.confidence()
		if len(a.Expect) == 0 {
			winners, shares = append(winners, winner), append(shares, share)
		} else if own > 0 {
			right = append(right, own)
		}
	}
	at := activate.Thresholds{ActivateAt: line(winners, min(t.FalseFires, t.Noise))}
	for i, winner := range winners {
		if winner >= at.ActivateAt {
			shares[i] = math.Inf(1) // noise, wherever suggest_at is
		}
	}
	at.SuggestAt = line(shares, t.Noise)
	slices.Sort(right)
	if len(right) > 0 {
		at.DiscoverAt = min(right[int(missed*float64(len(right)))], at.SuggestAt)
	}
	return at
}

// missed is the share of the right answers that somebody who asks does without,
// for a short list.
const missed = 0.1

// confidence returns the probabilities that decide: the winner's, those of the
// three best together, and the expected one's. The first two are 0 where the
// winner may not be activated.
func (a Answer) confidence() (winner, share, own float64) {
	for _, s := range a.Scores {
		if slices.Contains(a.Expect, s.Name) {
			own = max(own, s.Probability)
		}
	}
	if len(a.Scores) == 0 || a.Scores[0].Gate != activate.Open {
		return 0, 0, own
	}
	return a.Scores[0].Probability, a.Share(), own
}

// line is the least threshold that at most a share of the scores pass.
func line(scores []float64, share float64) float64 {
	k := int(share*float64(len(scores)) + 1e-9)
	if k >= len(scores) {
		return 0
	}
	ascending := slices.Sorted(slices.Values(scores))
	return min(math.Floor(ascending[len(scores)-1-k]*1e4+1)/1e4, 1)
}
