package rpc

import (
	"errors"
	"io"
	"sync"
)

// maxQueued bounds, in bytes, what waits for an other end that does not read.
const maxQueued = 256 << 20

var errNotReading = errors.New("the other end does not read")

// queue writes lines, one Write each, in the order in which they were put. A
// caller never waits for the other end to read: it can always give up on its
// call, and a stuck peer holds up nobody else.
type queue struct {
	w    io.Writer
	fail func(error) // told, once, why writing ended

	mu      sync.Mutex
	lines   [][]byte
	size    int
	writing bool
	err     error
	idle    *sync.Cond
}

func newQueue(w io.Writer, fail func(error)) *queue {
	q := &queue{w: w, fail: fail}
	q.idle = sync.NewCond(&q.mu)
	return q
}

func (q *queue) put(line []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil {
		return q.err
	}
	if q.size+len(line) > maxQueued && q.size > 0 {
		return errNotReading
	}
	q.lines = append(q.lines, line)
	q.size += len(line)
	if !q.writing {
		q.writing = true
		go q.drain()
	}
	return nil
}

// drain writes until nothing is left, then ends.
func (q *queue) drain() {
	q.mu.Lock()
	for len(q.lines) > 0 && q.err == nil {
		line := q.lines[0]
		q.lines[0] = nil
		q.lines = q.lines[1:]
		q.mu.Unlock()
		_, err := q.w.Write(line)
		q.mu.Lock()
		q.size -= len(line)
		q.err = err
	}
	q.writing = false
	q.lines = nil // either written or never to be
	err := q.err
	q.idle.Broadcast()
	q.mu.Unlock()
	if err != nil {
		q.fail(err)
	}
}

// flush waits until everything that was put is written or cannot be.
func (q *queue) flush() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.writing {
		q.idle.Wait()
	}
}
