package loader

import "testing"

// Whoever is told that something is enabled can disable it at once, although it
// is enabled in the background.
func TestWhatAPromptBringsInCanBeDisabledAtOnce(t *testing.T) {
	t.Parallel()
	s := newSkilled(t)
	s.put("alpha", "apple", "capabilities: one two three")
	l := s.loader(always("s1"))
	for range 50 {
		if line := l.Prompt(t.Context(), "an apple a day"); line == "" {
			t.Fatal("the prompt brings nothing in")
		}
		done, err := l.DisableSkill(t.Context(), "alpha")
		if err != nil || done.Already || len(done.Capabilities) != 3 {
			t.Fatalf("%+v, %v", done, err)
		}
		l.Wait(t.Context())
		for _, e := range l.Registry().List() {
			if e.Active {
				t.Fatalf("%s is active for %v", e.Name, e.By)
			}
		}
	}
}

func TestWhatIsOnItsWayWhenTheLoaderEndsComesNoMore(t *testing.T) {
	t.Parallel()
	s := newSkilled(t)
	s.put("alpha", "apple", "capabilities: one")
	l := New(s.options(always("s1")))
	l.Attach(&yard{}) // the host never says what it can do
	if line := l.Prompt(t.Context(), "an apple a day"); line == "" {
		t.Fatal("the prompt brings nothing in")
	}
	l.Close()
	l.starts.wait(t.Context())
	if c, err := l.Registry().Disable(t.Context(), "one"); err != nil || !c.Already {
		t.Errorf("%+v, %v", c, err)
	}
}
