// Package gate decides what may be seen and called. One gate stands before
// list, search, index, describe, call, reveal, hook text, resources and prompts.
package gate

import (
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Gate holds the user's own rules for one workspace. It is immutable: when a
// rule changes, a new gate takes the old one's place.
type Gate struct {
	rules   []surface.Rule
	denied  map[[2]string]surface.Rule // of one server and one tool; there may be thousands
	servers map[string]surface.Server
	profile *profile.Profile // nil: none
	known   *verdicts        // of the profile
}

// New makes the gate for what a host's configuration says.
func New(s surface.Sources) *Gate {
	g := &Gate{denied: make(map[[2]string]surface.Rule), servers: make(map[string]surface.Server, len(s.Servers))}
	for _, r := range s.Rules {
		if r.Effect == surface.EffectDeny && !r.Plain && !strings.Contains(r.Server+r.Tool, "*") {
			g.denied[[2]string{r.Server, r.Tool}] = r
		} else {
			g.rules = append(g.rules, r)
		}
	}
	for _, srv := range s.Servers {
		g.servers[srv.Name] = srv
	}
	return g
}

// Under is the same gate with a profile before it; nil takes away the one that
// there is.
func (g *Gate) Under(p *profile.Profile) *Gate {
	next := *g
	next.profile, next.known = p, nil
	if p != nil {
		next.known = &verdicts{seed: maphash.MakeSeed(), by: make(map[uint64]string)}
	}
	return &next
}

// Shows is Admits for a tool as its server lists it, the profile included.
func (g *Gate) Shows(t listing.Tool) bool {
	return g.Admits(t.Server, t.Name) && g.Withheld(t) == ""
}

// Withheld says why the profile leaves a tool out, "" where it does not.
func (g *Gate) Withheld(t listing.Tool) string {
	if g.profile == nil {
		return ""
	}
	return g.known.of(t, func() string {
		_, reason := g.profile.Admits(profile.Of(t))
		return reason
	})
}

// Profile is the one that stands before the gate, nil for none.
func (g *Gate) Profile() *profile.Profile { return g.profile }

// Verdict is a decision and the user's rule behind it.
type Verdict struct {
	Decision event.Decision
	Reason   string
}

// Admits reports whether a tool may be known of at all. What is not admitted is
// absent from every answer, as if its server did not have it.
func (g *Gate) Admits(server, tool string) bool {
	if srv, ok := g.servers[server]; ok {
		if srv.EnabledTools != nil && !anyMatch(srv.EnabledTools, tool) {
			return false
		}
		if anyMatch(srv.DisabledTools, tool) {
			return false
		}
	}
	_, denied := g.find(surface.EffectDeny, server, tool)
	return !denied
}

// AdmitsServer reports whether anything of a server may be known of: false when
// a rule denies all of its tools.
func (g *Gate) AdmitsServer(server string) bool {
	for _, r := range g.rules {
		if r.Effect == surface.EffectDeny && r.Tool == "*" && profile.Match(r.Server, written(r, server)) {
			return false
		}
	}
	return true
}

// Rule answers for a call by the user's permission rules alone: deny, ask or
// allow where a rule speaks, else no opinion. Deny beats ask beats allow.
func (g *Gate) Rule(server, tool string) Verdict {
	if !g.Admits(server, tool) {
		reason := "switched off in the host's configuration"
		if r, ok := g.find(surface.EffectDeny, server, tool); ok {
			reason = because(r)
		}
		return Verdict{event.Deny, reason}
	}
	if r, ok := g.find(surface.EffectAsk, server, tool); ok {
		return Verdict{event.Ask, because(r)}
	}
	if r, ok := g.find(surface.EffectAllow, server, tool); ok {
		return Verdict{event.Allow, because(r)}
	}
	return Verdict{}
}

// Approval answers for a call on a host that leaves the question to the server
// that runs the tool: whether the user must be asked first.
func (g *Gate) Approval(server, tool string, tier authority.Tier) Verdict {
	v := g.Rule(server, tool)
	if v.Decision != event.NoOpinion {
		return v
	}
	srv := g.servers[server]
	mode := srv.Approval
	if m, ok := srv.ToolApproval[tool]; ok {
		mode = m
	}
	switch {
	case mode == surface.ApproveAlways:
		return Verdict{event.Allow, "the host's configuration approves it"}
	case mode == surface.ApprovePrompt:
		return Verdict{event.Ask, "the host's configuration asks for every call"}
	case tier > authority.Read:
		return Verdict{event.Ask, fmt.Sprintf("%s:%s may change something (%s)", server, tool, tier)}
	default:
		return Verdict{event.Allow, "it only reads"}
	}
}

func (g *Gate) find(effect surface.Effect, server, tool string) (surface.Rule, bool) {
	if r, ok := g.denied[[2]string{server, tool}]; ok && effect == surface.EffectDeny {
		return r, true
	}
	for _, r := range g.rules {
		if r.Effect == effect && profile.Match(r.Server, written(r, server)) && profile.Match(r.Tool, written(r, tool)) {
			return r, true
		}
	}
	return surface.Rule{}, false
}

// written is a name in the form in which the rule's author knows it.
func written(r surface.Rule, name string) string {
	if !r.Plain {
		return name
	}
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
			return c
		}
		return '_'
	}, name)
}

func because(r surface.Rule) string {
	return fmt.Sprintf("the user's %s rule %s (%s:%d)", r.Effect, r.Text, r.Place.File, r.Place.Line)
}

func anyMatch(globs []string, name string) bool {
	for _, g := range globs {
		if profile.Match(g, name) {
			return true
		}
	}
	return false
}
