package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/ctx-sidecar/ctx/core/activate"
)

const (
	ambiguous = "ambiguous"
	verbatim  = "trigger"
	missing   = "missing-capability" // the kind of a row whose capability a part leaves out
)

// part is a row on a few capabilities of its tap, drawn by chance that the seed,
// the row and the size alone decide. Half of the rows that expect a capability
// find it among them; for the others nothing may be activated. Of an abstain row
// the capability that it comes close to is there as often. ok is false for rows
// that would mean something else: those whose parts could serve them, and those
// on taps that are no larger.
func part(r row, tap []activate.Candidate, size int, seed uint64) (_ row, few []activate.Candidate, ok bool) {
	tap = slices.DeleteFunc(slices.Clone(tap), func(c activate.Candidate) bool { return len(c.Triggers) == 0 })
	if size >= len(tap) || r.Kind == ambiguous {
		return r, nil, false
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%s/%d", r.Tap, r.ID, size)
	chance := rand.New(rand.NewPCG(seed, h.Sum64()))
	chance.Shuffle(len(tap), func(i, j int) { tap[i], tap[j] = tap[j], tap[i] })
	with := chance.IntN(2) == 0 || r.Kind == verbatim
	about := func(c activate.Candidate) bool { return slices.Contains(r.Expect, c.Name) || c.Name == r.Near }
	var subject, others []activate.Candidate
	for _, c := range tap {
		if about(c) {
			subject = append(subject, c)
		} else {
			others = append(others, c)
		}
	}
	if with && len(subject) > 0 {
		few = append(few, subject[0])
	}
	few = append(few, others[:min(size-len(few), len(others))]...)
	chance.Shuffle(len(few), func(i, j int) { few[i], few[j] = few[j], few[i] })
	if len(r.Expect) > 0 {
		r.Expect = slices.DeleteFunc(slices.Clone(r.Expect), func(n string) bool { return !slices.Contains(names(few), n) })
		if len(r.Expect) == 0 {
			r.Kind = missing
		}
	}
	return r, few, true
}

func names(list []activate.Candidate) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = c.Name
	}
	return out
}
