package activate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// Chooser is a sentence model that can also read a request together with a few
// candidates, as [embed.Model.Choose] does.
type Chooser interface {
	Chooses() bool
	Choose(ctx context.Context, request string, candidates []embed.Candidate) (each []float64, none float64, err error)
}

// jointWeights say what the scores of a joint reading count. What is linear in
// features cannot tell a request from talk that has the same words; a network
// that reads both texts at once can, and only the few that come into question
// are worth its time.
type jointWeights struct {
	Candidates int     `json:"candidates"` // how many are read, the most probable ones
	Weight     float64 `json:"weight"`     // of their log probabilities, beside the scorer's own
	Beyond     float64 `json:"beyond"`     // how far below the last of them those are put that are not read
	Faint      float64 `json:"faint"`      // of the leading one's probability: what has less is not read, for it cannot win; 0: all are
	Clear      float64 `json:"clear"`      // from this probability on, of a candidate or of none, nothing is read: the scorer is sure; 0: always
}

// Joint is what a joint reading says.
type Joint struct {
	Read []int     `json:"read"` // indices of the candidates that were read
	Each []float64 `json:"each"` // their logits
	None float64   `json:"none"` // and that of none of them
}

// mix weighs a joint reading into probabilities.
func (w jointWeights) mix(j Joint, each []float64, none float64) ([]float64, float64) {
	logits := slices.Repeat([]float64{slices.Min(j.Each) - w.Beyond}, len(each))
	for i, at := range j.Read {
		logits[at] = j.Each[i]
	}
	out := make([]float64, len(each))
	for i, p := range each {
		out[i] = logProbability(p) + w.Weight*logits[i]
	}
	return softmax(out, logProbability(none)+w.Weight*j.None)
}

// logProbability keeps a probability that has come to nothing finite.
func logProbability(p float64) float64 { return math.Log(p + 1e-9) }

// read has the most probable candidates read together with the prompt. It is
// nil where scorer or model know nothing of it, and where it is clear without.
func (r *Router) read(ctx context.Context, f *field, prompt string, e encoded, candidates []Candidate, each []float64, none float64) (*Joint, error) {
	chooser, ok := r.packer.model.(Chooser)
	if !ok || r.scorer.Joint == nil || !chooser.Chooses() || len(each) == 0 {
		return nil, nil
	}
	if c := r.scorer.Joint.Clear; c > 0 && max(none, slices.Max(each)) >= c {
		return nil, nil
	}
	order := make([]int, len(each))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(each[b], each[a]) })
	order = order[:min(len(order), r.scorer.Joint.Candidates)]
	for len(order) > 1 && each[order[len(order)-1]] < r.scorer.Joint.Faint*each[order[0]] {
		order = order[:len(order)-1]
	}
	j := &Joint{Read: order}
	var texts []embed.Candidate
	for _, i := range j.Read {
		texts = append(texts, embed.Candidate{Card: candidates[i].sentence(), Trigger: candidates[i].Triggers[f.nearest(i, e)]})
	}
	var err error
	if j.Each, j.None, err = chooser.Choose(ctx, prompt, texts); err != nil {
		return nil, err
	}
	if len(j.Each) != len(j.Read) {
		return nil, fmt.Errorf("%d scores for %d candidates", len(j.Each), len(j.Read))
	}
	return j, nil
}

// nearest is which of a candidate's triggers is most like the prompt.
func (f *field) nearest(candidate int, prompt encoded) int {
	best, at := float32(math.Inf(-1)), 0
	for i, t := range f.triggers[f.first[candidate]:f.first[candidate+1]] {
		if x := dot(t.vector, prompt.vector); x > best {
			best, at = x, i
		}
	}
	return at
}
