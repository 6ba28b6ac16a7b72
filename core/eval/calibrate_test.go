package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ctx-sidecar/ctx/core/activate"
)

// miscalibrated is a ranker that knows better than its probabilities say: the
// log odds it shows are those that hold, divided by scale, less bias.
func miscalibrated(n int, scale, bias float64) ([]Row, Ranker) {
	chance := rand.New(rand.NewPCG(3, 4))
	rows := make([]Row, n)
	shown := map[string]float64{}
	for i := range rows {
		rows[i].ID = fmt.Sprint(i)
		held := 3 * chance.NormFloat64()
		if chance.Float64() < 1/(1+math.Exp(-held)) {
			rows[i].Expect = []string{"a"}
		}
		shown[rows[i].ID] = 1 / (1 + math.Exp(-(held-bias)/scale))
	}
	return rows, Ranker{"miscalibrated", func(_ context.Context, r Row) (activate.Decision, error) {
		p := shown[r.ID]
		d := activate.Decision{None: 1 - p, Scores: []activate.Score{{Name: "a", Probability: p}}}
		return d.At(activate.Thresholds{ActivateAt: 0.5, SuggestAt: 0.5}), nil
	}}
}

func TestFitFindsTheScaleAndMeetsTheTargetsOnOtherRows(t *testing.T) {
	t.Parallel()
	rows, ranker := miscalibrated(2400, 0.5, -2)
	targets := Targets{FalseFires: 0.05, Noise: 0.2}
	f, err := Fit(t.Context(), rows[:1200], ranker, targets)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(f.Scale-0.5) > 0.12 || math.Abs(f.Bias+2) > 0.5 {
		t.Errorf("scale %v, bias %v; want 0.5, -2", f.Scale, f.Bias)
	}
	other, err := Measure(t.Context(), rows[1200:], []Ranker{{"fitted", func(ctx context.Context, r Row) (activate.Decision, error) {
		d, err := ranker.Choose(ctx, r)
		return d.With(f.Calibration), err
	}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := other.Rankers[0].Rates
	if math.Abs(got.FalseFires-targets.FalseFires) > 0.03 || math.Abs(got.Noise-targets.Noise) > 0.06 {
		t.Errorf("on other rows %+v, for %+v", got, targets)
	}
	for name, pair := range map[string][2]float64{
		"fired": {f.Expected.FiredCorrect, got.FiredCorrect}, "covered": {f.Expected.Covered, got.Covered},
		"false fires": {f.Expected.FalseFires, got.FalseFires}, "noise": {f.Expected.Noise, got.Noise},
	} {
		if math.Abs(pair[0]-pair[1]) > 0.06 {
			t.Errorf("%s: %.3f was expected, %.3f came", name, pair[0], pair[1])
		}
	}
	again, err := Fit(t.Context(), rows[:1200], ranker, targets)
	if err != nil || again.Calibration != f.Calibration {
		t.Errorf("then %+v, now %+v (%v)", f.Calibration, again.Calibration, err)
	}
}

// undecided is a ranker of five candidates that is now sure of one and now torn
// between several, so that those which it may activate are others than those
// which it may suggest.
func undecided(n int) ([]Row, Ranker) {
	chance := rand.New(rand.NewPCG(5, 6))
	rows := make([]Row, n)
	shown := map[string][]float64{}
	for i := range rows {
		rows[i].ID = fmt.Sprint(i)
		odds := make([]float64, 5)
		for j := range odds {
			odds[j] = 2*chance.NormFloat64() - 2
		}
		if i%2 == 0 {
			rows[i].Expect = []string{"0"}
			odds[0] += 4
		}
		shown[rows[i].ID] = odds
	}
	return rows, Ranker{"undecided", func(_ context.Context, r Row) (activate.Decision, error) {
		all := 1.0
		for _, o := range shown[r.ID] {
			all += math.Exp(o)
		}
		d := activate.Decision{None: 1 / all}
		for j, o := range shown[r.ID] {
			d.Scores = append(d.Scores, activate.Score{Name: fmt.Sprint(j), Probability: math.Exp(o) / all})
		}
		slices.SortFunc(d.Scores, func(a, b activate.Score) int { return cmp.Compare(b.Probability, a.Probability) })
		return d.At(activate.Thresholds{ActivateAt: 0.5, SuggestAt: 0.5}), nil
	}}
}

func TestWhatIsActivatedIsNoiseToo(t *testing.T) {
	t.Parallel()
	rows, ranker := undecided(2000)
	measured, err := Measure(t.Context(), rows, []Ranker{ranker}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, targets := range []Targets{{0.03, 0.15}, {0.1, 0.15}, {0.15, 0.15}, {0.3, 0.1}, {0.05, 0}} {
		at := thresholds(measured.Rankers[0].Answers, targets)
		var answers []Answer
		for _, a := range measured.Rankers[0].Answers {
			a.Decision = a.At(at)
			answers = append(answers, a)
		}
		got := rates(answers)
		if got.FalseFires > targets.FalseFires || got.Noise > targets.Noise || got.Noise < targets.Noise-0.01 {
			t.Errorf("for %+v the rates are %+v", targets, got)
		}
	}
	f, err := Fit(t.Context(), rows[:300], ranker, Targets{0.3, 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if e := f.Expected; e.Noise > 0.15 || e.FalseFires > 0.15 {
		t.Errorf("%+v is expected on other rows", e.Rates)
	}
}

func TestFitWantsRowsOfBothSorts(t *testing.T) {
	t.Parallel()
	rows, ranker := miscalibrated(400, 1, 0)
	var positives, abstain []Row
	for _, r := range rows {
		if len(r.Expect) > 0 {
			positives = append(positives, r)
		} else {
			abstain = append(abstain, r)
		}
	}
	for name, rows := range map[string][]Row{
		"no abstain rows": positives, "no positives": abstain,
		"one too few": append(positives[:LeastRows:LeastRows], abstain[:LeastRows-1]...),
	} {
		if _, err := Fit(t.Context(), rows, ranker, Targets{0.03, 0.15}); !errors.Is(err, ErrTooFew) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Fit(t.Context(), append(positives[:LeastRows:LeastRows], abstain[:LeastRows]...), ranker, Targets{0.03, 0.15}); err != nil {
		t.Error(err)
	}
}

// Words alone answer whatever becomes of the context.
func TestWhoStopsAMeasurementWaitsForNoMoreOfIt(t *testing.T) {
	t.Parallel()
	rows, ranker := miscalibrated(200, 1, 0)
	for name, last := range map[string]int{"among the rows": 3, "before anything is fitted": len(rows)} {
		ctx, stop := context.WithCancel(t.Context())
		asked := 0
		stopping := Ranker{ranker.Name, func(ctx context.Context, r Row) (activate.Decision, error) {
			if asked++; asked == last {
				stop()
			}
			return ranker.Choose(ctx, r)
		}}
		if f, err := Fit(ctx, rows, stopping, Targets{0.03, 0.15}); !errors.Is(err, context.Canceled) || asked != last {
			t.Errorf("%s: %d rows, %+v, %v", name, asked, f.Calibration, err)
		}
	}
}

func TestIntervalsHoldTheRateAndNarrowWithRows(t *testing.T) {
	t.Parallel()
	rows, ranker := miscalibrated(2000, 1, 0)
	width := func(n int) float64 {
		m, err := Measure(t.Context(), rows[:n], []Ranker{ranker}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := m.Rankers[0]
		i := r.Bootstrap()
		if i.FiredCorrect[0] > r.FiredCorrect || i.FiredCorrect[1] < r.FiredCorrect || i.Noise[0] > r.Noise || i.Noise[1] < r.Noise {
			t.Errorf("%d rows: %+v does not hold %+v", n, i, r.Rates)
		}
		if i != r.Bootstrap() {
			t.Error("the second time is another")
		}
		return i.FiredCorrect[1] - i.FiredCorrect[0]
	}
	if few, many := width(100), width(2000); many > few/2 {
		t.Errorf("100 rows: %.3f wide; 2000: %.3f", few, many)
	}
}
