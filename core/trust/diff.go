package trust

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// Diff says, line by line, how a server is declared now against what was last
// approved under its ID: "- " is the old value, "+ " the new one. Where nothing
// was approved, every line is new. Values are shown as they are written in the
// user's files, never expanded, and quoted, so that none can steer a terminal.
// nil: nothing that a pin covers has changed.
func (s *Store) Diff(id string, current surface.Server) []string {
	var old []field
	if r := s.view().Servers[id]; r != nil {
		if a := r.approved(); a != nil {
			old = fields(a.Server)
		}
	}
	return diff(old, fields(current))
}

type field struct{ name, value string }

func diff(old, new []field) []string {
	before := values(old)
	after := values(new)
	var lines []string
	for _, f := range old {
		if v, ok := after[f.name]; !ok || v != f.value {
			lines = append(lines, "- "+f.name+": "+f.value)
			if ok {
				lines = append(lines, "+ "+f.name+": "+v)
			}
		}
	}
	for _, f := range new {
		if _, ok := before[f.name]; !ok {
			lines = append(lines, "+ "+f.name+": "+f.value)
		}
	}
	return lines
}

func values(fs []field) map[string]string {
	m := make(map[string]string, len(fs))
	for _, f := range fs {
		m[f.name] = f.value
	}
	return m
}

// fields are exactly what [surface.Server.Fingerprint] covers, those without a
// value left out.
func fields(s surface.Server) []field {
	var out []field
	add := func(name, value string) {
		if value != "" {
			out = append(out, field{name, quote(value)})
		}
	}
	list := func(name string, values []string) {
		if len(values) > 0 {
			out = append(out, field{name, quoteAll(values)})
		}
	}
	each := func(name string, m map[string]string) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			out = append(out, field{name + " " + quote(k), quote(m[k])})
		}
	}
	add("transport", string(s.Transport))
	add("command", s.Command)
	list("args", s.Args)
	each("env", s.Env)
	list("env passed on", s.EnvVars)
	add("cwd", s.Cwd)
	add("url", s.URL)
	each("header", s.Headers)
	each("header from variable", s.HeaderEnv)
	add("bearer token from variable", s.BearerEnv)
	add("headers command", s.HeadersCmd)
	return out
}

// quote keeps what has no glyph out of a terminal.
func quote(s string) string { return strconv.QuoteToGraphic(s) }

func quoteAll(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
