package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/gateway"
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

// described is the fake host's adapter that says something else of itself.
type described struct {
	fake
	plugins.Description
}

func (d described) Describe(context.Context) (plugins.Description, error) { return d.Description, nil }

func TestWhoAsksIsToldByTheEventsOfTheAdapter(t *testing.T) {
	t.Parallel()
	sample := func(kinds ...string) (all []plugins.EventSpec) {
		for _, kind := range kinds {
			all = append(all, plugins.EventSpec{Name: kind, Sample: []byte(`{"Kind":"` + kind + `","Dir":"{{WORKSPACE}}"}`)})
		}
		return all
	}
	p := &program{options: options{workspace: t.TempDir()}}
	for _, tt := range []struct {
		asks   bool
		events []plugins.EventSpec
		want   gateway.Asker
	}{
		{false, sample("prompt", "tool_before"), gateway.GatewayAsks},
		{true, sample("prompt", "tool_before", "tool_after"), gateway.HookAsks},
		{true, sample("prompt", "tool_after"), gateway.HostAsks},
		{true, nil, gateway.HostAsks},
	} {
		got, err := p.asker(t.Context(), described{Description: plugins.Description{AsksPermission: tt.asks, Events: tt.events}})
		if got != tt.want || err != nil {
			t.Errorf("%+v: %v, %v", tt, got, err)
		}
	}
	broken := plugins.Description{AsksPermission: true, Events: []plugins.EventSpec{{Name: "Before", Sample: []byte("{")}}}
	if _, err := p.asker(t.Context(), described{Description: broken}); err == nil || !strings.Contains(err.Error(), "Before") {
		t.Errorf("a sample that is none: %v", err)
	}
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
