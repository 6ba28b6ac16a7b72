package reconcile

import (
	"fmt"
	"slices"

	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Enforced is what became of a plan that was to be carried out.
type Enforced struct {
	Plan           // what was carried out
	Refused []Kept // hides that were not, and why
}

// Enforce changes what a session sees: whatever the plan reveals comes, and of
// what it hides those families go whose rule is promoted. The session's gateway
// follows. It is no error that nothing was to be changed.
func Enforce(p Plan, rules []Rule, sessions *state.Store, id string) (Enforced, error) {
	done := Enforced{Plan: Plan{Phase: p.Phase}}
	for _, c := range p.Reveals {
		if len(c.behind) > 0 {
			done.Reveals = append(done.Reveals, c)
		}
	}
	for _, c := range p.Hides {
		if why := Refusal(c, p.Phase, rules); why != "" {
			done.Refused = append(done.Refused, Kept{c.Family, c.Tokens, why})
			continue
		}
		done.Hides = append(done.Hides, c)
	}
	if len(done.Reveals)+len(done.Hides) == 0 {
		return done, nil
	}
	_, err := sessions.Update(id, func(s *state.Session) {
		for _, c := range done.Reveals {
			s.Hidden = without(s.Hidden, string(c.Family))
			s.Revealed = append(without(s.Revealed, c.behind...), c.behind...)
		}
		for _, c := range done.Hides {
			s.Hidden = append(without(s.Hidden, string(c.Family)), string(c.Family))
			s.Revealed = without(s.Revealed, c.behind...)
		}
	})
	return done, err
}

// Refusal says why a family must not be hidden in a phase, "" where it may be.
func Refusal(c Change, p Phase, rules []Rule) string {
	if len(c.behind) == 0 {
		return "it is not behind ctx-gateway: the host loads it itself"
	}
	r := Find(rules, c.Family, p)
	switch {
	case r == nil || r.Verdict == NoData:
		return "not promoted: no session has been judged"
	case r.Verdict != Promote:
		return fmt.Sprintf("not promoted: %d of %d sessions missed it, which may be up to %.0f %% of all", r.Misses, r.Sessions, 100*r.Bound)
	}
	return ""
}

// Find returns the rule that hides a family in a phase, nil where it was never
// proposed.
func Find(rules []Rule, f surface.Family, p Phase) *Rule {
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.Family == f && r.Phase == p })
	if i < 0 {
		return nil
	}
	return &rules[i]
}

func without(all []string, gone ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return slices.Contains(gone, s) })
}
