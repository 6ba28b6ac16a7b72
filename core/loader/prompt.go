package loader

import (
	"context"
	"time"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/capability"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Times that a prompt may be kept waiting.
const (
	boundWait  = 100 * time.Millisecond // for what the conversation had before
	routerWait = 2 * time.Second        // for the router to be loaded
)

// Prompt does what the user's message asks for and says so to the model in one
// line, "" where there is nothing to say. No server is waited for.
func (l *Loader) Prompt(ctx context.Context, text string) string {
	if !l.opts.Config.AutoCapabilities || !l.ready() {
		return ""
	}
	waiting, cancel := context.WithTimeout(ctx, boundWait)
	l.Bound(waiting)
	cancel()
	d, _, err := l.Decide(ctx, text, l.opts.Config.Activate.MinChars)
	if err != nil {
		l.opts.Log.Warn("the prompt is not routed", "error", err)
		return ""
	}
	l.opts.Log.Debug("prompt routed", "outcome", d.Outcome, "winner", d.Winner, "suggested", d.Suggested, "ranker", d.Ranker)
	switch d.Outcome {
	case activate.Activate:
		c, ok := l.opts.Taps.Catalog().Find(d.Winner)
		if !ok {
			return ""
		}
		tools := l.callable(c)
		if len(c.Servers) > 0 && tools.none() {
			return "" // the user's rules leave nothing of it
		}
		l.enable(d.Winner)
		return tools.line(d.Winner)
	case activate.Suggest:
		return suggestion(d.Suggested)
	}
	return ""
}

// Decide routes a text in the conversation as it is. degraded says why that is
// done by words alone, nil where it is not.
func (l *Loader) Decide(ctx context.Context, text string, minChars int) (d activate.Decision, degraded, err error) {
	waiting, cancel := context.WithTimeout(ctx, routerWait)
	defer cancel()
	router, degraded, err := l.opts.Taps.Router(waiting)
	if err != nil {
		return activate.Decision{}, nil, err
	}
	candidates := Candidates(l.opts.Taps.Catalog(), l.registry)
	l.mu.Lock()
	for i, c := range candidates {
		candidates[i].Active = c.Active || l.coming[c.Name]
	}
	l.mu.Unlock()
	a := l.opts.Config.Activate
	d, err = router.Decide(ctx, activate.Request{
		Prompt: text, Domain: Domain(l.opts.Config), Candidates: candidates,
		ActivateAt: a.ActivateAt, SuggestAt: a.SuggestAt, MinChars: minChars, NoSuggest: !a.Suggest,
	})
	return d, degraded, err
}

// Candidates are the capabilities of a catalog as a router sees them; r, where
// there is one, tells what they are in a session.
func Candidates(c *tap.Catalog, r *capability.Registry) []activate.Candidate {
	marks := map[string]capability.Entry{}
	if r != nil {
		for _, e := range r.List() {
			marks[e.Name] = e
		}
	}
	list := make([]activate.Candidate, 0, len(c.Capabilities))
	for _, one := range c.Capabilities {
		e := marks[one.Ref]
		list = append(list, activate.Candidate{
			Name: one.Ref, Title: one.Title, Description: one.Description, Triggers: one.Triggers, Domains: one.Domains,
			Active: e.Active, Static: e.Static, Unready: len(e.Unready) > 0,
		})
	}
	return list
}

// Discover answers with what fits an intent: see [capability.Registry.Discover].
func (l *Loader) Discover(ctx context.Context, intent string) (list []capability.Entry, degraded, err error) {
	score := func(context.Context, []tap.Capability) ([]capability.Score, error) {
		d, why, err := l.Decide(ctx, intent, 0)
		degraded = why
		return Scores(d), err
	}
	list, err = l.registry.Discover(ctx, score, 0)
	return list, degraded, err
}

// Scores are those of a decision that are worth an answer to somebody who
// asked: at least what each of three has that are worth a suggestion together.
func Scores(d activate.Decision) []capability.Score {
	floor := d.Thresholds.SuggestAt / 3
	var scores []capability.Score
	for _, s := range d.Scores {
		if s.Probability > floor {
			scores = append(scores, capability.Score{Ref: s.Name, Value: s.Probability})
		}
	}
	return scores
}
