package loader

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/core/capability"
	"github.com/ctx-sidecar/ctx/core/state"
)

// Cold is [Loader.Prompt] in a process that starts no servers, for a
// conversation whose gateway cannot be asked: what a prompt activates is noted
// with the conversation, as a command of the user's would, for that gateway to
// do. wait is how long the model may take. Once ctx has ended nothing is noted.
func Cold(ctx context.Context, wait time.Duration, o Options, user Admitted, text string) (line string, err error) {
	if !o.Config.AutoCapabilities {
		return "", nil
	}
	known, err := o.Sessions.Load(o.Session())
	if err != nil {
		return "", err
	}
	registry := o.registry(user)
	registry.Session = o.Session()
	s := scene{o, capability.New(registry), user, &unbound{}}
	var r reply
	if o.Taps.Any() {
		if r, err = s.coldCapabilities(ctx, wait, text, known); err != nil {
			return r.line, err
		}
	}
	return s.answerSkills(ctx, text, r, func(capability, by string) {
		if _, err := s.registry.Enable(ctx, capability, by); err != nil {
			o.Log.Warn("a skill's capability is not enabled", "capability", capability, "error", err)
		}
	}), nil
}

// coldCapabilities is Cold without skills.
func (s scene) coldCapabilities(ctx context.Context, wait time.Duration, text string, known state.Session) (r reply, err error) {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	d, degraded, err := s.decide(waiting, text, s.opts.Config.Activate.MinChars, func(name string) bool { return s.wanted(known, name) })
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return reply{}, err
	}
	if passing(degraded) {
		s.opts.Log.Warn("a prompt is routed by words alone", "why", degraded)
	}
	r = s.answer(d, func(name string) bool {
		_, err = s.registry.Enable(ctx, name, "prompt")
		return err == nil
	})
	return r, err
}

// wanted reports whether a capability was asked for before and the gateway has
// not come to it yet.
func (s scene) wanted(known state.Session, name string) bool {
	return slices.ContainsFunc(known.Wanted, func(w state.Want) bool {
		c, ok := s.opts.Taps.Catalog().Find(w.Ref)
		return ok && !w.Off && c.Ref == name
	})
}
