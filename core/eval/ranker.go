package eval

import (
	"cmp"
	"context"
	"slices"

	"github.com/ctx-sidecar/ctx/core/activate"
)

// Ranker is one way to choose capabilities for a prompt.
type Ranker struct {
	Name   string
	Choose func(context.Context, Row) (activate.Decision, error)
}

// Product is what a router of the product decides, in a fresh session. q is all
// of a request but what a row says: the candidates, and the user's settings.
func Product(name string, r *activate.Router, q activate.Request) Ranker {
	return Ranker{name, func(ctx context.Context, row Row) (activate.Decision, error) {
		q := q
		q.Prompt, q.Domain = row.Text, row.Domain
		return r.Decide(ctx, q)
	}}
}

// The rankers that the product is compared with. They have no learned part; the
// features they use, and their thresholds, come with the model's scorer.
const (
	Semantic  = "semantic"  // the nearest trigger's cosine
	Top3      = "top3"      // the predecessor's: mean of three triggers, one threshold, one margin
	Unlearned = "unlearned" // top3 and card in equal parts, and word matches
)

// top3Margin is by how much the predecessor's first has to lead.
const top3Margin = 0.06

// Baseline is one of the rankers above, over the features that r computes. Of the
// user's settings it goes by min_chars alone.
func Baseline(name string, r *activate.Router, q activate.Request) Ranker {
	at := r.Baseline(name)
	product := Product(name, r, q)
	return Ranker{name, func(ctx context.Context, row Row) (activate.Decision, error) {
		d, err := product.Choose(ctx, row)
		d.Thresholds = at
		if err != nil || len(d.Scores) == 0 {
			return d, err
		}
		for i := range d.Scores {
			d.Scores[i].Probability = baselineScore(name, d.Scores[i].Features)
		}
		if name == Top3 {
			d.Scores = slices.DeleteFunc(d.Scores, func(s activate.Score) bool { return s.Gate != activate.Open })
		}
		slices.SortStableFunc(d.Scores, func(a, b activate.Score) int { return cmp.Compare(b.Probability, a.Probability) })
		return settle(name, d, at), nil
	}}
}

func baselineScore(name string, f map[string]float64) float64 {
	switch name {
	case Semantic:
		return f["trigger best"]
	case Top3:
		return f["trigger top3"]
	default:
		return (f["trigger top3"]+f["card"])/2 + 0.6*f["word top3"]
	}
}

// settle draws the outcome of scores that are no probabilities: a suggestion is
// measured by its first.
func settle(name string, d activate.Decision, at activate.Thresholds) activate.Decision {
	d.Outcome, d.Winner, d.Suggested, d.Thresholds = activate.Silence, "", nil, at
	if len(d.Scores) == 0 || d.Scores[0].Gate != activate.Open {
		return d
	}
	best := d.Scores[0].Probability
	if name == Top3 {
		if best >= at.ActivateAt && (len(d.Scores) == 1 || best-d.Scores[1].Probability >= top3Margin) {
			d.Outcome, d.Winner = activate.Activate, d.Scores[0].Name
		}
		return d
	}
	for _, s := range d.Scores {
		if s.Gate == activate.Open && len(d.Suggested) < 3 {
			d.Suggested = append(d.Suggested, s.Name)
		}
	}
	switch {
	case best >= at.ActivateAt:
		d.Outcome, d.Winner, d.Suggested = activate.Activate, d.Scores[0].Name, d.Suggested[1:]
	case best >= at.SuggestAt:
		d.Outcome = activate.Suggest
	default:
		d.Suggested = nil
	}
	return d
}
