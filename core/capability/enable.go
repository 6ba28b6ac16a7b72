package capability

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Exposed is a server whose tools a capability makes callable.
type Exposed struct {
	Server  string   `json:"server"`  // as its tools are named: "SERVER:TOOL"
	Allowed []string `json:"allowed"` // globs over its tools, nil for all
}

// Change is what enabling or disabling has come to.
type Change struct {
	Name     string    `json:"name"`
	Already  bool      `json:"already,omitempty"` // it was so before
	Static   bool      `json:"static,omitempty"`  // it belongs to the role
	Pending  bool      `json:"pending,omitempty"` // left for the session's gateway to do
	Servers  []Exposed `json:"servers,omitempty"` // of an enabled one
	Evicted  []string  `json:"evicted,omitempty"` // those that had to go for it
	Needed   []string  `json:"needed,omitempty"`  // for whose sake one that was to be disabled stays
	Warnings []string  `json:"warnings,omitempty"`
}

// Enable makes a capability active, for the sake of by: "user", "model", "prompt",
// "preload" or "skill:NAME". It returns once the servers answer. When one more
// than MaxActive are active then, the least recently used goes; when a server
// does not start, everything is as before. Enabling twice is as good as once.
//
// Errors: [*UnknownError], [*BlockedError], [ErrSession], or why a server or
// installer failed.
func (r *Registry) Enable(ctx context.Context, name, by string) (Change, error) {
	return r.Announce(name, by)(ctx)
}

// Announce is the part of [Registry.Enable] that does not wait; enable, which is
// to be called once and soon, is the rest. Whoever disables the capability after
// it was announced disables it once it is enabled. It is for the conversation in
// which it was announced, however long it takes, and for no later one.
func (r *Registry) Announce(name, by string) (enable func(context.Context) (Change, error)) {
	r.reload()
	c, ok := r.opts.Catalog().Find(name)
	if !ok {
		return func(context.Context) (Change, error) { return Change{}, r.unknown(name) }
	}
	a := &active{Capability: c, by: []string{by}}
	r.mu.Lock()
	epoch := r.epoch
	r.coming = append(r.coming, a)
	ahead, end := r.turn(c.Pinned())
	r.mu.Unlock()
	return func(ctx context.Context) (Change, error) {
		defer end()
		defer r.arrived(a)
		if ahead != nil {
			<-ahead
		}
		if err := ctx.Err(); err != nil {
			return Change{}, err
		}
		return r.enable(ctx, c, by, epoch)
	}
}

// arrived ends what Announce has begun.
func (r *Registry) arrived(a *active) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.coming = slices.DeleteFunc(r.coming, func(o *active) bool { return o == a })
}

// enable is Enable for the holder of the capability's turn.
func (r *Registry) enable(ctx context.Context, c tap.Capability, by string, epoch int) (Change, error) {
	if r.isOver(epoch) {
		return Change{}, ErrSession
	}
	if done, ok := r.already(c, by); ok {
		return done, nil
	}
	if reasons := r.check(c); len(reasons) > 0 {
		if slices.ContainsFunc(reasons, func(x Reason) bool { return x.Kind == Approval }) {
			r.note(c)
		}
		return Change{}, &BlockedError{c.Ref, reasons}
	}
	if r.opts.Servers == nil {
		return r.wish(c, state.Want{Ref: c.Pinned(), By: by})
	}
	return r.activate(ctx, c, by, epoch)
}

// isOver reports whether everything that was active at that time has gone.
func (r *Registry) isOver(epoch int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return epoch != r.epoch
}

// already answers for a capability that is active.
func (r *Registry) already(c tap.Capability, by string) (Change, bool) {
	r.mu.Lock()
	a, static := find(r.active, c.Pinned()), false
	if a == nil {
		a, static = find(r.role, c.Pinned()), true
	}
	if a == nil {
		r.mu.Unlock()
		return Change{}, false
	}
	more := by != "" && !static && !slices.Contains(a.by, by)
	if more {
		a.by = append(a.by, by)
	}
	done := Change{Name: a.Ref, Already: true, Static: static, Servers: exposed(a.uses)}
	r.mu.Unlock()
	if more && r.opts.Servers != nil {
		r.save()
	}
	return done, true
}

func exposed(uses []use) []Exposed {
	var list []Exposed
	for _, u := range uses {
		list = append(list, Exposed{u.served, u.server.Allowed})
	}
	return list
}

// activate is Enable for one that passed the gates.
func (r *Registry) activate(ctx context.Context, c tap.Capability, by string, epoch int) (Change, error) {
	missing, err := r.install(ctx, c)
	if err != nil {
		return Change{}, err
	}
	host := r.opts.Host()
	r.mu.Lock()
	if epoch != r.epoch { // an installer may take minutes
		r.mu.Unlock()
		return Change{}, ErrSession
	}
	a := &active{Capability: c, by: []string{by}, uses: r.bind(c, host)}
	r.mu.Unlock()
	if err := r.start(ctx, a.uses); err != nil {
		return Change{}, r.undo(a, because(err, missing))
	}
	r.mu.Lock()
	if epoch != r.epoch {
		r.mu.Unlock()
		return Change{}, r.undo(a, ErrSession)
	}
	r.active = append(r.active, a)
	evicted, gone := r.evict()
	r.mu.Unlock()
	r.save()
	r.setIdle(c.Ref, nil)
	warnings := append(leftOut(c), r.stop(gone)...)
	r.changed()
	return Change{Name: c.Ref, Servers: exposed(a.uses), Evicted: evicted, Warnings: warnings}, nil
}

// undo gives back what an activation that failed had taken.
func (r *Registry) undo(a *active, why error) error {
	r.mu.Lock()
	gone := r.release(a.uses)
	r.mu.Unlock()
	for _, w := range r.stop(gone) {
		why = errors.Join(why, errors.New(w))
	}
	return why
}

// evict takes out, for mu's holder, those that are one too many.
func (r *Registry) evict() (names []string, gone []*instance) {
	for len(r.active) > r.opts.MaxActive {
		least := r.active[0]
		r.active = slices.Delete(r.active, 0, 1)
		names = append(names, least.Ref)
		gone = append(gone, r.release(least.uses)...)
	}
	return names, gone
}

// because adds to a server's failure which dependencies nobody has installed
// from here: with them there, the start may well have worked.
func because(err error, missing []string) error {
	if len(missing) == 0 {
		return err
	}
	return fmt.Errorf("%w (it depends on %s, for which the tap has no installer)", err, strings.Join(missing, ", "))
}

// install runs the approved installers that did not run in this session yet,
// and names the dependencies that have none.
func (r *Registry) install(ctx context.Context, c tap.Capability) (missing []string, err error) {
	for _, dep := range c.Deps {
		s, err := c.Script(dep)
		if errors.Is(err, tap.ErrNoScript) {
			missing = append(missing, dep)
			continue
		}
		if err != nil {
			return nil, err
		}
		if reasons := r.checkApproval(c.ScriptCommand(s)); len(reasons) > 0 {
			return nil, &BlockedError{c.Ref, reasons} // it was changed just now
		}
		if err := r.installOnce(ctx, s); err != nil {
			return nil, err
		}
	}
	return missing, nil
}

// installOnce runs an installer unless it ran already, for others too.
func (r *Registry) installOnce(ctx context.Context, s tap.Script) error {
	defer r.one("installer " + s.SHA256)()
	r.mu.Lock()
	ran := r.installed[s.SHA256]
	r.mu.Unlock()
	if ran {
		return nil
	}
	if err := r.opts.Install(ctx, s); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.installed[s.SHA256] = true
	return nil
}

// wish leaves a change for the session's gateway to do.
func (r *Registry) wish(c tap.Capability, w state.Want) (Change, error) {
	done := Change{Name: c.Ref, Pending: true}
	if !w.Off {
		host := r.opts.Host()
		r.mu.Lock()
		for _, s := range c.Servers {
			if !s.Toolless() {
				served, _, _ := r.place(c, s, host)
				done.Servers = append(done.Servers, Exposed{served, s.Allowed})
			}
		}
		r.mu.Unlock()
	}
	if r.opts.Sessions == nil {
		return Change{}, state.ErrNoSession
	}
	_, err := r.opts.Sessions.Update(r.id(), func(s *state.Session) {
		s.Wanted = append(slices.DeleteFunc(s.Wanted, func(o state.Want) bool { return o.Ref == w.Ref }), w)
	})
	if err != nil {
		return Change{}, fmt.Errorf("ask the session's gateway: %w", err)
	}
	return done, nil
}

func (r *Registry) unknown(name string) error {
	e := &UnknownError{Name: name}
	for _, c := range r.opts.Catalog().Capabilities {
		if c.In(r.opts.Domain) && near(name, c.Ref) {
			e.Near = c.Ref
			break
		}
	}
	return e
}
