package skill

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ctx-sidecar/ctx/core/spelling"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Catalog is every skill of the roots at one time. It is immutable.
type Catalog struct {
	Skills   []Skill // by name
	Shadowed []Shadow
	Problems []Problem

	known []*known
	roots []Problem // those of Problems that are about roots

	once   sync.Once // makes graph
	graph  Graph
	unkept error
}

// Shadow is a skill that another one of its name stands before.
type Shadow struct {
	Name string `json:"name"`
	File string `json:"file"` // that is passed over
	By   string `json:"by"`   // the file that wins
}

func newCatalog(found []*known, roots []Problem) *Catalog {
	c := &Catalog{known: found, roots: roots, Problems: slices.Clone(roots)}
	first := map[string]Skill{}
	for _, k := range found {
		c.Problems = append(c.Problems, k.problems...)
		s := k.skill
		if won, taken := first[s.Name]; taken {
			c.Shadowed = append(c.Shadowed, Shadow{s.Name, s.File, won.File})
			c.Problems = append(c.Problems, Problem{
				File: s.File, Line: 1, Severity: tap.Warning, Rule: "shadowed",
				Text: fmt.Sprintf("the skill %s is passed over: %s has one of that name and comes first", s.Name, won.File),
			})
			continue
		}
		first[s.Name] = s
		c.Skills = append(c.Skills, s)
	}
	slices.SortFunc(c.Skills, func(a, b Skill) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortStableFunc(c.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return c
}

// Of makes the catalog of skills that are already read.
func Of(list ...Skill) *Catalog {
	var found []*known
	for _, s := range list {
		found = append(found, &known{skill: s})
	}
	return newCatalog(found, nil)
}

// Find returns the skill of a name, with or without "skill:" before it.
func (c *Catalog) Find(name string) (Skill, bool) {
	name = strings.TrimPrefix(strings.TrimSpace(name), Prefix)
	i, ok := slices.BinarySearchFunc(c.Skills, name, func(s Skill, name string) int { return cmp.Compare(s.Name, name) })
	if !ok {
		return Skill{}, false
	}
	return c.Skills[i], true
}

// Near is the name that was probably meant, "" where none is near.
func (c *Catalog) Near(name string) string {
	name = strings.ToLower(strings.TrimPrefix(name, Prefix))
	for _, s := range c.Skills {
		known := strings.ToLower(s.Name)
		if len(name) > 2 && (strings.Contains(known, name) || spelling.Distance(name, known) <= 2) {
			return s.Name
		}
	}
	return ""
}

// Phrases are what rules compare prompts with, each once.
func (c *Catalog) Phrases() []string {
	var list []string
	for _, s := range c.Skills {
		for _, r := range s.Rules {
			for _, one := range r.Checks {
				if one.Kind == Semantic {
					list = append(list, one.Arg)
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
