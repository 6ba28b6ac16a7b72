package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/plugins"
)

// waiter is a context in which something happens as soon as it is waited for.
type waiter struct {
	context.Context
	meanwhile func()
}

func (w waiter) Done() <-chan struct{} {
	w.meanwhile()
	return nil
}

func TestWhoWaitsForAStartThatFailsIsToldSoThoughAnotherOneHasBegun(t *testing.T) {
	t.Parallel()
	failed, over := errors.New("there is no adapter"), make(chan struct{})
	defer close(over)
	starts := make(chan func() error, 2)
	starts <- func() error { return failed }
	starts <- func() error { <-over; return failed }
	a := &adapter{open: func(context.Context) (*plugins.Client, error) { return nil, (<-starts)() }}
	locked := func(do func()) {
		a.mu.Lock()
		defer a.mu.Unlock()
		do()
	}
	locked(func() {
		a.start()
		a.at = time.Now().Add(time.Hour) // so that nobody tries again
	})
	c, err := a.use(waiter{t.Context(), func() {
		if _, err := a.use(context.Background()); !errors.Is(err, failed) {
			t.Errorf("the first start: %v", err)
		}
		locked(func() { a.at = time.Time{} })
		gone, leave := context.WithCancel(context.Background())
		leave()
		if _, err := a.use(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("the second start: %v", err)
		}
	}})
	if c != nil || !errors.Is(err, failed) {
		t.Errorf("who waited for the first start gets %v, %v", c, err)
	}
}
