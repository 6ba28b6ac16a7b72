package listing

import (
	"encoding/json"
	"slices"
)

// Change is one way in which a later listing of a server differs from an earlier
// one.
type Change struct {
	What string `json:"what"` // "added", "removed", "description", "schema", "annotations", "instructions", "version"
	Tool string `json:"tool,omitempty"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
}

// Drift says what has changed between two listings of one server, tool by tool
// in the order of the names.
func Drift(before, after Listing) []Change {
	var all []Change
	if before.Version != after.Version {
		all = append(all, Change{What: "version", Old: before.Version, New: after.Version})
	}
	if before.Instructions != after.Instructions {
		all = append(all, Change{What: "instructions"})
	}
	old, now := byName(before), byName(after)
	var names []string
	for n := range old {
		names = append(names, n)
	}
	for n := range now {
		if _, ok := old[n]; !ok {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	for _, n := range names {
		a, had := old[n]
		b, has := now[n]
		switch {
		case !had:
			all = append(all, Change{What: "added", Tool: n})
		case !has:
			all = append(all, Change{What: "removed", Tool: n})
		default:
			all = append(all, changed(a, b)...)
		}
	}
	return all
}

func changed(a, b Tool) []Change {
	var all []Change
	if a.Description != b.Description {
		all = append(all, Change{What: "description", Tool: a.Name})
	}
	if Canonical(a.InputSchema) != Canonical(b.InputSchema) {
		all = append(all, Change{What: "schema", Tool: a.Name})
	}
	if Canonical(annotations(a)) != Canonical(annotations(b)) {
		all = append(all, Change{What: "annotations", Tool: a.Name})
	}
	return all
}

func annotations(t Tool) json.RawMessage {
	var d struct {
		Annotations json.RawMessage `json:"annotations"`
	}
	// What is no object has none.
	_ = json.Unmarshal(t.Raw, &d)
	return d.Annotations
}

func byName(l Listing) map[string]Tool {
	m := make(map[string]Tool)
	for _, t := range l.Parse() {
		m[t.Name] = t
	}
	return m
}
