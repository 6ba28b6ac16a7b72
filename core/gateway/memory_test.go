package gateway

import (
	"os"
	"slices"
	"testing"

	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/state"
)

func TestWhatCouldNotBeWrittenIsRememberedAndWrittenWithTheNextChange(t *testing.T) {
	t.Parallel()
	store := state.Open(t.TempDir())
	m := NewMemory(store, hook.NewBinding("testhost", "/ws", "s"))
	note := func(name string, fails bool) {
		t.Helper()
		err := m.used("s", "fs:"+name)
		if (err != nil) != fails {
			t.Errorf("%s: %v", name, err)
		}
		err = m.update("s", func(s *state.Session) { s.Revealed = append(s.Revealed, "git:"+name) })
		if (err != nil) != fails {
			t.Errorf("%s: %v", name, err)
		}
	}
	remembers := func(names ...string) {
		t.Helper()
		var used, revealed []string
		for _, n := range names {
			used, revealed = append(used, "fs:"+n), append(revealed, "git:"+n)
		}
		if s := m.load(); !slices.Equal(s.Used, used) || !slices.Equal(s.Revealed, revealed) {
			t.Errorf("remembers %q and %q, want those of %q", s.Used, s.Revealed, names)
		}
	}
	note("before", false)

	lock := store.Dir() + ".lock"
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(lock, 0o700); err != nil {
		t.Fatal(err)
	}
	note("during", true)
	remembers("before", "during")

	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Update("s", func(s *state.Session) { s.Advised = true }); err != nil {
		t.Fatal(err)
	}
	note("after", false)
	remembers("before", "during", "after")
	if s, err := store.Load("s"); err != nil || !s.Advised || len(s.Used) != 3 || len(s.Revealed) != 3 {
		t.Errorf("on disk is %+v, %v", s, err)
	}

	// From then on what others write counts again.
	if _, err := store.Update("s", func(s *state.Session) { s.Used, s.Revealed = nil, nil }); err != nil {
		t.Fatal(err)
	}
	remembers()
}

func TestAConversationWithoutAnIDIsRememberedBesideThoseThatHaveOne(t *testing.T) {
	t.Parallel()
	b := hook.NewBinding("testhost", "/ws", "")
	m := NewMemory(state.Open(t.TempDir()), b)
	for _, call := range [][2]string{{"", "fs:a"}, {"", "fs:b"}, {"s", "fs:c"}, {"", "fs:a"}} {
		b.Bind(call[0])
		if err := m.used(call[0], call[1]); err != nil {
			t.Error(err)
		}
	}
	if used := m.load().Used; !slices.Equal(used, []string{"fs:b", "fs:a"}) {
		t.Errorf("remembers %q", used)
	}
	b.Bind("s")
	if used := m.load().Used; !slices.Equal(used, []string{"fs:c"}) {
		t.Errorf("remembers %q of the other", used)
	}
}
