package eval

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/embed"
)

// scripted answers each row by its id.
func scripted(answers map[string]activate.Decision) Ranker {
	return Ranker{"scripted", func(_ context.Context, r Row) (activate.Decision, error) { return answers[r.ID], nil }}
}

func scores(names ...string) []activate.Score {
	var out []activate.Score
	for i, n := range names {
		gate := activate.Open
		if strings.HasPrefix(n, "-") {
			n, gate = n[1:], activate.OutOfDomain
		}
		out = append(out, activate.Score{Name: n, Gate: gate, Probability: 0.9 - 0.2*float64(i)})
	}
	return out
}

var (
	rows = []Row{
		{ID: "fired", Expect: []string{"a"}, Kind: "direct"},
		{ID: "either", Expect: []string{"a", "b"}, Kind: "direct"},
		{ID: "suggested", Expect: []string{"b"}, Kind: "noisy"},
		{ID: "wrong", Expect: []string{"a"}, Kind: "noisy"},
		{ID: "missed", Expect: []string{"a"}, Kind: "noisy"},
		{ID: "quiet", Kind: "chitchat"},
		{ID: "false fire", Kind: "chitchat"},
		{ID: "noise", Kind: "chitchat"},
		{ID: "gated", Kind: "chitchat"},
	}
	answers = map[string]activate.Decision{
		"fired":      {Outcome: activate.Activate, Winner: "a", Scores: scores("a", "b")},
		"either":     {Outcome: activate.Activate, Winner: "b", Scores: scores("b", "a")},
		"suggested":  {Outcome: activate.Suggest, Suggested: []string{"a", "b"}, Scores: scores("a", "b")},
		"wrong":      {Outcome: activate.Activate, Winner: "b", Scores: scores("b", "a")},
		"missed":     {Outcome: activate.Silence, Scores: scores("-x", "a")},
		"quiet":      {Outcome: activate.Silence, Scores: scores("a")},
		"false fire": {Outcome: activate.Activate, Winner: "a", Scores: scores("a")},
		"noise":      {Outcome: activate.Suggest, Suggested: []string{"a"}, Scores: scores("a")},
		"gated":      {Outcome: activate.Silence, Scores: scores("-x", "a")},
	}
)

func measured(t *testing.T) Scored {
	t.Helper()
	got, err := Measure(t.Context(), rows, []Ranker{scripted(answers)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Positives != 5 || got.Abstain != 4 {
		t.Errorf("%d positives, %d abstain", got.Positives, got.Abstain)
	}
	return got.Rankers[0]
}

// A set has ten thousand rows, and a tap a hundred capabilities.
func TestWhatScoresAreMadeOfIsNotKept(t *testing.T) {
	t.Parallel()
	d := activate.Decision{Scores: []activate.Score{{Name: "a", Probability: 0.9, Features: map[string]float64{"card": 1}}}}
	got, err := Measure(t.Context(), rows[:1], []Ranker{scripted(map[string]activate.Decision{rows[0].ID: d})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Rankers[0].Answers[0].Scores; len(s) != 1 || s[0].Features != nil || s[0].Probability != 0.9 {
		t.Errorf("kept %+v", s)
	}
	if d.Scores[0].Features == nil {
		t.Error("the ranker's own answer is changed")
	}
}

func TestTheRightOneBesideAWrongOneCovers(t *testing.T) {
	t.Parallel()
	a := Answer{Row: rows[0], Decision: activate.Decision{Outcome: activate.Activate, Winner: "b", Suggested: []string{"a"}, Scores: scores("b", "a")}}
	if a.Right() || !a.Covered() {
		t.Errorf("right %v, covered %v", a.Right(), a.Covered())
	}
	a.Suggested = nil
	if a.Covered() {
		t.Error("covered by a wrong one")
	}
}

func TestRatesAreSharesOfTheirOwnRows(t *testing.T) {
	t.Parallel()
	want := Rates{Top1: 3. / 5, FiredCorrect: 2. / 5, FalseFires: 1. / 4, Covered: 3. / 5, Noise: 2. / 4}
	if diff := cmp.Diff(want, measured(t).Rates); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestKindsSplitTheRates(t *testing.T) {
	t.Parallel()
	got := measured(t).ByKind()
	want := []KindRates{
		{"chitchat", 4, 0, Rates{FalseFires: 1. / 4, Noise: 2. / 4}},
		{"direct", 2, 2, Rates{Top1: 1, FiredCorrect: 1, Covered: 1}},
		{"noisy", 3, 3, Rates{Top1: 1. / 3, Covered: 1. / 3}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConfusionsNameWhoStoodInWhosePlace(t *testing.T) {
	t.Parallel()
	want := []Confusion{{"", "a", 2, 1}, {"a", "b", 1, 1}, {"b", "a", 1, 0}}
	if diff := cmp.Diff(want, measured(t).Confusions()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSweepMovesTheThreshold(t *testing.T) {
	t.Parallel()
	want := []Point{{0, 2. / 5, 3. / 4, 4. / 5, 3. / 4}, {0.95, 0, 0, 4. / 5, 0}}
	if diff := cmp.Diff(want, measured(t).Sweep([]float64{0, 0.95})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEveryBadRowIsNamedByItsLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	content := "\ufeff{\"id\":\"1\",\"text\":\"x\",\"expect\":[]}\r\n\n{\"id\":\n{\"id\":\"3\",\"expect\":[]}\n[]\n" +
		"{\"text\":\"x\",\"expect\":\"a\"}\n{\"text\":7,\"expect\":[]}\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadRows(path)
	if err == nil || len(got) != 1 {
		t.Fatalf("%d rows, %v", len(got), err)
	}
	for _, want := range []string{
		":3: column 6", ":4: the row has no \"text\"", ":5: it is no JSON object",
		`:6: "expect" is to be a list of names, not "a"`, `"text" is to be a string, not number`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
	long := "{\"text\":\"" + strings.Repeat("x", maxLine) + "\"}\n"
	for content, want := range map[string]string{"": "has no rows", "{\"text\":\"x\"}\n" + long: ":2: the line is over"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRows(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestWhatIsOddAboutRowsIsSaid(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	content := "{\"id\":\"1\",\"text\":\"x\",\"expect\":[\"orders\",\"oders\"]}\n{\"id\":\"1\",\"text\":\"y\",\"expect\":null}\n{\"text\":\"z\",\"expected\":[\"orders\"]}\n{\"id\":\"4\",\"text\":\"z\"}\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := ReadRows(path)
	if err != nil {
		t.Fatal(err)
	}
	got := Faults(rows, []activate.Candidate{{Name: "orders", Triggers: []string{"cancel an order"}}, {Name: "unused"}})
	want := []string{
		`row 1 expects "oders": the tap has no such capability with triggers`,
		"row 1 has the id of an earlier one",
		`row line 3 has no "expect" and counts as one that expects nothing (and 1 more rows)`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestARowThatItsDomainForbidsIsSaidToBeSo(t *testing.T) {
	t.Parallel()
	candidates := []activate.Candidate{
		{Name: "orders", Triggers: []string{"cancel an order"}, Domains: []string{"shop"}},
		{Name: "notes", Triggers: []string{"write it down"}},
	}
	for name, c := range map[string]struct {
		row  Row
		said string
	}{
		"its domain":               {Row{ID: "1", Domain: "shop", Expect: []string{"orders"}}, ""},
		"another":                  {Row{ID: "1", Domain: "law", Expect: []string{"orders"}}, `row 1 expects what sessions of domain "law" cannot have, and always counts as missed`},
		"none":                     {Row{ID: "1", Expect: []string{"orders"}}, `row 1 expects what sessions of domain "" cannot have, and always counts as missed`},
		"one of two can be had":    {Row{ID: "1", Expect: []string{"orders", "notes"}}, ""},
		"nothing may be activated": {Row{ID: "1", Domain: "law"}, ""},
	} {
		if got := strings.Join(Faults([]Row{c.row}, candidates), "; "); got != c.said {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A prompt that is too short to be scored tells nothing of what the others were
// judged by.
func TestThresholdsAreThoseOfRowsThatWereScored(t *testing.T) {
	t.Parallel()
	scorers, taps := activate.Thresholds{ActivateAt: 0.7}, activate.Thresholds{ActivateAt: 0.3}
	short, scored := Answer{Decision: activate.Decision{Thresholds: scorers}}, Answer{Decision: activate.Decision{Thresholds: taps, Scores: scores("a")}}
	for name, c := range map[string]struct {
		answers []Answer
		want    activate.Thresholds
	}{
		"the last is short":  {[]Answer{scored, short}, taps},
		"the first is short": {[]Answer{short, scored}, taps},
		"all are":            {[]Answer{short, short}, scorers},
		"there is none":      {},
	} {
		s := Scored{Answers: c.answers}
		if s.Explain(nil); s.Thresholds != c.want {
			t.Errorf("%s: %+v", name, s.Thresholds)
		}
	}
}

// unread is a model that no prompt comes to.
type unread struct{}

func (unread) ID() string { return "unread" }

func (unread) Encode(context.Context, []string) ([]embed.Encoding, error) {
	return nil, errors.New("it was asked")
}

func TestABaselineHasItsOwnThresholdsWhateverTheRow(t *testing.T) {
	t.Parallel()
	scorer, err := activate.ReadScorer("../../models/" + embed.DefaultModel + "/" + activate.ScorerFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := activate.New(scorer, unread{}, "")
	if err != nil {
		t.Fatal(err)
	}
	q := activate.Request{Candidates: []activate.Candidate{{Name: "a", Triggers: []string{"do it"}}}, MinChars: 8}
	for _, name := range []string{Semantic, Top3, Unlearned} {
		d, err := Baseline(name, r, q).Choose(t.Context(), Row{Text: "ok"})
		if err != nil || d.Thresholds != r.Baseline(name) || d.Outcome != activate.Silence {
			t.Errorf("%s: %+v (%v), want %+v", name, d, err, r.Baseline(name))
		}
	}
}

func TestThePredecessorDropsWhatTheDomainExcludesAndWantsAMargin(t *testing.T) {
	t.Parallel()
	s := func(name string, gate activate.Gate, p float64) activate.Score {
		return activate.Score{Name: name, Gate: gate, Probability: p}
	}
	at := activate.Thresholds{ActivateAt: 0.5}
	for _, c := range []struct {
		scores []activate.Score
		want   string
	}{
		{[]activate.Score{s("a", activate.Open, 0.6), s("b", activate.Open, 0.5)}, "a"},
		{[]activate.Score{s("a", activate.Open, 0.6), s("b", activate.Open, 0.58)}, ""},
		{[]activate.Score{s("a", activate.Open, 0.6)}, "a"},
		{[]activate.Score{s("a", activate.Open, 0.4)}, ""},
		{nil, ""},
	} {
		if d := settle(Top3, activate.Decision{Scores: c.scores}, at); d.Winner != c.want || d.Suggested != nil {
			t.Errorf("%v gives %q", c.scores, d.Winner)
		}
	}
}
