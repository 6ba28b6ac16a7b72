package capability

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// What was announced is as good as enabled for whoever disables it: it does not
// come afterwards, be its tap still there or not.
func TestWhatWasAnnouncedIsDisabledOnceItIsEnabled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by        string
		meanwhile func(*world)
		disable   func(*Registry) (Change, error)
	}{
		"by its name":           {"prompt", func(*world) {}, func(r *Registry) (Change, error) { return r.Disable(t.Context(), "a") }},
		"its tap is gone":       {"prompt", func(w *world) { w.list = nil }, func(r *Registry) (Change, error) { return r.Disable(t.Context(), "a") }},
		"with its organisation": {"prompt", func(w *world) { w.list = nil }, func(r *Registry) (Change, error) { return r.Disable(t.Context(), "acme/a") }},
		"with its skill": {"skill:knitting", func(*world) {}, func(r *Registry) (Change, error) {
			done := r.Release(t.Context(), "skill:knitting")
			if len(done) != 1 {
				return Change{}, errors.New("nothing was released")
			}
			return done[0], nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simple("a")...)
			r := w.registry()
			enable := r.Announce("a", c.by)
			c.meanwhile(w)
			disabled := make(chan error, 1)
			go func() {
				done, err := c.disable(r)
				if err == nil && done.Name != "a" {
					err = errors.New("it disabled " + done.Name)
				}
				disabled <- err
			}()
			r.queued(t, "acme/a")
			if len(disabled) > 0 {
				t.Error("it does not wait")
			}
			if _, err := enable(t.Context()); err != nil {
				t.Error(err)
			}
			if err := <-disabled; err != nil {
				t.Error(err)
			}
			w.want(r, "", "")
			consistent(t, r, w.fleet)
		})
	}
}

// Turns come in the order in which they were announced, whoever runs first.
func TestTheLastOneWhoAskedDecides(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a")...)
	r := w.registry()
	first := r.Announce("a", "prompt")
	disabled := make(chan struct{})
	go func() {
		defer close(disabled)
		if _, err := r.Disable(context.Background(), "a"); err != nil {
			t.Error(err)
		}
	}()
	r.queued(t, "acme/a")
	last := r.Announce("a", "model")
	done := make(chan Change)
	go func() {
		c, err := last(context.Background())
		if err != nil {
			t.Error(err)
		}
		done <- c
	}()
	if _, err := first(t.Context()); err != nil {
		t.Error(err)
	}
	<-disabled
	if c := <-done; c.Already {
		t.Error("it ran before what it came after")
	}
	w.want(r, "a", "a")
	if e, _ := r.Find("a"); !slices.Equal(e.By, []string{"model"}) {
		t.Errorf("it is active for %v", e.By)
	}
}

func TestAnAnnouncementThatIsGivenUpLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a")...)
	r := w.registry()
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := r.Announce("a", "prompt")(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	var unknown *UnknownError
	if _, err := r.Announce("none-such", "prompt")(t.Context()); !errors.As(err, &unknown) {
		t.Errorf("%v", err)
	}
	if len(r.ops) > 0 || len(r.coming) > 0 {
		t.Errorf("%d turns and %d activations are kept for nobody", len(r.ops), len(r.coming))
	}
	if c, err := r.Disable(t.Context(), "a"); err != nil || !c.Already {
		t.Errorf("%+v, %v", c, err)
	}
	w.want(r, "", "")
}
