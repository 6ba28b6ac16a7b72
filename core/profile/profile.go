// Package profile decides what of the MCP tools, and of the prose that needs
// them, a kind of work gets to see: by families of tools, by what they may do,
// and by name.
package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Profile is what a kind of work gets to see. Every layer has to admit a tool:
// what a workspace says of a profile is a layer of its own, and narrows it.
type Profile struct {
	Name        string
	Description string
	Layers      []Layer
}

// Layer is one part of a profile.
type Layer struct {
	Profile string // its name
	From    string // the file that it stands in, "" for what is built in

	Families        []surface.Family // nil: all
	Ceiling         authority.Tier   // the highest that passes
	MaxSchemaTokens int              // of all tools together, 0 for no limit

	// Include are globs over "server:tool" of tools that pass though their family
	// does not; the ceiling holds for them, too. Exclude are globs of what does
	// not pass in any case: tools, and prose as "skill:NAME", "agent:NAME" or
	// "command:NAME".
	Include, Exclude []string

	// Faults are what of the layer cannot be followed. Then nothing passes: what is
	// left of it would admit more than was meant.
	Faults []config.Problem
	// Broken says why nothing passes, "" where something may.
	Broken string
}

// Tool is what is asked of a profile.
type Tool struct {
	Server, Name string
	Family       surface.Family
	Tier         authority.Tier
	Unknown      bool // nothing settles the tier
}

// ID is "server:tool".
func (t Tool) ID() string { return t.Server + ":" + t.Name }

// Label is the name, "" for no profile.
func (p *Profile) Label() string {
	if p == nil {
		return ""
	}
	return p.Name
}

// Admits decides on a tool. The reason says, where it does not pass, why.
func (p *Profile) Admits(t Tool) (ok bool, reason string) {
	if p == nil {
		return true, ""
	}
	for _, l := range p.Layers {
		if reason := l.refuses(t); reason != "" {
			return false, reason
		}
	}
	return true, ""
}

func (l Layer) refuses(t Tool) string {
	if l.Broken != "" {
		return l.Broken
	}
	if g := matching(l.Exclude, t.ID()); g != "" {
		return fmt.Sprintf("profile %s excludes %s", l.Profile, g)
	}
	if tier := t.counts(); tier > l.Ceiling {
		what := tier.String()
		if t.Unknown {
			what = "not known to do less than " + what
		}
		return fmt.Sprintf("it is %s; the ceiling of profile %s is %s", what, l.Profile, l.Ceiling)
	}
	if l.Families != nil && !slices.Contains(l.Families, t.Family) && matching(l.Include, t.ID()) == "" {
		return fmt.Sprintf("its family %s is not in profile %s", t.Family, l.Profile)
	}
	return ""
}

// counts is the tier that a tool is taken for: what is not known may write
// elsewhere.
func (t Tool) counts() authority.Tier {
	if t.Unknown {
		return max(t.Tier, authority.RemoteWrite)
	}
	return t.Tier
}

// AdmitsUnlisted decides on a server that never told what it has: it passes
// where all that it could have would.
func (p *Profile) AdmitsUnlisted(server string) (ok bool, reason string) {
	if p == nil {
		return true, ""
	}
	for _, l := range p.Layers {
		if l.Broken != "" {
			return false, l.Broken
		}
		all := l.Families == nil || len(l.Families) == len(surface.Families()) || slices.Contains(l.Include, server+":*")
		cut := slices.ContainsFunc(l.Exclude, func(glob string) bool {
			of, _, _ := strings.Cut(glob, ":")
			return Match(of, server)
		})
		if !all || cut || l.Ceiling < authority.Destructive {
			return false, fmt.Sprintf("it was never listed: what its tools can do is not known, and profile %s leaves some out", l.Profile)
		}
	}
	return true, ""
}

// Excludes are the exclude globs of all layers.
func (p *Profile) Excludes() []string {
	var globs []string
	for _, l := range p.Layers {
		globs = append(globs, l.Exclude...)
	}
	return globs
}

// ExcludesProse returns the glob that leaves a prose out by its name, "" for none.
func (p *Profile) ExcludesProse(kind surface.Kind, name string) string {
	for _, l := range p.Layers {
		if g := matching(l.Exclude, string(kind)+":"+name); g != "" {
			return g
		}
	}
	return ""
}

// Named reports whether an include glob means a tool.
func (p *Profile) Named(t Tool) bool {
	return slices.ContainsFunc(p.Layers, func(l Layer) bool { return matching(l.Include, t.ID()) != "" })
}

// Includes are the include globs of all layers.
func (p *Profile) Includes() []string {
	var globs []string
	for _, l := range p.Layers {
		globs = append(globs, l.Include...)
	}
	return globs
}

// Families are those that pass every layer, in the order of [surface.Families].
func (p *Profile) Families() []surface.Family {
	families := []surface.Family{}
	for _, f := range surface.Families() {
		if !slices.ContainsFunc(p.Layers, func(l Layer) bool { return l.Families != nil && !slices.Contains(l.Families, f) }) {
			families = append(families, f)
		}
	}
	return families
}

// Ceiling is the lowest of the layers'.
func (p *Profile) Ceiling() authority.Tier {
	least := authority.Destructive
	for _, l := range p.Layers {
		least = min(least, l.Ceiling)
	}
	return least
}

// MaxSchemaTokens is the lowest limit of the layers', 0 where none has one.
func (p *Profile) MaxSchemaTokens() int {
	least := 0
	for _, l := range p.Layers {
		if n := l.MaxSchemaTokens; n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// Broken says why nothing passes the profile, "" where something may.
func (p *Profile) Broken() string {
	for _, l := range p.Layers {
		if l.Broken != "" {
			return l.Broken
		}
	}
	return ""
}

// From is where the profile stands: "built-in", or its files.
func (p *Profile) From() []string {
	var from []string
	for _, l := range p.Layers {
		from = append(from, cmp.Or(l.From, "built-in"))
	}
	return slices.Compact(from)
}

func broken(name string, faults []config.Problem) string {
	if len(faults) == 0 {
		return ""
	}
	return fmt.Sprintf("profile %s admits nothing until it is mended: %s", name, faults[0])
}

// matching returns the first glob that a name fits, "" for none.
func matching(globs []string, name string) string {
	for _, g := range globs {
		if Match(g, name) {
			return g
		}
	}
	return ""
}

// Match reports whether a name fits a glob in which * stands for any run of
// characters. It is linear in both for the globs people write, and never worse
// than their product.
func Match(glob, name string) bool {
	head, rest, star := strings.Cut(glob, "*")
	if !star {
		return glob == name
	}
	name, ok := strings.CutPrefix(name, head)
	if !ok {
		return false
	}
	for {
		part, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(name, part)
		}
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], more
	}
}
