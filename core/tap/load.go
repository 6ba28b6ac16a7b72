package tap

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// LoadDir reads a folder with capabilities once, each with its default
// provider. What can be used is returned beside the problems with the rest, in
// the order of names.
func LoadDir(dir string) ([]Capability, []Problem) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, []Problem{{File: dir, Severity: Error, Rule: "unreadable", Text: err.Error()}}
	}
	r := newReader(dir)
	names, problems := r.names()
	var out []Capability
	for _, name := range names {
		c, more, err := r.capability(name, defaultProvider)
		problems = append(problems, more...)
		if err != nil {
			problems = append(problems, r.lacks(name, defaultProvider, err))
			continue
		}
		out = append(out, c)
	}
	sortProblems(problems)
	return out, problems
}

// lacks says that a tap has a capability, and not with the provider that is
// wanted.
func (r *reader) lacks(name, want string, err error) Problem {
	p := Problem{
		File: filepath.Join(r.folder(), name), Severity: Error, Rule: "no-provider",
		Text: fmt.Sprintf("the capability %s has no %s.toml", name, want),
	}
	if !errors.Is(err, errNoProvider) {
		p.Text += ": " + err.Error()
	}
	if have := r.available(name); len(have) > 0 {
		p.Hint = fmt.Sprintf("it has %s: choose with [capabilities] %s = %q in ctx.toml", strings.Join(have, ", "), name, have[0])
	}
	return p
}
