package capability

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// max_active may have become less since.
func TestResumeKeepsToTheMostThatMayBeActive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b", "c", "d")...)
	first := w.registry()
	first.Bind(t.Context(), "s1")
	enable(t, first, "a", "b", "c", "d")
	first.Close()
	w.opts.MaxActive = 2
	r := w.registry()
	r.Bind(t.Context(), "s1")
	w.want(r, "c d", "c d")
}

func TestResumeRemembersForWhoseSakeSomethingIsActive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a")...)
	first := w.registry()
	first.Bind(t.Context(), "s1")
	if _, err := first.Enable(t.Context(), "a", "skill:one"); err != nil {
		t.Fatal(err)
	}
	first.Close()
	r := w.registry()
	r.Bind(t.Context(), "s1")
	if e, _ := r.Find("a"); strings.Join(e.By, " ") != "skill:one" {
		t.Errorf("active for %v", e.By)
	}
	r.Release(t.Context(), "skill:one")
	w.want(r, "", "")
}

// What is missing in one conversation is no word for another.
func TestWarningsAreThoseOfTheConversation(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]func(*Registry){
		"another one": func(r *Registry) { r.Bind(t.Context(), "s2") },
		"cleared":     (*Registry).Clear,
	} {
		w := newWorld(t, simple("a")...)
		r := w.registry()
		r.Bind(t.Context(), "s1")
		r.Preload(t.Context(), []string{"nobody"})
		if len(r.Warnings()) != 1 {
			t.Fatalf("%s: %v", name, r.Warnings())
		}
		over(r)
		if lines := r.Warnings(); len(lines) != 0 {
			t.Errorf("%s: %v", name, lines)
		}
	}
}

// A conversation that ends while it still comes back leaves nothing.
func TestAConversationThatIsOverWhileItResumesLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b")...)
	first := w.registry()
	first.Bind(t.Context(), "s1")
	enable(t, first, "a")
	first.Bind(t.Context(), "s2")
	enable(t, first, "b")
	first.Close()
	hold := make(chan struct{})
	w.fleet.hold["a"] = hold
	r := w.registry()
	bound := make(chan bool, 1)
	go func() { bound <- r.Bind(t.Context(), "s1") }()
	<-w.fleet.began
	r.Bind(t.Context(), "s2")
	close(hold)
	<-bound
	w.want(r, "b", "b")
	if s, err := w.sessions.Load("s2"); err != nil || len(s.Capabilities) != 1 || s.Capabilities[0].Ref != "acme/b" {
		t.Errorf("saved %+v, %v", s.Capabilities, err)
	}
	if s, err := w.sessions.Load("s1"); err != nil || len(s.Capabilities) != 1 || s.Capabilities[0].Ref != "acme/a" {
		t.Errorf("what it had is lost: %+v, %v", s.Capabilities, err)
	}
}

// A gateway that ends while a conversation still comes back in it leaves the
// conversation as it was, for the next one.
func TestAConversationWhoseGatewayEndsWhileItResumesKeepsWhatItHad(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]func(*Registry, context.CancelFunc){
		"closed":     func(r *Registry, _ context.CancelFunc) { r.Close() },
		"broken off": func(_ *Registry, end context.CancelFunc) { end() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simple("a")...)
			first := w.registry()
			first.Bind(t.Context(), "s1")
			enable(t, first, "a")
			first.Close()
			hold := make(chan struct{})
			w.fleet.hold["a"] = hold
			r := w.registry()
			ctx, end := context.WithCancel(t.Context())
			defer end()
			bound := make(chan bool, 1)
			go func() { bound <- r.Bind(ctx, "s1") }()
			<-w.fleet.began
			over(r, end)
			close(hold)
			<-bound
			r.Close()
			w.keeps("a")
		})
	}
}

// A change that was on its way is not written down once everything has stopped.
func TestWhatIsActiveStaysWrittenDownAfterTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a")...)
	r := w.registry()
	r.Bind(t.Context(), "s1")
	enable(t, r, "a")
	r.Close()
	r.save()
	w.keeps("a")
}

// keeps checks what the next process that serves the session makes active.
func (w *world) keeps(names ...string) {
	w.t.Helper()
	var saved []string
	s, err := w.sessions.Load("s1")
	for _, c := range s.Capabilities {
		saved = append(saved, strings.TrimPrefix(c.Ref, "acme/"))
	}
	if err != nil || !slices.Equal(saved, names) {
		w.t.Errorf("saved %v, want %v; %v", saved, names, err)
	}
}

// What was asked for and did not come, since the gateway ended, is still asked
// for in the next one.
func TestWhatTheEndOfAGatewayCutsOffIsStillToCome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b")...)
	r := w.registry()
	r.Bind(t.Context(), "s1")
	if _, err := w.cold().Enable(t.Context(), "a", "user"); err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	r.Sync(ended)
	r.Preload(ended, []string{"b"})
	if s, err := w.sessions.Load("s1"); err != nil || len(s.Wanted) != 1 || s.Preloaded {
		t.Errorf("wanted %+v, preloaded %v, %v", s.Wanted, s.Preloaded, err)
	}
	r.Close()
	next := w.registry()
	if !next.Bind(t.Context(), "s1") {
		t.Error("what it was to begin with is not looked at again")
	}
	next.Preload(t.Context(), []string{"b"})
	next.Sync(t.Context())
	w.want(next, "b a", "a b")
	if s, err := w.sessions.Load("s1"); err != nil || len(s.Wanted) != 0 || !s.Preloaded {
		t.Errorf("wanted %+v, preloaded %v, %v", s.Wanted, s.Preloaded, err)
	}
}
