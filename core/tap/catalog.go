package tap

import (
	"cmp"
	"fmt"
	"slices"
)

// Catalog is every capability of the user's taps at one time. It is immutable.
type Catalog struct {
	Capabilities []Capability // by name, then in the order of their taps
	Problems     []Problem
	byRef        map[string]int
}

// Find returns the capability that a name means: "NAME" is the first tap's that
// has it, "ORG/NAME" that of the first tap of ORG.
func (c *Catalog) Find(ref string) (Capability, bool) {
	i, ok := c.byRef[ref]
	if !ok {
		return Capability{}, false
	}
	return c.Capabilities[i], true
}

// Of makes the catalog of capabilities that are already resolved, each under
// its own name and its pinned one.
func Of(list []Capability, problems ...Problem) *Catalog {
	c := &Catalog{Capabilities: slices.Clone(list), Problems: problems, byRef: map[string]int{}}
	slices.SortStableFunc(c.Capabilities, func(a, b Capability) int { return cmp.Compare(a.Name, b.Name) })
	for i := range c.Capabilities {
		one := &c.Capabilities[i]
		if _, taken := c.byRef[one.Name]; !taken {
			c.byRef[one.Name], one.Ref = i, one.Name
		} else {
			one.Ref = one.Pinned()
		}
		if _, taken := c.byRef[one.Pinned()]; !taken {
			c.byRef[one.Pinned()] = i
		}
	}
	return c
}

// resolve makes the catalog of the taps' readers, in order of priority, with
// the user's choice of providers by a capability's name.
func resolve(readers []*tapReader, providers map[string]string) *Catalog {
	var list []Capability
	var problems []Problem
	skipped := map[string][]Problem{} // by name, of the taps that lack the provider
	have := map[string]bool{}         // names and pinned names that are taken
	for _, r := range readers {
		names, more := r.names()
		problems = append(problems, more...)
		for _, name := range names {
			want := cmp.Or(providers[name], defaultProvider)
			if !plainName().MatchString(want) {
				want = defaultProvider
			}
			c, more, err := r.capability(name, want)
			if err != nil {
				p := r.lacks(name, want, err)
				p.Severity = Warning
				p.Text += ", so the tap " + r.name + " is passed over for it"
				skipped[name] = append(skipped[name], append(more, p)...)
				continue
			}
			problems = append(problems, more...)
			c.Tap = r.name
			if have[c.Pinned()] {
				continue // an earlier tap of the same organisation has it
			}
			have[name], have[c.Pinned()] = true, true
			list = append(list, c)
		}
		r.done()
	}
	for name, of := range skipped {
		if !have[name] {
			for i := range of {
				of[i].Severity = Error
			}
		}
		problems = append(problems, of...)
	}
	for name, want := range providers {
		if !plainName().MatchString(want) {
			problems = append(problems, Problem{
				File: "ctx.toml", Severity: Warning, Rule: "bad-provider",
				Text: fmt.Sprintf("capabilities.%s: %q cannot be a provider's name", name, want), Hint: "the default one is used",
			})
		}
	}
	sortProblems(problems)
	return Of(list, problems...)
}
