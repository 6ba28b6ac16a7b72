package main

import (
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/activate"
)

// held is the set that nothing is fitted on.
const held = "dev.jsonl"

// foreign are every other request of the training rows, put to another tap than
// the one it was written for, where nothing may be activated. They are for parts
// alone: most of what a user with a few capabilities asks for is not theirs. A
// set is named after the tap that its requests come from. No tap is asked that
// has what a request is for under the same name, or with a trigger of it.
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
		others := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == r.Tap || serves(taps[n], taps[r.Tap], r.Expect) })
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

// serves reports whether a tap has one of these capabilities of another tap too.
func serves(tap, other []activate.Candidate, names []string) bool {
	asked := map[string]bool{}
	for _, c := range other {
		if slices.Contains(names, c.Name) {
			asked[c.Name] = true
			for _, t := range c.Triggers {
				asked[strings.ToLower(t)] = true
			}
		}
	}
	return slices.ContainsFunc(tap, func(c activate.Candidate) bool {
		return asked[c.Name] || slices.ContainsFunc(c.Triggers, func(t string) bool { return asked[strings.ToLower(t)] })
	})
}

func domains(tap []activate.Candidate) []string {
	var all []string
	for _, c := range tap {
		all = append(all, c.Domains...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
