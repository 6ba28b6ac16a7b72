package loader

import (
	"context"
	"time"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/capability"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Times that somebody may be kept waiting.
const (
	boundWait = 100 * time.Millisecond // a prompt, for what the conversation had before
	// A prompt for the model: its hook leaves after 1.2 s, and what it is told has
	// to be written down before.
	promptWait = 800 * time.Millisecond
	askedWait  = 5 * time.Second // somebody who asks, for the model or for whether there is one
)

// Prompt does what the user's message asks for and says so to the model in one
// line, "" where there is nothing to say. No server is waited for.
func (l *Loader) Prompt(ctx context.Context, text string) string {
	if !l.ready() {
		return ""
	}
	waiting, cancel := context.WithTimeout(ctx, boundWait)
	l.Bound(waiting)
	cancel()
	return l.scene().answerSkills(ctx, text, l.promptCapabilities(ctx, text), l.enable)
}

// promptCapabilities is Prompt without skills.
func (l *Loader) promptCapabilities(ctx context.Context, text string) reply {
	if !l.opts.Config.AutoCapabilities || !l.opts.Taps.Any() {
		return reply{}
	}
	d, degraded, err := l.decide(ctx, promptWait, text, l.opts.Config.Activate.MinChars)
	l.noteLate(degraded)
	switch {
	case ctx.Err() != nil: // nobody would be told
		l.opts.Log.Info("the hook has gone before its prompt was routed")
		return reply{}
	case err != nil:
		l.opts.Log.Warn("the prompt is not routed", "error", err)
		return reply{}
	}
	return l.scene().answer(d, func(name string) bool { l.enable(name, "prompt"); return true })
}

// noteLate remembers that the last prompt was routed by words alone though there
// is a model, until the next is routed with it.
func (l *Loader) noteLate(degraded error) {
	late := passing(degraded)
	if late {
		l.opts.Log.Warn("a prompt is routed by words alone", "why", degraded)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.late = nil; late {
		l.late = degraded
	}
}

// Decide routes a text in the conversation as it is. degraded says why that is
// done by words alone, nil where it is not.
func (l *Loader) Decide(ctx context.Context, text string, minChars int) (d activate.Decision, degraded, err error) {
	return l.decide(ctx, askedWait, text, minChars)
}

func (l *Loader) decide(ctx context.Context, wait time.Duration, text string, minChars int) (d activate.Decision, degraded, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return l.scene().decide(ctx, text, minChars, func(name string) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.coming[name]
	})
}

// titled is what a conversation is called.
type titled struct{ session, title string }

// Titled says what the conversation that is served now is called. Not every
// event says it: "" leaves what was said before.
func (l *Loader) Titled(title string) {
	if title == "" {
		return
	}
	id := l.opts.Session()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.titled = titled{id, title}
}

func (l *Loader) scene() scene {
	opts := l.opts
	id := opts.Session()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.titled.session == id {
		opts.Title = l.titled.title
	}
	return scene{opts, l.registry, l.place, &l.early}
}

// Degraded says why prompts of the conversation are routed by words alone, nil
// where they are not.
func (l *Loader) Degraded(ctx context.Context) error {
	l.mu.Lock()
	late := l.late
	l.mu.Unlock()
	if late != nil {
		return late
	}
	ctx, cancel := context.WithTimeout(ctx, askedWait)
	defer cancel()
	return l.opts.Taps.Degraded(ctx)
}

// Candidates are the capabilities of a catalog among which a router chooses; r,
// where there is one, tells what they are in a session.
func Candidates(c *tap.Catalog, r *capability.Registry) []activate.Candidate {
	return candidates(c, r, func(string) bool { return false })
}

// candidates is Candidates where what is coming counts as active. One whose bare
// name is an earlier tap's is left out, since all that it could do is take that
// one's probability away, unless the session has it. Then it is nobody's: the
// calibration of its tap is made without it.
func candidates(c *tap.Catalog, r *capability.Registry, coming func(name string) bool) []activate.Candidate {
	marks := map[string]capability.Entry{}
	if r != nil {
		for _, e := range r.List() {
			marks[e.Name] = e
		}
	}
	list := make([]activate.Candidate, 0, len(c.Capabilities))
	for _, one := range c.Capabilities {
		e := marks[one.Ref]
		active := e.Active || coming(one.Ref)
		if one.Shadowed() {
			if !active && !e.Static {
				continue
			}
			one.Tap = ""
		}
		list = append(list, activate.Candidate{
			Name: one.Ref, Title: one.Title, Description: one.Description, Triggers: one.Triggers, Domains: one.Domains, Tap: one.Tap,
			Active: active, Static: e.Static, Unready: len(e.Unready) > 0,
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

// Scores are those of a decision that are worth an answer to somebody who asked.
func Scores(d activate.Decision) []capability.Score {
	var scores []capability.Score
	for _, s := range d.Scores {
		if s.Probability >= d.Thresholds.DiscoverAt {
			scores = append(scores, capability.Score{Ref: s.Name, Value: s.Probability})
		}
	}
	return scores
}
