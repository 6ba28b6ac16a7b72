package gateway

import (
	"errors"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/state"
)

// Memory is what is remembered of the conversation that a gateway serves. What
// cannot be written, or is of a conversation without an id, is remembered as
// long as the gateway runs, and written with the next change that can be. The
// zero Memory remembers nothing.
type Memory struct {
	store   *state.Store
	binding *hook.Binding

	writing sync.Mutex // one change at a time, so that none overtakes another

	mu      sync.Mutex
	unsaved map[string]unsaved // by the conversation's id
}

// unsaved is a conversation as the disk does not have it.
type unsaved struct {
	session state.Session
	changes []func(*state.Session) // that the disk lacks
}

// NewMemory remembers in store the conversation that binding names.
func NewMemory(store *state.Store, binding *hook.Binding) *Memory {
	return &Memory{store: store, binding: binding, unsaved: map[string]unsaved{}}
}

func (m *Memory) load() state.Session {
	if m.binding == nil {
		return state.Session{}
	}
	id := m.binding.Session()
	m.mu.Lock()
	defer m.mu.Unlock()
	if u, ok := m.unsaved[id]; ok {
		return u.session
	}
	// What cannot be read is as good as nothing; the store keeps it aside at the
	// next write.
	s, _ := m.store.Load(id)
	return s
}

// update changes what is remembered: on disk or, where that fails, here until it
// works again. The error tells of the disk; the change itself is made in any
// case. change must do no harm where it is made once more.
func (m *Memory) update(id string, change func(*state.Session)) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	m.mu.Lock()
	changes := append(slices.Clip(m.unsaved[id].changes), change)
	m.mu.Unlock()
	s, err := m.store.Update(id, func(s *state.Session) {
		for _, change := range changes {
			change(s)
		}
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil {
		delete(m.unsaved, id)
		return nil
	}
	m.unsaved[id] = unsaved{s, changes}
	if errors.Is(err, state.ErrNoSession) {
		return nil // there is no place for it on disk
	}
	return err
}

// used remembers a completed call, the latest last.
func (m *Memory) used(session, id string) error {
	if known := m.load().Used; len(known) > 0 && known[len(known)-1] == id {
		return nil
	}
	return m.update(session, func(s *state.Session) {
		s.Used = slices.DeleteFunc(s.Used, func(u string) bool { return u == id })
		s.Used = append(s.Used, id)
	})
}

// shown picks the tools that are listed beside the kernel, as positions in the
// catalogue, in its order: those that are pinned, in use, revealed, of an
// enabled capability and, in narrow mode, fit the current prompt; families that
// only work whole as one. Of a hidden family only the first three are.
// When they are too many the least recently revealed go first.
func (m *Memory) shown(md mode, cfg config.Gateway, c *catalog) []int {
	s := m.load()
	var picked []int
	add := func(match func(listing.Tool) bool) {
		for i, t := range c.tools {
			if match(t) && !slices.Contains(picked, i) {
				picked = append(picked, i)
			}
		}
	}
	whole := func(t listing.Tool) bool {
		return slices.ContainsFunc(cfg.FamiliesWhole, func(f string) bool {
			return inFamily(t, f) && slices.ContainsFunc(picked, func(i int) bool { return inFamily(c.tools[i], f) })
		})
	}
	for _, pin := range cfg.Pin {
		add(func(t listing.Tool) bool { ok, _ := path.Match(pin, t.ID()); return ok || pin == t.ID() })
	}
	for _, id := range slices.Backward(s.Used) {
		add(func(t listing.Tool) bool { return t.ID() == id })
	}
	for _, id := range slices.Backward(s.Revealed) {
		add(func(t listing.Tool) bool { return t.ID() == id || t.Server == id || inFamily(t, id) })
	}
	hidden := c.hides(s.Hidden)
	add(func(t listing.Tool) bool { return c.rules.bringing[t.Server] && !hidden(t) })
	if md == narrow {
		for _, id := range s.Relevant[:min(len(s.Relevant), cfg.NarrowTo)] {
			add(func(t listing.Tool) bool { return t.ID() == id && !hidden(t) })
		}
	}
	add(func(t listing.Tool) bool { return whole(t) && !hidden(t) })
	picked = picked[:min(len(picked), mostListed)]
	slices.Sort(picked)
	return picked
}

// inFamily reports whether a tool belongs to a family of tools: its server is
// named so, or a word of its name or its server's is the family's.
func inFamily(t listing.Tool, family string) bool {
	if strings.EqualFold(t.Server, family) {
		return true
	}
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	for _, w := range append(strings.FieldsFunc(t.Server, notLetter), strings.FieldsFunc(t.Name, notLetter)...) {
		if strings.EqualFold(strings.TrimSuffix(w, "s"), strings.TrimSuffix(family, "s")) {
			return true
		}
	}
	return false
}
