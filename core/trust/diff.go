package trust

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// Diff says, line by line, how a server is declared now against what was last
// approved under its ID: "- " is the old value, "+ " the new one. Where nothing
// was approved, every line is new. Values are shown as they are written in the
// user's files, never expanded, and as JSON, so that none can steer a terminal.
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
	add := func(name string, value any, there bool) {
		if there {
			out = append(out, field{name, quote(value)})
		}
	}
	each := func(name string, m map[string]string) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			add(name+" "+quote(k), m[k], true)
		}
	}
	add("transport", s.Transport, s.Transport != "")
	add("command", s.Command, s.Command != "")
	add("args", s.Args, len(s.Args) > 0)
	each("env", s.Env)
	add("env passed on", s.EnvVars, len(s.EnvVars) > 0)
	add("cwd", s.Cwd, s.Cwd != "")
	add("url", s.URL, s.URL != "")
	each("header", s.Headers)
	each("header from variable", s.HeaderEnv)
	add("bearer token from variable", s.BearerEnv, s.BearerEnv != "")
	add("headers command", s.HeadersCmd, s.HeadersCmd != "")
	return out
}

func quote(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("trust: strings and lists of strings always marshal: " + err.Error())
	}
	return string(b)
}
