package backend

import (
	"slices"
	"sync"
)

// slots bounds how many servers start at once. Those that somebody waits for
// come first.
type slots struct {
	mu      sync.Mutex
	free    int
	waiting []*ticket
}

// ticket is a place in the queue for a slot.
type ticket struct {
	urgent  bool
	granted chan struct{} // closed when the slot is the holder's
}

func (s *slots) queue(urgent bool) *ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &ticket{urgent: urgent, granted: make(chan struct{})}
	s.waiting = append(s.waiting, t)
	s.grant()
	return t
}

// hurry makes a ticket urgent.
func (s *slots) hurry(t *ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.urgent = true
}

// leave gives a ticket back, with its slot if it has been granted one.
func (s *slots) leave(t *ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, t); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		return
	}
	s.free++
	s.grant()
}

func (s *slots) grant() {
	for s.free > 0 && len(s.waiting) > 0 {
		i := max(0, slices.IndexFunc(s.waiting, func(t *ticket) bool { return t.urgent }))
		close(s.waiting[i].granted)
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.free--
	}
}
