package main

import (
	"context"
	"sync"
)

// wakes has a channel for each session that is to look at its lists again. A
// shared one would wake the session that happens to read first, and no other.
type wakes struct {
	mu  sync.Mutex
	all map[chan struct{}]bool
}

// until makes the channel of a session, which ends with ctx.
func (w *wakes) until(ctx context.Context) <-chan struct{} {
	wake := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[chan struct{}]bool{}
	}
	w.all[wake] = true
	context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.all, wake)
	})
	return wake
}

// wake wakes every session.
func (w *wakes) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for wake := range w.all {
		select {
		case wake <- struct{}{}:
		default: // it is to wake up anyway
		}
	}
}
