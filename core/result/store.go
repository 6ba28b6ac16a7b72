package result

import (
	"container/list"
	"fmt"
	"sync"
	"unicode/utf8"
)

// Store keeps the whole text of results that were cut, within a number of
// bytes: the least recently read go first. It lives as long as its session.
type Store struct {
	max int

	mu      sync.Mutex
	last    int // number of handles given out
	size    int
	entries map[string]*list.Element
	recent  *list.List // of entry, most recently used first
}

type entry struct{ handle, text string }

// NewStore returns a store of at most max bytes.
func NewStore(max int) *Store {
	return &Store{max: max, entries: map[string]*list.Element{}, recent: list.New()}
}

// put keeps text, also one that is longer than the store, as long as nothing
// follows it.
func (s *Store) put(text string) (handle string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	handle = fmt.Sprintf("r%d", s.last)
	s.entries[handle] = s.recent.PushFront(entry{handle, text})
	s.size += len(text)
	for s.size > s.max && s.recent.Len() > 1 {
		old := s.recent.Remove(s.recent.Back()).(entry)
		delete(s.entries, old.handle)
		s.size -= len(old.text)
	}
	return handle
}

// Part is a piece of a kept text.
type Part struct {
	Text   string
	Offset int // in bytes, where Text begins
	Next   int // where to read on, 0 at the end
	Total  int // bytes of the whole text
}

// Read returns the text of a handle from offset on, at most limit tokens of it.
// An offset inside a character begins with that character.
func (s *Store) Read(handle string, offset, limit int) (Part, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[handle]
	if !ok {
		return Part{}, fmt.Errorf("handle %q is not kept (any more): call the tool again", handle)
	}
	s.recent.MoveToFront(e)
	text := e.Value.(entry).text
	if offset < 0 || offset > len(text) {
		return Part{}, fmt.Errorf("offset %d is outside the result, which has %d bytes", offset, len(text))
	}
	for offset > 0 && offset < len(text) && !utf8.RuneStart(text[offset]) {
		offset--
	}
	rest := text[offset:]
	end := boundary(rest, limit*4)
	p := Part{Text: rest[:end], Offset: offset, Total: len(text)}
	if offset+end < len(text) {
		p.Next = offset + end
	}
	return p, nil
}
