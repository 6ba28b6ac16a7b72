package search

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/listing"
)

// A tool's name is its author's own summary, so that a word in it says more
// than the same word in a sentence. A parameter's description often repeats
// its neighbours' words and says less.
const (
	nameWeight   = 2
	paramsWeight = 0.5
)

// deprecated finds a description that says so of its own tool, which one that
// merely speaks of deprecated things does not.
var deprecated = regexp.MustCompile(`\bDEPRECATED\b|(?:^|[.!]\s+)Deprecated\b|[(\[][Dd]eprecated|\bis deprecated\b`)

// Tools indexes tool definitions: a [Hit]'s Doc is a position in tools.
func Tools(tools []listing.Tool) *Index {
	docs := make([]Doc, len(tools))
	for i, t := range tools {
		docs[i] = Doc{
			Name:        t.Name + " " + t.Title,
			Server:      t.Server,
			Description: t.Description,
			Params:      params(t.InputSchema),
			Outdated:    deprecated.MatchString(t.Description),
		}
	}
	return New(docs)
}

// params collects the names and descriptions of a schema's own properties, in
// the order of their names.
func params(schema json.RawMessage) string {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	// A schema that does not parse has no parameters to index.
	_ = json.Unmarshal(schema, &s)
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	var text strings.Builder
	for _, name := range names {
		var p struct {
			Description string `json:"description"`
		}
		_ = json.Unmarshal(s.Properties[name], &p)
		text.WriteString(name + " " + p.Description + "\n")
	}
	return text.String()
}
