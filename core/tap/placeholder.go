package tap

import (
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// placeholder is {{ENV:KEY}} or {{INPUT:KEY}}.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*(ENV|INPUT):([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`) })

// Missing names the variables that a server needs and env, in the form of
// os.Environ, does not have or has empty, by name. It looks at everything that
// a start depends on. {{INPUT:KEY}} is answered by the variable KEY too: nobody
// is ever asked for it while a session runs.
func Missing(s surface.Server, env []string) []string {
	if s.Scope == surface.ScopePlugin {
		return nil // the format of plugins has no such placeholders
	}
	missing := map[string]bool{}
	each(s, func(text string) {
		for _, m := range placeholder().FindAllStringSubmatch(text, -1) {
			if paths.Lookup(env, m[2]) == "" {
				missing[m[2]] = true
			}
		}
	})
	return slices.Sorted(maps.Keys(missing))
}

func each(s surface.Server, visit func(string)) {
	visit(s.Command)
	visit(s.Cwd)
	visit(s.URL)
	for _, a := range s.Args {
		visit(a)
	}
	for _, m := range []map[string]string{s.Env, s.Headers} {
		for k, v := range m {
			visit(k)
			visit(v)
		}
	}
}

// Expand is the server with the values of env in place of its placeholders. It
// holds secrets then: it is for starting and for nothing that is written down.
func Expand(s surface.Server, env []string) surface.Server {
	fill := func(text string) string {
		return placeholder().ReplaceAllStringFunc(text, func(ref string) string {
			return paths.Lookup(env, placeholder().FindStringSubmatch(ref)[2])
		})
	}
	fillMap := func(m map[string]string) map[string]string {
		if m == nil {
			return nil
		}
		out := make(map[string]string, len(m))
		for k, v := range m {
			out[fill(k)] = fill(v)
		}
		return out
	}
	s.Command, s.Cwd, s.URL = fill(s.Command), fill(s.Cwd), fill(s.URL)
	s.Args = slices.Clone(s.Args)
	for i, a := range s.Args {
		s.Args[i] = fill(a)
	}
	s.Env, s.Headers = fillMap(s.Env), fillMap(s.Headers)
	return s
}
