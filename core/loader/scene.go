package loader

import (
	"context"

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
	candidates := Candidates(s.opts.Taps.Catalog(), s.registry)
	for i, c := range candidates {
		candidates[i].Active = c.Active || coming(c.Name)
	}
	a := s.opts.Config.Activate
	return s.opts.Taps.Decide(ctx, activate.Request{
		Prompt: text, Domain: Domain(s.opts.Config), Candidates: candidates,
		ActivateAt: a.ActivateAt, SuggestAt: a.SuggestAt, MinChars: minChars, NoSuggest: !a.Suggest,
	})
}

// answer does what was decided, and says it to the model in one line, "" where
// there is nothing to say; suggested are the names in a line that enables
// nothing. enable reports whether the winner is on its way.
func (s scene) answer(d activate.Decision, enable func(name string) bool) (line string, suggested []string) {
	s.opts.Log.Debug("prompt routed", "outcome", d.Outcome, "winner", d.Winner, "suggested", d.Suggested, "ranker", d.Ranker)
	switch d.Outcome {
	case activate.Activate:
		c, ok := s.opts.Taps.Catalog().Find(d.Winner)
		if !ok {
			return "", nil
		}
		tools := s.callable(c)
		if len(c.Servers) > 0 && tools.none() || !enable(d.Winner) {
			return "", nil // the user's rules leave nothing of it, or something else is in the way
		}
		return tools.line(d.Winner) + besides(d.Suggested), nil
	case activate.Suggest:
		return suggestion(d.Suggested), d.Suggested
	}
	return "", nil
}
