package gateway

import (
	"cmp"
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
	var at []int
	for _, p := range m.pick(md, cfg, c) {
		at = append(at, p.at)
	}
	return at
}

// pick is a tool that is listed beside the kernel.
type pick struct {
	at  int    // its position in the catalogue
	why string // completes "it is"
}

// pick is shown with the reasons.
func (m *Memory) pick(md mode, cfg config.Gateway, c *catalog) []pick {
	s := m.load()
	var picked []pick
	add := func(why string, match func(listing.Tool) bool) {
		for i, t := range c.tools {
			if match(t) && !slices.ContainsFunc(picked, func(p pick) bool { return p.at == i }) {
				picked = append(picked, pick{i, why})
			}
		}
	}
	whole := func(t listing.Tool) bool {
		return slices.ContainsFunc(cfg.FamiliesWhole, func(f string) bool {
			return inFamily(t, f) && slices.ContainsFunc(picked, func(p pick) bool { return inFamily(c.tools[p.at], f) })
		})
	}
	for _, pin := range cfg.Pin {
		add("pinned", func(t listing.Tool) bool { ok, _ := path.Match(pin, t.ID()); return ok || pin == t.ID() })
	}
	for _, id := range slices.Backward(s.Used) {
		add("in use", func(t listing.Tool) bool { return t.ID() == id })
	}
	for _, id := range slices.Backward(s.Revealed) {
		add("revealed with its family", func(t listing.Tool) bool { return t.ID() == id || t.Server == id || inFamily(t, id) })
	}
	hidden := c.hides(s.Hidden)
	add("of an enabled capability", func(t listing.Tool) bool { return c.rules.bringing[t.Server] && !hidden(t) })
	if md == narrow {
		for _, id := range s.Relevant[:min(len(s.Relevant), cfg.NarrowTo)] {
			add("fit for the prompt", func(t listing.Tool) bool { return t.ID() == id && !hidden(t) })
		}
	}
	add("of a family that is listed whole", func(t listing.Tool) bool { return whole(t) && !hidden(t) })
	picked = picked[:min(len(picked), mostListed)]
	slices.SortFunc(picked, func(a, b pick) int { return cmp.Compare(a.at, b.at) })
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
