package activate

import "context"

// Observation is all that a scorer sees of a prompt, and what it makes of it.
// Scorers are trained on it.
type Observation struct {
	Names         []string           `json:"names"`    // of the candidates that have triggers
	Gated         []bool             `json:"gated"`    // by the session's domain
	Features      [][]float64        `json:"features"` // per candidate, in the order of the scorer's features
	Vector        []float32          `json:"vector"`   // the prompt's, none without a model
	Wording       map[string]float64 `json:"wording"`
	Probabilities []float64          `json:"probabilities"` // by the features alone
	None          float64            `json:"none"`
	Joint         *Joint             `json:"joint,omitempty"`
	Mixed         []float64          `json:"mixed,omitempty"` // probabilities and none with the joint reading weighed in
}

// Observe returns what the scorer sees of a prompt in a session of a domain.
func (r *Router) Observe(ctx context.Context, prompt, domain string, candidates []Candidate) (Observation, error) {
	prompt, candidates = own(prompt), routable(candidates)
	f, rows, e, err := r.features(ctx, prompt, candidates)
	if err != nil {
		return Observation{}, err
	}
	o := Observation{Gated: outside(candidates, domain), Features: rows, Vector: e.vector, Wording: wording(prompt)}
	for _, c := range candidates {
		o.Names = append(o.Names, c.Name)
	}
	o.Probabilities, o.None = r.scorer.probabilities(rows, o.Gated, prompt, e.vector)
	if o.Joint, err = r.read(ctx, f, prompt, e, candidates, o.Probabilities, o.None); err != nil {
		return Observation{}, err
	}
	if o.Joint != nil {
		each, none := r.scorer.Joint.mix(*o.Joint, o.Probabilities, o.None)
		o.Mixed = append(each, none)
	}
	return o, nil
}
