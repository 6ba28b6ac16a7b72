package config

import (
	"strings"

	"github.com/ctx-sidecar/ctx/core/spelling"
)

// suggest is a hint for a key that is not known: the same name in another
// table, else the nearest one in writing.
func suggest(path []string) string {
	name := strings.Join(path, ".")
	best, distance := "", max(2, len(name)/5)+1
	for _, candidate := range candidates(path) {
		if last(candidate) == path[len(path)-1] && !strings.Contains(candidate, "*") {
			return "did you mean " + candidate + "?"
		}
		if d := spelling.Distance(name, candidate); d < distance {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
}

// candidates are all keys and tables, with the stars filled in from path.
func candidates(path []string) []string {
	var all []string
	for _, k := range keys {
		pattern := strings.Split(k.path, ".")
		for i, part := range pattern {
			if part == "*" && i < len(path) {
				pattern[i] = path[i]
			}
			if part == "*" {
				continue // a name of the user's own is no proposal
			}
			all = append(all, strings.Join(pattern[:i+1], "."))
		}
	}
	return all
}

func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
