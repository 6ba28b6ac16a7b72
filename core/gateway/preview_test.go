package gateway

import (
	"slices"
	"strings"
	"testing"
)

func TestToolsAreChosenByAPromptOfAnyLength(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers)
	b.initialize(`{}`)
	rules, known := b.policy.Rules(t.Context()), b.backends.Listings()
	paste := strings.Repeat("lorem ipsum dolor ", 1000)
	for name, c := range map[string]struct {
		prompt string
		found  bool
	}{
		"short":                    {"write_file", true},
		"before what was pasted":   {"use write_file on this: " + paste, true},
		"after what is fenced":     {"```\n" + paste + "\n```\nuse write_file on this", true},
		"behind more than is read": {paste + "write_file", false},
	} {
		if ids := Relevant(rules, known, c.prompt, 3); slices.Contains(ids, "fs:write_file") != c.found {
			t.Errorf("%s: %q", name, ids)
		}
	}
}
