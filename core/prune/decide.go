package prune

import (
	"fmt"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Kinds are those that can be pruned, in the order in which the user is asked.
// Instructions, policy, hooks and what is ctx's own always stay.
var Kinds = []surface.Kind{surface.KindServer, surface.KindTool, surface.KindSkill, surface.KindAgent, surface.KindCommand}

// Candidate is a capability that could be pruned.
type Candidate struct {
	inventory.Record

	// Stuck says why nothing can take it out, "" where something can.
	Stuck string
}

// Where is what holds it back once it is pruned.
func (c Candidate) Where() string {
	if c.Standing == inventory.HeldBack {
		return AtGateway
	}
	return AtHost
}

// Candidates are the records of an inventory that a host or the gateway puts
// before its model and that are of a kind that can be pruned.
func Candidates(inv inventory.Inventory) []Candidate {
	var all []Candidate
	for _, kind := range Kinds {
		for _, r := range inv.Records {
			if r.Kind == kind && !r.Own && (r.Standing == inventory.Loaded || r.Standing == inventory.HeldBack) {
				all = append(all, Candidate{Record: r})
			}
		}
	}
	return all
}

// Choices is what the user wants of capabilities by id: true to keep.
type Choices map[string]bool

// decider decides about the candidates of one host.
type decider struct {
	inv     inventory.Inventory
	all     []Candidate
	choices Choices
	by      map[string]*Decision
	tools   map[string][]*Decision // by server
	behind  map[string]bool        // what is behind the gateway
}

// Decide decides about each candidate: by the user's choice, else by the rule,
// that levels L0 and L1 stay and L2 and above go. What a kept thing needs stays
// whatever was chosen, and so does what nothing can take out. hostName is what
// the host calls a tool: [surface.Sources.ToolName].
func Decide(inv inventory.Inventory, all []Candidate, choices Choices, hostName string, now time.Time) []Decision {
	d := decider{inv: inv, all: all, choices: choices, by: map[string]*Decision{}, tools: map[string][]*Decision{}, behind: map[string]bool{}}
	out := make([]Decision, len(all))
	for i, c := range all {
		out[i] = d.first(c, now)
		d.by[c.ID], d.behind[c.ID] = &out[i], c.Standing == inventory.HeldBack
		if c.Kind == surface.KindTool {
			d.tools[c.Provider] = append(d.tools[c.Provider], &out[i])
		}
	}
	d.servers(true)
	d.needs(hostName)
	d.servers(false)
	return out
}

// first is the decision on a capability by itself.
func (d *decider) first(c Candidate, now time.Time) Decision {
	out := Decision{
		ID: c.ID, Kind: c.Kind, Provider: c.Provider, Name: c.Name, File: c.Place.File,
		Tokens: c.Cost.Resident, Level: c.Level.String(), At: now, By: ByRule,
	}
	if c.Authority != nil {
		out.Authority = c.Authority.Tier.String()
	}
	if c.Use.Measured {
		out.Invocations = &c.Use.Calls
	}
	keep, named := d.choices[c.ID]
	switch {
	case c.Stuck != "":
		out.Keep, out.Why = true, c.Stuck
	case named:
		out.Keep, out.By, out.Why = keep, ByUser, chosen
	default:
		out.Keep, out.Why = c.Level < inventory.L2, Reason(c.Record)
	}
	if !out.Keep {
		out.Where = c.Where()
	}
	return out
}

// servers lets a server and its tools agree. Downwards, the tools of a pruned
// server go with it and those of one that the user keeps stay; upwards, a server
// stays as long as one of its tools does.
func (d *decider) servers(down bool) {
	for _, c := range d.all {
		if c.Kind != surface.KindServer {
			continue
		}
		srv := d.by[c.ID]
		for _, t := range d.tools[c.Name] {
			_, chosen := d.choices[t.ID]
			switch {
			case down && chosen || !down && !t.Keep:
			case down && !srv.Keep && t.Keep && srv.By == ByUser:
				t.Keep, t.By, t.Why, t.Where = false, srv.By, "its server is pruned", srv.Where
			case down && srv.Keep && srv.By == ByUser:
				t.keep(ByUser, "its server is kept")
			case !down && !srv.Keep:
				srv.keep(t.By, "its tool "+t.Name+" stays")
			}
		}
	}
}

// needs keeps what a kept text refers to.
func (d *decider) needs(hostName string) {
	for i := range d.inv.Records {
		r := &d.inv.Records[i]
		if p := d.by[r.ID]; p != nil && !p.Keep || r.Standing != inventory.Loaded && r.Standing != inventory.HeldBack {
			continue
		}
		for _, n := range r.Requires {
			why := fmt.Sprintf("%s needs it (line %d: %s)", r.ID, n.Place.Line, n.Text)
			p := d.by[n.ID]
			if p == nil || n.Broken != "" && !d.behind[n.ID] {
				continue
			}
			if p.Kind != surface.KindServer {
				p.keep(ByRule, why)
				continue
			}
			named := false
			for _, t := range d.tools[p.Name] {
				if sameName(n.Text, hostName, p.Name, t.Name) {
					named = true
					t.keep(ByRule, why)
				}
			}
			if named {
				continue
			}
			p.keep(ByRule, why)
			for _, t := range d.tools[p.Name] {
				t.keep(ByRule, why)
			}
		}
	}
}

// keep turns a decision; one that is to keep already stays as it is.
func (p *Decision) keep(by, why string) {
	if !p.Keep {
		p.Keep, p.By, p.Why, p.Where = true, by, why, ""
	}
}

// sameName reports whether a text means a tool by the name that the host gives
// it.
func sameName(text, hostName, server, tool string) bool {
	name := strings.NewReplacer("{server}", server, "{tool}", tool).Replace(hostName)
	return plain(text) == plain(name)
}

// plain makes names equal that hosts write alike.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
}

// Reason says why a capability has its level.
func Reason(r inventory.Record) string {
	why := r.Level.String()
	switch {
	case r.Kind == surface.KindServer && r.Level >= inventory.L2:
		return why + ": none of its tools is below it"
	case r.Kind == surface.KindServer:
		return why + ": it has tools that stay"
	case r.Authority == nil:
		return why + ": a text, which can do nothing by itself"
	}
	why += ": " + r.Authority.Tier.String()
	switch u := r.Use; {
	case !u.Measured:
		why += ", use unmeasured (which is not unused)"
	case u.Calls == 0:
		why += ", never used in " + count(u.Of, "session")
	default:
		why += ", used " + count(u.Calls, "time")
	}
	if e := evidence(r.Authority); e != "" {
		why += "; " + e
	}
	return why
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// evidence is the strongest claim behind a judgement.
func evidence(j *authority.Judgement) string {
	for _, c := range j.Evidence {
		if c.Tier == j.Tier {
			return fmt.Sprintf("its %s says %q", c.Source, c.Words)
		}
	}
	return ""
}
