package survey

import (
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/spelling"
)

// Near is the hint for an id that is unknown: those that were probably meant.
func Near(id string, ids []string) string {
	word := strings.ToLower(id[strings.LastIndex(id, ":")+1:])
	type candidate struct {
		id string
		at int
	}
	var found []candidate
	seen := map[string]bool{}
	for _, other := range ids {
		name := strings.ToLower(other[strings.LastIndex(other, ":")+1:])
		d := spelling.Distance(word, name)
		if !seen[other] && word != "" && (d <= 2 || strings.Contains(name, word) || strings.Contains(word, name) && len(name) > 2) {
			seen[other] = true
			found = append(found, candidate{other, d})
		}
	}
	if len(found) == 0 {
		return "ctx surface inventory lists all ids"
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.at - b.at })
	var names []string
	for _, c := range found[:min(len(found), 3)] {
		names = append(names, c.id)
	}
	return "did you mean: " + strings.Join(names, ", or ")
}
