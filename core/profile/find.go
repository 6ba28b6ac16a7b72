package profile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/spelling"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// builtin are the profiles that nobody has to write, the narrowest first. A tool
// of no known family is in each as far as its authority lets it.
// docs/surface.md shows them.
var builtin = []Profile{
	{Name: "read-only", Description: "look around a code base and what is written about it, and change nothing", Layers: []Layer{{
		Families: []surface.Family{"source-control", "semantic-analysis", "memory", "web", "files", "docs", surface.Other},
		Ceiling:  authority.Read,
	}}},
	{Name: "local-dev", Description: "work on the code of this machine", Layers: []Layer{{
		Families: []surface.Family{"source-control", "database", "browser", "todo", "semantic-analysis", "testing", "memory", "web", "files", "docs", "shell", surface.Other},
		Ceiling:  authority.LocalWrite,
	}}},
	{Name: "review", Description: "go through changes and answer where they are discussed", Layers: []Layer{{
		Families: []surface.Family{"source-control", "deployment", "collaboration", "todo", "semantic-analysis", "testing", "memory", "web", "files", "docs", surface.Other},
		Ceiling:  authority.RemoteWrite,
	}}},
	{Name: "full", Description: "everything", Layers: []Layer{{Ceiling: authority.Destructive}}},
}

// UnknownError is the name of a profile that nobody has defined.
type UnknownError struct {
	Name  string
	Names []string // that there are
}

func (e *UnknownError) Error() string { return fmt.Sprintf("unknown profile %q", e.Name) }

// Hint says what may have been meant.
func (e *UnknownError) Hint() string {
	if best := spelling.Nearest(e.Name, e.Names); best != "" {
		return "did you mean " + best + "?"
	}
	return "profiles: " + strings.Join(e.Names, ", ")
}

// Names are all profiles: those that are built in, then the others by name.
func Names(s config.Surface) []string {
	var names []string
	for _, p := range builtin {
		names = append(names, p.Name)
	}
	own := slices.Concat(slices.Collect(maps.Keys(s.Profiles)), slices.Collect(maps.Keys(s.WorkspaceProfiles)))
	slices.Sort(own)
	for _, name := range slices.Compact(own) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Find returns a profile by its name. A table of the user's changes one that is
// built in, key by key; a workspace's is a layer more. The error is an
// [*UnknownError].
func Find(s config.Surface, name string) (Profile, error) {
	i := slices.IndexFunc(builtin, func(p Profile) bool { return p.Name == name })
	user, users := s.Profiles[name]
	workspace, workspaces := s.WorkspaceProfiles[name]
	if i < 0 && !users && !workspaces {
		return Profile{}, &UnknownError{name, Names(s)}
	}
	p := Profile{Name: name}
	if i >= 0 || users {
		base := Layer{Ceiling: authority.Destructive}
		if i >= 0 {
			base, p.Description = builtin[i].Layers[0], builtin[i].Description
		}
		base.Profile = name
		p.add(base, user, users)
	}
	if workspaces {
		p.add(Layer{Profile: name, Ceiling: authority.Destructive}, workspace, true)
	}
	return p, nil
}

// add puts a layer with what a table says of it on top.
func (p *Profile) add(l Layer, table config.Profile, said bool) {
	if said {
		l.From = table.File
	}
	if table.Families != nil {
		l.Families = nil
		for _, f := range table.Families {
			l.Families = append(l.Families, surface.Family(f))
		}
		if l.Families == nil {
			l.Families = []surface.Family{} // none, which is not all
		}
	}
	if table.AuthorityCeiling != "" {
		// The settings take no other word.
		l.Ceiling, _ = authority.ParseTier(table.AuthorityCeiling)
	}
	if table.MaxSchemaTokens > 0 {
		l.MaxSchemaTokens = table.MaxSchemaTokens
	}
	l.Include, l.Exclude = table.Include, table.Exclude
	if table.Description != "" {
		p.Description = table.Description
	}
	l.Faults, l.Broken = table.Faults, broken(l.Profile, table.Faults)
	p.Layers = append(p.Layers, l)
}

// Active is the profile that is in force: chosen, the one that the user's wrap
// names, else the user's default, and on top of it the workspace's default. nil:
// none is. A name that nobody has defined admits nothing, and neither does a file
// of the user's that speaks of profiles and cannot be read.
func Active(s config.Surface, chosen string) *Profile {
	if s.Unread != nil {
		return &Profile{Name: cmp.Or(chosen, "unknown"), Layers: []Layer{{
			Profile: chosen, From: s.Unread.File,
			Broken: fmt.Sprintf("your own profiles cannot be read, so that nothing is admitted until that is mended: %s", s.Unread),
		}}}
	}
	if chosen == "" {
		chosen = s.DefaultProfile
	}
	var active *Profile
	for _, name := range []string{chosen, s.WorkspaceProfile} {
		if name == "" || active != nil && active.Name == name {
			continue
		}
		p, err := Find(s, name)
		if e, ok := err.(*UnknownError); ok {
			p = Profile{Name: name, Layers: []Layer{{
				Profile: name, Broken: fmt.Sprintf("there is no profile %q, so that it admits nothing (%s)", name, e.Hint()),
			}}}
		}
		if active == nil {
			active = &p
			continue
		}
		active.Name += " + " + p.Name
		active.Layers = append(active.Layers, p.Layers...)
	}
	return active
}
