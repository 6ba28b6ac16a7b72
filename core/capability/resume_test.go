package capability

import (
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
