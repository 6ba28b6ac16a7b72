package main

import (
	"context"
	"testing"
)

func TestEverySessionWakesUpUntilItEnds(t *testing.T) {
	t.Parallel()
	var w wakes
	w.wake() // nobody is there
	ending, end := context.WithCancel(t.Context())
	first, second := w.until(t.Context()), w.until(ending)
	w.wake()
	w.wake()
	for _, wake := range []<-chan struct{}{first, second} {
		if len(wake) != 1 {
			t.Errorf("woken %d times", len(wake))
		}
	}
	end()
	eventually(t, "the session that has ended is forgotten", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.all) == 1
	})
}
