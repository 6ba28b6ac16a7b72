package schema

import (
	"maps"
	"slices"
	"strings"
)

// unions are the keywords that no model API accepts at the root of a schema,
// in the order in which they are merged.
var unions = []string{"allOf", "anyOf", "oneOf"}

func hasUnion(root map[string]any) bool {
	return slices.ContainsFunc(unions, func(k string) bool { _, ok := root[k]; return ok })
}

// flatten merges the branches of root unions into the root itself. What every
// branch requires stays required; which properties go together is said in the
// schema's description.
func flatten(root map[string]any) {
	if !hasUnion(root) {
		return
	}
	properties, _ := root["properties"].(map[string]any)
	if properties == nil {
		properties = map[string]any{}
	}
	required := words(root["required"])
	for _, keyword := range unions {
		branches, _ := root[keyword].([]any)
		delete(root, keyword)
		var groups [][]string
		for _, b := range branches {
			branch, _ := b.(map[string]any)
			flatten(branch)
			more, _ := branch["properties"].(map[string]any)
			for name, p := range more {
				if _, known := properties[name]; !known {
					properties[name] = p
				}
			}
			groups = append(groups, words(branch["required"]))
		}
		if keyword == "allOf" {
			required = append(required, slices.Concat(groups...)...)
			continue
		}
		required = append(required, common(groups)...)
		describe(root, keyword, groups)
	}
	root["properties"] = properties
	slices.Sort(required)
	if required = slices.Compact(required); len(required) > 0 {
		root["required"] = required
	}
}

// describe notes the groups of required properties of which one is wanted.
func describe(root map[string]any, keyword string, groups [][]string) {
	var wanted []string
	for _, g := range groups {
		if len(g) > 0 {
			wanted = append(wanted, strings.Join(g, "+"))
		}
	}
	if len(wanted) < 2 {
		return
	}
	note := "Give " + map[string]string{"anyOf": "at least", "oneOf": "exactly"}[keyword] + " one of: " + strings.Join(wanted, ", ") + "."
	if d, ok := root["description"].(string); ok && d != "" {
		note = d + " " + note
	}
	root["description"] = note
}

// common returns what all groups hold.
func common(groups [][]string) []string {
	if len(groups) == 0 {
		return nil
	}
	in := map[string]int{}
	for _, g := range groups {
		for _, w := range slices.Compact(slices.Sorted(slices.Values(g))) {
			in[w]++
		}
	}
	maps.DeleteFunc(in, func(_ string, n int) bool { return n < len(groups) })
	return slices.Sorted(maps.Keys(in))
}

func words(v any) []string {
	list, _ := v.([]any)
	var ws []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			ws = append(ws, s)
		}
	}
	if already, ok := v.([]string); ok { // a branch that was flattened itself
		ws = append(ws, already...)
	}
	return ws
}
