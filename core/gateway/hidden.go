package gateway

import (
	"slices"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Families are hidden by whoever reconciles a session's surface with its work.
// That is about what is listed: search finds their tools and calls reach them,
// and a call brings the family back.

func familyOf(t listing.Tool) surface.Family {
	return surface.FamilyOf(t.Server, t.Name, t.Description)
}

// hides tells which tools are of a hidden family.
func (c *catalog) hides(hidden []string) func(listing.Tool) bool {
	if len(hidden) == 0 {
		return func(listing.Tool) bool { return false }
	}
	families := c.families()
	return func(t listing.Tool) bool {
		i, ok := c.byID[t.ID()]
		return ok && slices.Contains(hidden, string(families[i]))
	}
}

// without is the catalog as the index tells of it while families are hidden.
func (c *catalog) without(hidden []string) *catalog {
	if len(hidden) == 0 {
		return c
	}
	gone := c.hides(hidden)
	left := *c
	left.servers = nil
	for _, s := range c.servers {
		was := len(s.tools)
		s.tools = slices.DeleteFunc(slices.Clone(s.tools), gone)
		if was > 0 && len(s.tools) == 0 {
			continue
		}
		left.servers = append(left.servers, s)
	}
	left.hidden = slices.DeleteFunc(slices.Clone(hidden), func(f string) bool {
		return !slices.Contains(c.families(), surface.Family(f))
	})
	return &left
}

// unhide brings the families of these tools back into sight.
func unhide(s *state.Session, families []surface.Family) {
	s.Hidden = slices.DeleteFunc(s.Hidden, func(f string) bool { return slices.Contains(families, surface.Family(f)) })
}

// called brings back what was hidden of the families that were called.
func (m *Memory) called(session string, tools []listing.Tool) error {
	hidden := m.load().Hidden
	if len(hidden) == 0 {
		return nil
	}
	var back []surface.Family
	for _, t := range tools {
		if f := familyOf(t); slices.Contains(hidden, string(f)) {
			back = append(back, f)
		}
	}
	if len(back) == 0 {
		return nil
	}
	return m.update(session, func(s *state.Session) { unhide(s, back) })
}
