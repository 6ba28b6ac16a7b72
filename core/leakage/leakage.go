// Package leakage finds what a server's texts give away or try to bring about:
// in descriptions, in schemas with their defaults and examples, and in server
// instructions. A finding names its kind and its place. What it is about is
// quoted only where that can do no harm: a secret never is, and neither is text
// that speaks to the model.
package leakage

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/ctx-sidecar/ctx/core/authority"
)

// Kind is what is wrong.
type Kind string

const (
	ExcessiveAuthority Kind = "excessive-authority" // more than the name claims, or much and never used
	CapabilityMention  Kind = "capability-mention"  // speaks of another server's tools
	UnrelatedDomain    Kind = "unrelated-domain"    // a field that the workspace has nothing of
	SecretAdjacent     Kind = "secret-adjacent"     // a secret, or the place of one
	HiddenText         Kind = "hidden-text"         // invisible or bidirectional characters, look-alike letters
	Instruction        Kind = "instruction"         // speaks to the model
)

// Place is where something stands.
type Place struct {
	Field string `json:"field"` // "description", "inputSchema.properties.path.default", "instructions", …
	From  int    `json:"from"`  // in bytes of the field's text; 0 to 0 is the whole of it
	To    int    `json:"to"`
}

// Finding is one thing that was found.
type Finding struct {
	Kind       Kind    `json:"kind"`
	What       string  `json:"what"` // in our words: "a GitHub token", "hides something from the user"
	Place      Place   `json:"place"`
	Confidence float64 `json:"confidence"` // 0 to 1; under 0.5 it is worth a look
}

// Unused reports whether all that is found is that a tool which can do much was
// never used.
func (f Finding) Unused() bool {
	return f.Kind == ExcessiveAuthority && strings.HasSuffix(f.What, neverUsed)
}

// Used is how often something was used; Unmeasured where nothing could see it.
type Used int

// Unmeasured is no use that is known of, and no proof that there was none.
const Unmeasured Used = -1

// Surroundings are what texts are compared with. The zero value compares with
// nothing: then no other server's tools and no field of work are known.
// It must not be copied or changed once it is in use; it may be used
// concurrently.
type Surroundings struct {
	Servers   []Server
	Workspace Workspace

	once   sync.Once
	owners map[string]string          // of tools with names of several words
	own    map[string]map[string]bool // the tools of a server
}

// Server is a server with the tools that it is known to have.
type Server struct {
	Name  string
	Tools []string
}

// Tool checks one tool of a server: its definition as the server sent it. used
// is how often it was called.
func (s *Surroundings) Tool(server string, definition json.RawMessage, used Used) []Finding {
	var d struct {
		Name         string          `json:"name"`
		Title        string          `json:"title"`
		Description  string          `json:"description"`
		InputSchema  json.RawMessage `json:"inputSchema"`
		OutputSchema json.RawMessage `json:"outputSchema"`
		Annotations  struct {
			Title string `json:"title"`
		} `json:"annotations"`
	}
	// A member of the wrong type has no text; the others are looked at.
	_ = json.Unmarshal(definition, &d)
	out := excess(d.Name, authority.Of(server, definition), used)
	for _, t := range []text{{"name", d.Name}, {"title", d.Title}, {"description", d.Description}, {"annotations.title", d.Annotations.Title}} {
		out = append(out, s.check(server, t)...)
	}
	for _, t := range append(schemaTexts("inputSchema", d.InputSchema), schemaTexts("outputSchema", d.OutputSchema)...) {
		out = append(out, s.check(server, t)...)
	}
	if f, ok := s.Workspace.unrelated(server, d.Name, d.Description); ok {
		out = append(out, f)
	}
	return tidy(out)
}

// Text checks a text of a server's that stands by itself: its instructions.
func (s *Surroundings) Text(server, field, content string) []Finding {
	return tidy(s.check(server, text{field, content}))
}

// Prose checks a text whose business it is to instruct the model: a skill, an
// agent, an instruction file. That it gives orders, takes on a role and names
// tools and credentials is no fault of it: such things are worth a look at most.
func (s *Surroundings) Prose(field, content string) []Finding {
	const look = .4
	all := slices.DeleteFunc(s.check("", text{field, content}), func(f Finding) bool {
		return f.Kind == Instruction && (f.What == orders || f.What == poses || f.What == skips)
	})
	for i, f := range all {
		if f.Kind == CapabilityMention || f.Kind == SecretAdjacent && f.Confidence < .8 || f.Kind == Instruction && quoted(content, f.Place) {
			all[i].Confidence = min(f.Confidence, look)
		}
	}
	return tidy(all)
}

// quoted reports whether what was found begins a quotation: prose may speak of
// what others ask.
func quoted(content string, at Place) bool {
	before := content[:at.From]
	return strings.HasSuffix(before, `"`) || strings.HasSuffix(before, "`") || strings.HasSuffix(before, "“") || strings.HasSuffix(before, "«")
}

// text is a text in its place.
type text struct{ field, content string }

func (s *Surroundings) check(server string, t text) []Finding {
	if t.content == "" {
		return nil
	}
	out := append(hidden(t), secrets(t)...)
	if t.field == "name" {
		return out
	}
	out = append(out, instructions(t)...)
	return append(out, s.mentions(server, t)...)
}

// tidy puts findings in the order of places, each once, and takes secrets out of
// the names of their places.
func tidy(all []Finding) []Finding {
	for i := range all {
		all[i].Place.Field = withoutSecrets(all[i].Place.Field)
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Place.Field, b.Place.Field), cmp.Compare(a.Place.From, b.Place.From), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.What, b.What))
	})
	return slices.CompactFunc(all, func(a, b Finding) bool {
		return a.Kind == b.Kind && a.What == b.What && a.Place.Field == b.Place.Field && b.Place.From <= a.Place.To
	})
}
