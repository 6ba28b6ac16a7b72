package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ctx-sidecar/ctx/core/activate"
)

// requests are rows that put triggers as prompts, two of each capability. They
// are for parts of taps alone: among few candidates a scorer has to learn that
// the very words of a trigger are enough.
func requests(taps map[string][]activate.Candidate) []row {
	var out []row
	for _, tap := range slices.Sorted(maps.Keys(taps)) {
		for _, c := range taps[tap] {
			for i, trigger := range c.Triggers[:min(2, len(c.Triggers))] {
				r := row{Set: "triggers", Tap: tap, ID: fmt.Sprintf("%s/%d", c.Name, i), Text: trigger, Expect: []string{c.Name}, Kind: verbatim}
				if len(c.Domains) > 0 {
					r.Domain = c.Domains[0]
				}
				if i > 0 {
					r.Text = "please " + trigger
				}
				out = append(out, r)
			}
		}
	}
	return out
}
