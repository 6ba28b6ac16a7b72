package eval_test

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/eval"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// TestRoutingOfTheRealTap holds the shipped scorers and their calibration to
// what they reached when they were trained, one row of the set less.
func TestRoutingOfTheRealTap(t *testing.T) {
	t.Parallel()
	dir := cmp.Or(os.Getenv("CTX_DATA"), filepath.Join("..", "..", "..", "shared", "data"))
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no evaluation data: %v (set CTX_DATA)", err)
	}
	all, _ := tap.LoadDir(filepath.Join(dir, "taps", "octomind-tap"))
	var candidates []activate.Candidate
	for _, c := range all {
		candidates = append(candidates, activate.Candidate{
			Name: c.Name, Title: c.Title, Description: c.Description, Triggers: c.Triggers, Domains: c.Domains,
		})
	}
	rows, err := eval.ReadRows(filepath.Join(dir, "routing", "dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lexical, err := activate.New(activate.Lexical(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	q := activate.Request{Candidates: candidates, MinChars: config.Default().Activate.MinChars}
	rankers := []eval.Ranker{eval.Product("lexical", lexical, q)}
	bars := []eval.Rates{{FiredCorrect: 0.15, FalseFires: 0.03, Covered: 0.45, Noise: 0.15}}
	model, err := filepath.Abs("../../models/" + embed.DefaultModel)
	if err != nil {
		t.Fatal(err)
	}
	router, degraded := activate.Load(activate.Source{Env: os.Environ(), Model: model})
	if degraded == nil {
		defer router.Close()
		rankers = append(rankers, eval.Product("default", router, q))
		bars = append(bars, eval.Rates{FiredCorrect: 0.66, FalseFires: 0.03, Covered: 0.87, Noise: 0.15})
	} else {
		t.Logf("without the model: %v", degraded)
	}
	got, err := eval.Measure(t.Context(), rows, rankers, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, bar := range bars {
		r := got.Rankers[i]
		t.Logf("%s: %+v", r.Name, r.Rates)
		if r.FiredCorrect < bar.FiredCorrect || r.FalseFires > bar.FalseFires || r.Covered < bar.Covered || r.Noise > bar.Noise {
			t.Errorf("%s reaches %+v, is to reach %+v", r.Name, r.Rates, bar)
		}
	}
}
