package capability

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// StartRole starts the capabilities of the session's role. One that cannot be
// is named, with the reason, by [Registry.Status] and [Registry.Warnings]; with
// the next call it is tried again.
func (r *Registry) StartRole(ctx context.Context) {
	if r.opts.Servers == nil {
		return
	}
	var all sync.WaitGroup
	for _, name := range r.opts.Role {
		all.Go(func() {
			c, ok := r.opts.Catalog().Find(name)
			if !ok {
				r.setIdle(name, r.unknown(name))
				return
			}
			r.setIdle(c.Ref, r.startStatic(ctx, c))
		})
	}
	all.Wait()
	r.changed()
}

func (r *Registry) startStatic(ctx context.Context, c tap.Capability) error {
	defer r.one(c.Pinned())()
	r.mu.Lock()
	known := find(r.role, c.Pinned()) != nil
	if a := find(r.active, c.Pinned()); a != nil && !known { // the conversation had it before the role did
		r.active = slices.DeleteFunc(r.active, func(o *active) bool { return o == a })
		r.role = append(r.role, a)
		r.mu.Unlock()
		r.save()
		return nil
	}
	r.mu.Unlock()
	if known {
		return nil
	}
	if reasons := r.check(c); len(reasons) > 0 {
		r.note(c)
		return &BlockedError{c.Ref, reasons}
	}
	missing, err := r.install(ctx, c)
	if err != nil {
		return err
	}
	host := r.opts.Host()
	r.mu.Lock()
	a := &active{Capability: c, uses: r.bind(c, host)}
	r.mu.Unlock()
	if err := r.start(ctx, a.uses); err != nil {
		return r.undo(a, because(err, missing))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.role = append(r.role, a)
	return nil
}

// setIdle remembers why something that the user asked for beforehand is not
// there; nil: it is.
func (r *Registry) setIdle(name string, why error) {
	if c, ok := r.opts.Catalog().Find(name); ok {
		name = c.Ref // as the list has it
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if why == nil {
		delete(r.idle, name)
		return
	}
	r.idle[name] = withHint(why)
}

func withHint(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		return err.Error() + " (" + hinted.Hint() + ")"
	}
	return err.Error()
}

// Preload enables capabilities that the user named beforehand, in that order,
// until MaxActive are active; it never evicts. Those that are not active after
// it are named, with the reason, by [Registry.Status] and [Registry.Warnings].
// Where ctx ended before that, the conversation is preloaded when it comes back.
func (r *Registry) Preload(ctx context.Context, names []string) []Change {
	var done []Change
	for _, name := range names {
		if r.full(name) {
			r.setIdle(name, fmt.Errorf("%s is not preloaded: %d are active, which is the most (max_active)", name, r.opts.MaxActive))
			continue
		}
		c, err := r.Enable(ctx, name, "preload")
		r.setIdle(name, err)
		if err == nil {
			done = append(done, c)
		}
	}
	if ctx.Err() == nil {
		r.mark(func(s *state.Session) { s.Preloaded = true })
	}
	return done
}

// full reports whether a capability could only become active in another's place.
func (r *Registry) full(name string) bool {
	c, ok := r.opts.Catalog().Find(name)
	r.mu.Lock()
	defer r.mu.Unlock()
	there := find(r.active, c.Pinned()) != nil || find(r.role, c.Pinned()) != nil
	return ok && !there && len(r.active) >= r.opts.MaxActive
}

// mark notes something else in the session's file.
func (r *Registry) mark(change func(*state.Session)) {
	id := r.id()
	if r.opts.Sessions == nil || id == "" {
		return
	}
	if _, err := r.opts.Sessions.Update(id, change); err != nil {
		r.opts.Log.Warn("the session's file is not up to date", "session", id, "error", err)
	}
}

// Bind makes the registry that of another conversation: what was active in it
// becomes so again, and nothing else is but the role's. A registry that had no
// conversation yet keeps what it has. fresh is true where [Registry.Preload] has
// yet to be called for the conversation.
func (r *Registry) Bind(ctx context.Context, session string) (fresh bool) {
	var known state.Session
	var err error
	if r.opts.Sessions != nil && session != "" {
		if known, err = r.opts.Sessions.Load(session); err != nil {
			r.opts.Log.Warn("what was active is not known", "session", session, "error", err)
		}
	}
	fresh = !known.Preloaded
	r.mu.Lock()
	if session == r.session && r.bound {
		r.mu.Unlock()
		return fresh
	}
	unbound := r.session == ""
	r.session, r.bound = session, true
	if r.opts.Servers == nil {
		r.mu.Unlock()
		r.reload()
		return fresh
	}
	var before []*active
	if !unbound {
		r.epoch++
		before, r.active = r.active, nil
		clear(r.idle)
	}
	epoch := r.epoch
	r.mu.Unlock()

	// The new references come first, so that a server that both conversations
	// need runs on.
	r.revive(ctx, known.Capabilities, epoch)
	r.mu.Lock()
	// What did not come back because the conversation, or the process, is over is
	// still what the conversation has.
	over := epoch != r.epoch || ctx.Err() != nil
	_, gone := r.evict()
	for _, a := range before {
		gone = append(gone, r.release(a.uses)...)
	}
	r.mu.Unlock()
	r.stop(gone)
	if !over {
		r.save()
	}
	r.changed()
	return fresh
}

// revive makes active again what was, together, in the order it had.
func (r *Registry) revive(ctx context.Context, list []state.Capability, epoch int) {
	var all sync.WaitGroup
	for _, k := range list {
		all.Go(func() {
			c, ok := r.opts.Catalog().Find(k.Ref)
			if !ok {
				r.setIdle(k.Ref, fmt.Errorf("%s was active and is no longer in its tap", k.Ref))
				return
			}
			r.setIdle(c.Ref, r.reviveOne(ctx, c, k.By, epoch))
		})
	}
	all.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	was := func(a *active) int {
		if i := slices.IndexFunc(list, func(k state.Capability) bool { return k.Ref == a.Pinned() }); i >= 0 {
			return i
		}
		return len(list)
	}
	slices.SortStableFunc(r.active, func(a, b *active) int { return cmp.Compare(was(a), was(b)) })
}

func (r *Registry) reviveOne(ctx context.Context, c tap.Capability, by []string, epoch int) error {
	defer r.one(c.Pinned())()
	if _, ok := r.already(c, ""); ok {
		return nil
	}
	if reasons := r.check(c); len(reasons) > 0 {
		return &BlockedError{c.Ref, reasons}
	}
	host := r.opts.Host()
	r.mu.Lock()
	a := &active{Capability: c, by: by, uses: r.bind(c, host)}
	r.mu.Unlock()
	if err := r.start(ctx, a.uses); err != nil {
		return r.undo(a, err)
	}
	r.mu.Lock()
	if epoch != r.epoch {
		r.mu.Unlock()
		return r.undo(a, ErrSession)
	}
	r.active = append(r.active, a)
	r.mu.Unlock()
	return nil
}

// Clear makes everything inactive but what the role has.
func (r *Registry) Clear() {
	r.mu.Lock()
	r.epoch++
	var gone []*instance
	for _, a := range r.active {
		gone = append(gone, r.release(a.uses)...)
	}
	r.active = nil
	clear(r.idle)
	r.mu.Unlock()
	r.save()
	r.stop(gone)
	r.changed()
}

// Close stops everything. What is active stays so for the next process that
// serves the session.
func (r *Registry) Close() {
	r.mu.Lock()
	r.epoch++
	r.closed = true
	var gone []*instance
	for _, a := range slices.Concat(r.active, r.role) {
		gone = append(gone, r.release(a.uses)...)
	}
	r.active, r.role = nil, nil
	r.mu.Unlock()
	r.stop(gone)
}

// Sync does what processes that cannot start servers have asked for. Where ctx
// ends before all of it is done, the next process that serves the session does
// it: what is met twice is met once.
func (r *Registry) Sync(ctx context.Context) []Change {
	id := r.id()
	if r.opts.Servers == nil || r.opts.Sessions == nil || id == "" {
		return nil
	}
	s, err := r.opts.Sessions.Load(id)
	if err != nil || len(s.Wanted) == 0 {
		return nil // a file that cannot be read wants nothing
	}
	done := make([]Change, len(s.Wanted))
	var all sync.WaitGroup
	for i, w := range s.Wanted {
		all.Go(func() { done[i] = r.meet(ctx, w) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return done
	}
	r.mark(func(now *state.Session) {
		now.Wanted = slices.DeleteFunc(now.Wanted, func(w state.Want) bool { return slices.Contains(s.Wanted, w) })
	})
	return done
}

func (r *Registry) meet(ctx context.Context, w state.Want) Change {
	var c Change
	var err error
	if w.Off {
		c, err = r.Disable(ctx, w.Ref)
	} else {
		c, err = r.Enable(ctx, w.Ref, w.By)
		r.setIdle(w.Ref, err)
	}
	if err != nil {
		r.opts.Log.Warn("a wish could not be met", "capability", w.Ref, "off", w.Off, "error", err)
		return Change{Name: w.Ref, Warnings: []string{withHint(err)}}
	}
	return c
}
