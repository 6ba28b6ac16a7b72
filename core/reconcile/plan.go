// Package reconcile fits the families of tools that a session sees to what the
// session is about: it shows what the user asks for, proposes to hide what the
// work's phase does not need and the session has not used, and lets no hide come
// true before a referee has seen it do no harm in enough sessions.
//
// To hide is no matter of authority: a hidden tool is not listed, and search
// finds it and a call reaches it as before.
package reconcile

import (
	"fmt"
	"slices"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// Input is what is known when a plan is made.
type Input struct {
	Surface Surface
	Intent  []Mention        // of what the user wants, see [Intent]
	Calls   []usage.Call     // of the session, the oldest first
	Phase   Phase            // "": by the calls
	Hidden  []surface.Family // that the session does not see now
}

// Plan is what would be changed of what a session sees.
type Plan struct {
	Phase   Phase
	Reveals []Change
	Hides   []Change // the heaviest first
	Kept    []Kept   // what is not hidden although the phase does not need it
}

// Change is one family that comes or goes.
type Change struct {
	Family  surface.Family `json:"family"`
	Tokens  int            `json:"tokens"`
	Reason  string         `json:"reason"`
	Servers []string       `json:"servers"`
	Tools   []string       `json:"tools"`

	behind []string
}

// Behind are the tools of the family that are behind ctx-gateway, which alone can
// show and hide them.
func (c Change) Behind() []string { return c.behind }

// Kept is a family that stays, and why.
type Kept struct {
	Family surface.Family `json:"family"`
	Tokens int            `json:"tokens"`
	Why    string         `json:"why"`
}

// Make plans. It depends on nothing but its input.
func Make(in Input) Plan {
	p := Plan{Phase: in.Phase}
	if p.Phase == "" {
		p.Phase = in.Surface.PhaseOf(in.Calls)
	}
	used := in.used()
	for _, f := range in.Surface.Families {
		spoken := in.speaksOf(f.Name)
		hidden := slices.Contains(in.Hidden, f.Name)
		switch {
		case spoken != "":
			p.Reveals = append(p.Reveals, f.change(fmt.Sprintf("the intent speaks of it: %s", spoken)))
		case hidden && used[f.Name] > 0:
			p.Reveals = append(p.Reveals, f.change("the session uses it"))
		case hidden && f.Kept != "":
			p.Reveals = append(p.Reveals, f.change(f.Kept))
		case hidden && p.Phase.Needs(f.Name):
			p.Reveals = append(p.Reveals, f.change(fmt.Sprintf("the phase %s needs it", p.Phase)))
		case hidden || p.Phase.Needs(f.Name):
		case f.Kept != "":
			p.Kept = append(p.Kept, Kept{f.Name, f.Tokens, f.Kept})
		case used[f.Name] > 0:
			p.Kept = append(p.Kept, Kept{f.Name, f.Tokens, "the session uses it"})
		default:
			p.Hides = append(p.Hides, f.change(fmt.Sprintf("the phase %s does not need it, and the session has not used it", p.Phase)))
		}
	}
	return p
}

func (f Family) change(reason string) Change {
	return Change{f.Name, f.Tokens, reason, f.Servers, f.Tools, f.Behind}
}

// used counts the calls of each family.
func (in Input) used() map[surface.Family]int {
	n := make(map[surface.Family]int)
	for _, c := range in.Calls {
		n[in.Surface.FamilyOf(c.Server, c.Tool)]++
	}
	return n
}

// speaksOf is the word by which the intent speaks of a family, "" for none.
func (in Input) speaksOf(f surface.Family) string {
	for _, m := range in.Intent {
		if m.Family == f {
			return m.Word
		}
	}
	return ""
}

// Entries are the plan as lines of the ledger, each like common.
func (p Plan) Entries(common Entry) []Entry {
	var entries []Entry
	add := func(op Op, changes []Change) {
		for _, c := range changes {
			e := common
			e.Op, e.Family, e.Tokens, e.Phase, e.Reason = op, c.Family, c.Tokens, p.Phase, c.Reason
			if op == Hide {
				e.Servers, e.Tools = c.Servers, c.Tools
			}
			entries = append(entries, e)
		}
	}
	add(Reveal, p.Reveals)
	add(Hide, p.Hides)
	return entries
}
