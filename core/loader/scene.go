package loader

import (
	"context"
	"slices"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/capability"
)

// scene is a conversation as a prompt meets it, in its gateway or elsewhere.
type scene struct {
	opts     Options
	registry *capability.Registry
	user     Admitted
	early    *unbound
}

// decide routes a text, when ctx ends at the latest. What is coming counts as
// active.
func (s scene) decide(ctx context.Context, text string, minChars int, coming func(name string) bool) (d activate.Decision, degraded, err error) {
	a := s.opts.Config.Activate
	d, degraded, err = s.opts.Taps.Decide(ctx, activate.Request{
		Prompt: text, Domain: Domain(s.opts.Config), Candidates: candidates(s.opts.Taps.Catalog(), s.registry, coming),
		ActivateAt: a.ActivateAt, SuggestAt: a.SuggestAt, MinChars: minChars, NoSuggest: !a.Suggest,
	})
	d.Suggested = slices.DeleteFunc(slices.Clone(d.Suggested), s.denied)
	if d.Outcome == activate.Suggest && len(d.Suggested) == 0 {
		d.Outcome, d.Reason = activate.Silence, "the user's rules leave nothing of what may fit"
	}
	return d, degraded, err
}

// denied reports whether the user's rules leave no server of a capability.
func (s scene) denied(name string) bool {
	servers := s.registry.Exposes(name)
	return len(servers) > 0 && !slices.ContainsFunc(servers, func(e capability.Exposed) bool { return s.user.AdmitsServer(e.Server) })
}

// reply is what a prompt is answered, before skills add to it.
type reply struct {
	line    string // "" where there is nothing to say
	enables bool
	may     []string // what may fit: the names in the line, or where that enables something those to say beside it
}

// answer does what was decided, and what is said to the model in one line. enable
// reports whether the winner is on its way.
func (s scene) answer(d activate.Decision, enable func(name string) bool) reply {
	s.opts.Log.Debug("prompt routed", "outcome", d.Outcome, "winner", d.Winner, "suggested", d.Suggested, "ranker", d.Ranker)
	switch d.Outcome {
	case activate.Activate:
		c, ok := s.opts.Taps.Catalog().Find(d.Winner)
		if !ok {
			return reply{}
		}
		tools := s.callable(c)
		if len(c.Servers) > 0 && tools.none() || !enable(d.Winner) {
			return reply{} // the user's rules leave nothing of it, or something else is in the way
		}
		return reply{tools.line(d.Winner), true, d.Suggested}
	case activate.Suggest:
		return reply{suggestion(d.Suggested), false, d.Suggested}
	}
	return reply{}
}
