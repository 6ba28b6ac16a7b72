package capability

import (
	"context"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/spelling"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// skillPrefix starts the name of a skill among those for whose sake a capability
// is active.
const skillPrefix = "skill:"

// Disable makes a capability inactive, whoever enabled it but skills: while one
// needs it, it stays, and the change says so. Its servers stop unless another
// active one needs them. Disabling twice is as good as once.
//
// Errors: [*UnknownError], [*StaticError].
func (r *Registry) Disable(_ context.Context, name string) (Change, error) {
	return r.drop(name, func(a *active) bool {
		a.by = slices.DeleteFunc(a.by, func(by string) bool { return !strings.HasPrefix(by, skillPrefix) })
		return len(a.by) == 0
	})
}

// Release makes inactive what is active, or is being enabled, for the sake of by
// alone, a skill that is done, say.
func (r *Registry) Release(ctx context.Context, by string) []Change {
	r.reload()
	r.mu.Lock()
	var names []string
	for _, a := range slices.Concat(r.active, r.coming) {
		if slices.Contains(a.by, by) {
			names = append(names, a.Pinned())
		}
	}
	r.mu.Unlock()
	var done []Change
	for _, name := range names {
		c, err := r.drop(name, func(a *active) bool {
			a.by = slices.DeleteFunc(a.by, func(o string) bool { return o == by })
			return len(a.by) == 0
		})
		if err == nil && !c.Already { // else it went meanwhile, or others need it
			done = append(done, c)
		}
	}
	return done
}

// drop takes an active capability out if it may go.
func (r *Registry) drop(name string, may func(*active) bool) (Change, error) {
	r.reload()
	c, ok := r.known(name)
	if !ok {
		return Change{}, r.unknown(name)
	}
	defer r.one(c.Pinned())()
	r.mu.Lock()
	static := find(r.role, c.Pinned()) != nil
	a := find(r.active, c.Pinned())
	if a == nil || static || r.opts.Servers == nil || !may(a) {
		var needed []string
		if a != nil {
			needed = slices.Clone(a.by)
		}
		r.mu.Unlock()
		switch {
		case static:
			return Change{}, &StaticError{c.Ref}
		case r.opts.Servers == nil:
			// Also where it is not active: its activation may be on the way.
			return r.wish(c, state.Want{Ref: c.Pinned(), Off: true})
		}
		done := Change{Name: c.Ref, Already: true}
		if a != nil {
			done.Needed = needed
			r.save()
		}
		return done, nil
	}
	r.active = slices.DeleteFunc(r.active, func(o *active) bool { return o == a })
	gone := r.release(a.uses)
	r.mu.Unlock()
	r.save()
	done := Change{Name: c.Ref, Warnings: r.stop(gone)}
	r.changed()
	return done, nil
}

// known finds a capability by its name, also one that is active, or is being
// enabled, and has left its tap.
func (r *Registry) known(name string) (tap.Capability, bool) {
	if c, ok := r.opts.Catalog().Find(name); ok {
		return c, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range slices.Concat(r.active, r.coming) {
		if a.Ref == name || a.Pinned() == name {
			return a.Capability, true
		}
	}
	return tap.Capability{}, false
}

// near reports whether name may have been meant as known.
func near(name, known string) bool {
	name, known = strings.ToLower(name), strings.ToLower(known)
	if min(len(name), len(known)) < 3 {
		return false
	}
	return strings.Contains(known, name) || strings.Contains(name, known) || spelling.Distance(name, known) <= 2
}
