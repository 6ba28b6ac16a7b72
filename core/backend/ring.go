package backend

import (
	"slices"
	"strings"
	"sync"
)

// ringSize bounds, in bytes, what is kept of a server's stderr.
const ringSize = 64 << 10

// ring keeps the end of what is written to it.
type ring struct {
	mu   sync.Mutex
	buf  []byte
	next int
}

// Write never fails.
func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	p = p[max(0, n-ringSize):]
	if room := ringSize - len(r.buf); room > 0 {
		k := min(room, len(p))
		r.buf = append(r.buf, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 { // full: the oldest goes
		k := copy(r.buf[r.next:], p)
		r.next = (r.next + k) % ringSize
		p = p[k:]
	}
	return n, nil
}

// tail returns the last lines that are not blank, at most n of them and 600
// bytes in all, joined by " | ".
func (r *ring) tail(n int) string {
	const most = 600
	text := string(r.bytes())
	var lines []string
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	text = strings.Join(lines[max(0, len(lines)-n):], " | ")
	if len(text) > most {
		text = "…" + text[len(text)-most:]
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// bytes is all that is kept.
func (r *ring) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Concat(r.buf[r.next:], r.buf[:r.next])
}
