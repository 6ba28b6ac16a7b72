package capability

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Entry is a capability as one session sees it.
type Entry struct {
	Name        string    `json:"name"` // by which it is enabled
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Tap         string    `json:"tap"`
	Provider    string    `json:"provider"`
	Active      bool      `json:"active"`
	Static      bool      `json:"static"`             // the role has it
	OutOfDomain bool      `json:"out_of_domain"`      // for sessions of another domain
	Unready     []Reason  `json:"unready,omitempty"`  // why it cannot be enabled
	By          []string  `json:"by,omitempty"`       // for whose sake it is active
	Servers     []Exposed `json:"servers,omitempty"`  // of an active one
	Triggers    []string  `json:"triggers,omitempty"` // none: no prompt activates it
	Score       float64   `json:"score,omitempty"`    // of Discover
}

// Idle reports whether it could be enabled and is not.
func (e Entry) Idle() bool { return !e.Active && !e.Static && !e.OutOfDomain && len(e.Unready) == 0 }

// List is every capability of the user's taps, by name, with its marks.
func (r *Registry) List() []Entry {
	r.reload()
	var list []Entry
	host := r.opts.Host()
	for _, c := range r.opts.Catalog().Capabilities {
		list = append(list, r.entry(c, host))
	}
	return list
}

// Find is one capability of the list.
func (r *Registry) Find(name string) (Entry, bool) {
	r.reload()
	c, ok := r.opts.Catalog().Find(name)
	if !ok {
		return Entry{}, false
	}
	return r.entry(c, r.opts.Host()), true
}

func (r *Registry) entry(c tap.Capability, host []surface.Server) Entry {
	e := Entry{
		Name: c.Ref, Title: c.Title, Description: c.Description, Tap: c.Tap, Provider: c.Provider, Triggers: c.Triggers,
		OutOfDomain: !c.In(r.opts.Domain),
	}
	r.mu.Lock()
	a := find(r.active, c.Pinned())
	e.Active = a != nil
	if s := find(r.role, c.Pinned()); s != nil {
		a, e.Static = s, true
	}
	if a != nil {
		e.By, e.Servers = slices.Clone(a.by), exposed(a.uses)
	}
	r.mu.Unlock()
	if !e.Active && !e.Static {
		e.Unready = r.checkBeside(c, host)
	}
	return e
}

// Score is how well a capability fits an intent.
type Score struct {
	Ref   string // as [tap.Capability] has it
	Value float64
}

// most is how many capabilities Discover answers with.
const most = 5

// Discover answers with at most five capabilities of the session's domain that
// score above floor, best first. The scores are of all candidates: those that
// are active or unready are among the answers, marked.
func (r *Registry) Discover(ctx context.Context, score func(context.Context, []tap.Capability) ([]Score, error), floor float64) ([]Entry, error) {
	r.reload()
	var candidates []tap.Capability
	for _, c := range r.opts.Catalog().Capabilities {
		if c.In(r.opts.Domain) {
			candidates = append(candidates, c)
		}
	}
	scores, err := score(ctx, candidates)
	if err != nil {
		return nil, err
	}
	scores = slices.DeleteFunc(slices.Clone(scores), func(s Score) bool { return !(s.Value > floor) })
	slices.SortStableFunc(scores, func(a, b Score) int { return cmp.Compare(b.Value, a.Value) })
	var found []Entry
	for _, s := range scores {
		i := slices.IndexFunc(candidates, func(c tap.Capability) bool { return c.Ref == s.Ref })
		if i < 0 || len(found) == most {
			continue
		}
		e := r.entry(candidates[i], r.opts.Host())
		e.Score = s.Value
		found = append(found, e)
	}
	return found, nil
}

// State is one line of what is effective and what is blocked.
type State struct {
	Name      string `json:"name"`
	Effective bool   `json:"effective"` // its tools are callable
	Blocked   string `json:"blocked"`   // why it cannot be, "" where nothing is in the way
}

// Status says of every capability whether it is in effect and, where it could
// not be, why: those that were asked for beforehand and are not there, too.
func (r *Registry) Status() []State {
	list := r.List()
	r.mu.Lock()
	idle := maps.Clone(r.idle)
	r.mu.Unlock()
	var out []State
	for _, e := range list {
		s := State{Name: e.Name, Effective: e.Active || e.Static}
		if !s.Effective {
			if len(e.Unready) > 0 {
				s.Blocked = withHint(&BlockedError{e.Name, e.Unready})
			}
			s.Blocked = cmp.Or(s.Blocked, idle[e.Name])
		}
		delete(idle, e.Name)
		out = append(out, s)
	}
	for _, name := range slices.Sorted(maps.Keys(idle)) {
		out = append(out, State{Name: name, Blocked: idle[name]})
	}
	return out
}

// Warnings are what was asked for and is not in effect, one line each, for the
// answers that are the poorer for it.
func (r *Registry) Warnings() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(r.idle)) {
		lines = append(lines, r.idle[name])
	}
	return lines
}
