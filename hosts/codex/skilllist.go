package main

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tokens"
)

// skillBudget is how many tokens, four bytes each, Codex 0.169.0 spends on its
// list of skills: a fiftieth of a context of 272,000.
const skillBudget = 5440

// skill is a skill with what its line in the list is made of.
type skill struct {
	item        surface.Item
	description string
	short       string // of its path
	told        bool   // the model is
	rank        int    // where it stands in the list: Codex's own, the project's, the user's
	names       string // all words of its file that begin with "mcp__"
}

// line is what the list has of a skill with n bytes of its description.
func (k skill) line(n int) string {
	text := "- " + k.item.Name + ":"
	if n > 0 {
		text += " " + k.description[:n]
	}
	return text + " (file: " + k.short + ")\n"
}

// list prices the skills as the list that Codex sends with every request. Where
// it does not fit, all descriptions are cut alike; where not even the names do,
// the last skills are left out.
func list(skills []skill) []surface.Item {
	slices.SortStableFunc(skills, func(a, b skill) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.item.Name, b.item.Name))
	})
	lengths := fit(skills)
	items := make([]surface.Item, len(skills))
	for i, k := range skills {
		items[i] = k.item
		if lengths[i] >= 0 {
			items[i].Text = k.line(lengths[i])
			items[i].Resident = len(items[i].Text)
		}
	}
	return items
}

// fit says how many bytes of each description are sent, -1 for a skill that is
// not in the list at all.
func fit(skills []skill) []int {
	lengths := make([]int, len(skills))
	left := skillBudget
	whole := 0
	for i, k := range skills {
		lengths[i] = -1
		if k.told {
			whole += tokens.Bytes4(len(k.line(len(k.description))))
		}
	}
	for i, k := range skills {
		if !k.told {
			continue
		}
		if whole <= skillBudget {
			lengths[i] = len(k.description)
			continue
		}
		if bare := tokens.Bytes4(len(k.line(0))); bare <= left {
			lengths[i] = 0
			left -= bare
		} else {
			return lengths
		}
	}
	if whole > skillBudget {
		grow(skills, lengths, left)
	}
	return lengths
}

// grow gives every description one more character, in turns, as long as there
// are tokens left for the line that becomes longer.
func grow(skills []skill, lengths []int, left int) {
	for grew := true; grew; {
		grew = false
		for i, k := range skills {
			n := lengths[i]
			if n < 0 || n >= len(k.description) {
				continue
			}
			_, size := utf8.DecodeRuneInString(k.description[n:])
			next := n + size
			more := tokens.Bytes4(len(k.line(next))) - tokens.Bytes4(len(k.line(n)))
			if more <= left {
				left -= more
				lengths[i] = next
				grew = true
			}
		}
	}
}
