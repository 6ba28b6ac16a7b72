package main

import (
	"hash/fnv"
	"maps"
	"slices"

	"github.com/ctx-sidecar/ctx/core/activate"
)

// held is the set that nothing is fitted on.
const held = "dev.jsonl"

// foreign are every other request of the training rows, put to another tap than
// the one it was written for, where nothing may be activated. They are for parts
// alone: most of what a user with a few capabilities asks for is not theirs. A
// set is named after the tap that its requests come from.
func foreign(rows []row, taps map[string][]activate.Candidate) []row {
	names := slices.Sorted(maps.Keys(taps))
	var out []row
	for i, r := range rows {
		if i%2 == 1 || len(r.Expect) == 0 || r.Set == held {
			continue
		}
		h := fnv.New64a()
		h.Write([]byte(r.Tap + "/" + r.ID))
		chance := h.Sum64()
		others := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == r.Tap })
		if len(others) == 0 {
			continue
		}
		r.Set = "foreign-" + r.Tap
		r.Tap = others[chance%uint64(len(others))]
		r.Domain = ""
		if d := domains(taps[r.Tap]); len(d) > 0 {
			r.Domain = d[chance/7%uint64(len(d))]
		}
		r.Expect, r.Near, r.Kind = nil, "", "foreign"
		out = append(out, r)
	}
	return out
}

func domains(tap []activate.Candidate) []string {
	var all []string
	for _, c := range tap {
		all = append(all, c.Domains...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
