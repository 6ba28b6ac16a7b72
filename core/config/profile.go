package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/spelling"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// profiles are those of the file that a value comes from.
func (c *Config) profiles(v value) *map[string]Profile {
	if v.workspace {
		return &c.Surface.WorkspaceProfiles
	}
	return &c.Surface.Profiles
}

func setDefaultProfile(c *Config, v value) error {
	if v.workspace {
		return str(&c.Surface.WorkspaceProfile, v)
	}
	return str(&c.Surface.DefaultProfile, v)
}

func profile(set func(*Profile, value) error) func(*Config, value) error {
	return func(c *Config, v value) error {
		all := c.profiles(v)
		p := (*all)[v.names[0]]
		if err := set(&p, v); err != nil {
			return err
		}
		p.File = v.file
		put(all, v.names[0], p)
		return nil
	}
}

// setCeiling tells a workspace that means to raise the ceiling of a profile that
// the user has. It would count for nothing.
func setCeiling(c *Config, v value) error {
	return profile(func(p *Profile, v value) error {
		var ceiling string
		if err := named(&ceiling, v, tiers()); err != nil {
			return err
		}
		own := c.Surface.Profiles[v.names[0]].AuthorityCeiling
		if v.workspace && own != "" && slices.Index(tiers(), ceiling) > slices.Index(tiers(), own) {
			return errWidens
		}
		p.AuthorityCeiling = ceiling
		return nil
	})(c, v)
}

func tiers() []string {
	var names []string
	for _, t := range authority.Tiers() {
		names = append(names, t.String())
	}
	return names
}

func setFamilies(p *Profile, v value) error {
	var names []string
	if err := texts(&names, v); err != nil {
		return err
	}
	var all []string
	for _, f := range surface.Families() {
		all = append(all, string(f))
	}
	for i, name := range names {
		if !slices.Contains(all, name) {
			return hinted{fmt.Errorf("has no family %q (entry %d)", name, i+1), near(name, all, "families: ")}
		}
	}
	p.Families = names
	return nil
}

// toolGlobs are of the form "server:tool". One without a colon would match
// nothing, which is not what its author meant.
func toolGlobs(p *[]string, v value) error {
	var globs []string
	if err := texts(&globs, v); err != nil {
		return err
	}
	for i, g := range globs {
		if !strings.Contains(g, ":") {
			return hinted{fmt.Errorf("must be a list of SERVER:TOOL: entry %d is %q", i+1, g), fmt.Sprintf("all tools of a server: %q", g+":*")}
		}
	}
	*p = globs
	return nil
}

// named is choice with a hint at the word that was probably meant.
func named(p *string, v value, words []string) error {
	err := choice(p, v, words...)
	if s, ok := v.raw.(string); err != nil && ok {
		return hinted{err, near(s, words, "")}
	}
	return err
}

// near hints at the word that was probably meant, else, with a lead, at all.
func near(word string, words []string, lead string) string {
	switch best := spelling.Nearest(word, words); {
	case best != "":
		return "did you mean " + best + "?"
	case lead != "":
		return lead + strings.Join(words, ", ")
	}
	return ""
}

// hinted is an error of a setter's that knows what to do.
type hinted struct {
	error
	hint string
}

// flaw takes down that a table of profiles says something that cannot be
// followed.
func (c *Config) flaw(path []string, workspace bool, p Problem) {
	if len(path) < 3 || path[0] != "surface" || path[1] != "profiles" {
		return
	}
	all := c.profiles(value{workspace: workspace})
	at := (*all)[path[2]]
	at.File = p.File
	at.Faults = append(at.Faults, p)
	put(all, path[2], at)
}
