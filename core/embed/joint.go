package embed

import (
	"context"
	"fmt"
	"slices"
)

// What the joint network reads is cut as it was for its training
// (models/train/encoder/joint.py), which the bundle says.
const (
	jointOutput = "scores"
	jointStop   = "." // between card and trigger

	// Where a bundle says nothing.
	jointRequest = 42
	jointTail    = 13
	jointCard    = 16
	jointTrigger = 10

	// A network of this kind has 512 places.
	mostOfRequest   = 128
	mostOfCandidate = 40
)

// longestText is how many tokens of a request are looked at to find its end.
const longestText = 1 << 14

// Candidate is what the joint network reads of a thing that may be chosen.
type Candidate struct {
	Card    string `json:"card"`    // what it says of itself
	Most    int    `json:"-"`       // tokens of Card that are read, 0: as many as there is room for
	Trigger string `json:"trigger"` // the request that it answers which is most like the one asked, "" for none
}

// Chooses reports whether the bundle has a network that chooses.
func (m *Model) Chooses() bool { return m.joint != nil }

// Choose reads a request together with a few candidates in one go. It returns a
// score for each and one for none of them, logits of a softmax over all. Their
// order makes no difference that was meant.
func (m *Model) Choose(ctx context.Context, request string, candidates []Candidate) (each []float64, none float64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, fmt.Errorf("choose: %w", err)
	}
	if m.joint == nil {
		return nil, 0, fmt.Errorf("choose: the model %s has no network for it", m.Name())
	}
	ids, types, ends := m.jointly(request, candidates)
	mask := slices.Repeat([]int64{1}, len(ids))
	scores, err := m.joint.run(ids, mask, types, 1, len(ids))
	if err != nil {
		return nil, 0, fmt.Errorf("choose: %w", err)
	}
	if len(scores) != 2*len(ids) {
		return nil, 0, fmt.Errorf("choose: the model answered %d numbers for %d tokens", len(scores), len(ids))
	}
	// Per token a score as a part of a candidate, and one for none.
	start := ends[0]
	for _, end := range ends[1:] {
		sum := 0.0
		for i := start; i < end; i++ {
			sum += float64(scores[2*i])
		}
		each = append(each, sum/float64(end-start))
		start = end
	}
	return each, float64(scores[1]), nil
}

// jointly returns the ids and types of a request with its candidates, and where
// the request and each of these ends.
func (m *Model) jointly(request string, candidates []Candidate) (ids, types []int64, ends []int) {
	t := m.tokenizer
	add := func(kind int64, tokens ...int32) {
		for _, id := range tokens {
			ids, types = append(ids, int64(id)), append(types, kind)
		}
	}
	own := func(text string, most int) []int32 {
		with := t.encode(text, most+2)
		return with[1 : len(with)-1]
	}
	asked := own(request, longestText)
	if most, tail := m.bundle.JointRequest, m.bundle.JointTail; len(asked) > most {
		asked = slices.Concat(asked[:most-tail], asked[len(asked)-tail:])
	}
	add(0, t.start)
	add(0, asked...)
	add(0, t.end)
	ends = []int{len(ids)}
	for _, c := range candidates {
		room := m.bundle.JointCard
		if c.Trigger == "" {
			room += m.bundle.JointTrigger
		}
		if c.Most > 0 {
			room = min(room, c.Most)
		}
		add(1, own(c.Card, room)...)
		if c.Trigger != "" {
			add(1, own(jointStop, 1)...)
			add(1, own(c.Trigger, m.bundle.JointTrigger)...)
		}
		add(1, t.end)
		ends = append(ends, len(ids))
	}
	return ids, types, ends
}
