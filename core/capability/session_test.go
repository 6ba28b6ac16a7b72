package capability

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// cold is a registry of the same session in a process that cannot start
// servers, as a hook's is.
func (w *world) cold() *Registry {
	o := w.opts
	o.Servers = nil
	return New(o)
}

func TestPreloadStopsWhenFullAndNamesTheRest(t *testing.T) {
	t.Parallel()
	unset := capability("unset", srv("u", "{{ENV:NOBODYS}}"))
	w := newWorld(t, append(simple("a", "b", "c", "d", "e", "f"), unset)...)
	r := w.registry()
	w.fleet.fails["b"] = errNoStart
	r.Preload(t.Context(), []string{"a", "a", "nobody", "unset", "b", "c", "d", "e", "f", "acme/a"})
	w.want(r, "a c d e", "a c d e")
	lines := strings.Join(r.Warnings(), "\n")
	for _, part := range []string{"start b: exit status 1", "f is not preloaded: 4 are active", `"nobody"`, "NOBODYS is not set"} {
		if !strings.Contains(lines, part) {
			t.Errorf("the warnings do not say %q:\n%s", part, lines)
		}
	}
	if n := len(r.Warnings()); n != 4 {
		t.Errorf("%d warnings:\n%s", n, lines)
	}
	why := map[string]string{}
	for _, s := range r.Status() {
		why[s.Name] = s.Blocked
	}
	for name, part := range map[string]string{"f": "not preloaded", "nobody": "no capability", "unset": "NOBODYS", "b": "exit status 1", "a": ""} {
		if got, ok := why[name]; !ok || !strings.Contains(got, part) || (part == "") != (got == "") {
			t.Errorf("status of %s: %q", name, got)
		}
	}
	delete(w.fleet.fails, "b")
	enable(t, r, "b") // by name it may, and its warning goes
	w.want(r, "c d e b", "b c d e")
	if n := len(r.Warnings()); n != 3 {
		t.Errorf("%d warnings: %v", n, r.Warnings())
	}
}

func TestResumeKeepsTheStateAndClearResetsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b", "c")...)
	r := w.registry()
	if !r.Bind(t.Context(), "s1") {
		t.Error("a new conversation is not to be preloaded")
	}
	r.Preload(t.Context(), nil)
	enable(t, r, "a", "b", "c")
	r.Used("a", "x")
	r.Close()
	w.want(r, "", "")

	again := w.registry()
	if again.Bind(t.Context(), "s1") {
		t.Error("a resumed conversation is to be preloaded")
	}
	w.want(again, "b c a", "a b c")
	disable(t, again, "c")

	again.Bind(t.Context(), "s2") // what /clear gives on one host
	w.want(again, "", "")
	enable(t, again, "c")
	again.Bind(t.Context(), "s1")
	w.want(again, "b a", "a b")
	again.Bind(t.Context(), "s1")
	w.want(again, "b a", "a b")
	again.Clear() // what it gives on another
	w.want(again, "", "")
	again.Close()
	last := w.registry()
	last.Bind(t.Context(), "s1")
	w.want(last, "", "")
}

// The server that two conversations need is not restarted between them.
func TestAServerOfBothConversationsRunsOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b")...)
	r := w.registry()
	r.Bind(t.Context(), "s1")
	enable(t, r, "a")
	r.Bind(t.Context(), "s2")
	enable(t, r, "b", "a")
	history := len(w.fleet.history)
	r.Bind(t.Context(), "s1")
	if got := strings.Join(w.fleet.history[history:], " "); got != "-b" {
		t.Errorf("between the two: %s", got)
	}
}

func TestWhatIsActiveBeforeTheHostTellsTheConversationStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b")...)
	w.opts.Session = ""
	r := w.registry()
	enable(t, r, "a")
	r.Bind(t.Context(), "s9")
	w.want(r, "a", "a")
	s, err := w.sessions.Load("s9")
	if err != nil || len(s.Capabilities) != 1 || s.Capabilities[0].Ref != "acme/a" {
		t.Errorf("%+v, %v", s, err)
	}
}

// The host may tell its conversation while the first capability still starts.
func TestAnActivationSurvivesThatTheHostTellsTheConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b")...)
	w.opts.Session = ""
	r := w.registry()
	hold := make(chan struct{})
	w.fleet.hold["a"] = hold
	done := make(chan error)
	go func() { _, err := r.Enable(t.Context(), "a", "preload"); done <- err }()
	<-w.fleet.began
	r.Bind(t.Context(), "s9")
	close(hold)
	if err := <-done; err != nil {
		t.Errorf("got %v", err)
	}
	w.want(r, "a", "a")
}

// One that begins in another conversation's place ends in nobody's.
func TestAnActivationOfAConversationThatIsOverLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]func(*Registry){
		"another one": func(r *Registry) { r.Bind(t.Context(), "s2") },
		"cleared":     (*Registry).Clear,
		"closed":      (*Registry).Close,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, simple("a")...)
			r := w.registry()
			r.Bind(t.Context(), "s1")
			hold := make(chan struct{})
			w.fleet.hold["a"] = hold
			done := make(chan error)
			go func() { _, err := r.Enable(t.Context(), "a", "prompt"); done <- err }()
			<-w.fleet.began
			over(r)
			close(hold)
			if err := <-done; !errors.Is(err, ErrSession) {
				t.Errorf("got %v", err)
			}
			w.want(r, "", "")
		})
	}
}

// However long it takes before a server is so much as looked at: an installer
// runs, or somebody else has the turn.
func TestAnActivationThatWaitsIsForTheConversationThatAskedForIt(t *testing.T) {
	t.Parallel()
	t.Run("for an installer", func(t *testing.T) {
		t.Parallel()
		root := t.TempDir()
		script(t, root, "acme/tool", "exit 0")
		c := toolchain("a", root, "acme/tool")
		c.Servers = simple("a")[0].Servers
		w := newWorld(t, c)
		began, hold := make(chan struct{}), make(chan struct{})
		w.opts.Install = func(context.Context, tap.Script) error {
			close(began)
			<-hold
			return nil
		}
		r := w.registry()
		r.Bind(t.Context(), "s1")
		done := make(chan error)
		go func() { _, err := r.Enable(t.Context(), "a", "prompt"); done <- err }()
		<-began
		r.Bind(t.Context(), "s2")
		close(hold)
		if err := <-done; !errors.Is(err, ErrSession) {
			t.Errorf("got %v", err)
		}
		w.want(r, "", "")
	})
	t.Run("for its turn", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, simple("a")...)
		r := w.registry()
		r.Bind(t.Context(), "s1")
		end := r.one("acme/a")
		enable := r.Announce("a", "prompt")
		r.Bind(t.Context(), "s2")
		end()
		if _, err := enable(t.Context()); !errors.Is(err, ErrSession) {
			t.Errorf("got %v", err)
		}
		w.want(r, "", "")
		if s, err := w.sessions.Load("s2"); err != nil || len(s.Capabilities) > 0 {
			t.Errorf("saved %+v, %v", s.Capabilities, err)
		}
	})
}

// A capability that the conversation had, and the role has now, is the role's,
// whichever of them is looked at first.
func TestWhatTheRoleHasNowIsStaticInAConversationThatHadItActive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b")...)
	first := w.registry()
	first.Bind(t.Context(), "s1")
	enable(t, first, "a", "b")
	first.Close()
	w.opts.Role = []string{"a"}
	for name, order := range map[string][]func(*Registry){
		"the role first":         {func(r *Registry) { r.StartRole(t.Context()) }, func(r *Registry) { r.Bind(t.Context(), "s1") }},
		"the conversation first": {func(r *Registry) { r.Bind(t.Context(), "s1") }, func(r *Registry) { r.StartRole(t.Context()) }},
	} {
		r := w.registry()
		for _, do := range order {
			do(r)
		}
		w.want(r, "b", "a b")
		consistent(t, r, w.fleet)
		if _, err := r.Disable(t.Context(), "a"); err == nil {
			t.Errorf("%s: a capability of the role was disabled", name)
		}
		if s, err := w.sessions.Load("s1"); err != nil || len(s.Capabilities) != 1 {
			t.Errorf("%s: saved %+v, %v", name, s.Capabilities, err)
		}
		r.Close()
		if _, err := w.sessions.Update("s1", func(s *state.Session) {
			s.Capabilities = []state.Capability{{Ref: "acme/a", By: []string{"user"}}, {Ref: "acme/b", By: []string{"user"}}}
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// What can be neither started nor resolved any more is left out, and said.
func TestResumeLeavesOutWhatIsNoLongerAllowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b", "c", "d")...)
	r := w.registry()
	r.Bind(t.Context(), "s1")
	enable(t, r, "a", "b", "c", "d")
	r.Close()
	changed := simple("b")[0]
	changed.Servers[0].Command = "other"
	w.list = append(simple("c", "d"), changed)
	w.fleet.fails["c"] = errNoStart
	again := w.registry()
	again.Bind(t.Context(), "s1")
	w.want(again, "d", "d")
	lines := strings.Join(again.Warnings(), "\n")
	for _, part := range []string{"acme/a was active", "b cannot be enabled", "start c"} {
		if !strings.Contains(lines, part) {
			t.Errorf("the warnings do not say %q:\n%s", part, lines)
		}
	}
}

func TestAnActiveCapabilityStaysAsItWasEnabledWhenItsTapChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, capability("a", srv("a", "a-mcp", "one")), simple("b")[0])
	r := w.registry()
	enable(t, r, "a")
	w.list = []tap.Capability{capability("a", srv("a", "a-mcp", "*"))}
	if r.Admits("a", "two") {
		t.Error("an edit of the tap has exposed a tool")
	}
	w.list = nil
	disable(t, r, "a")
	w.want(r, "", "")
}

// A hook that finds no gateway, and the command line, cannot start anything.
func TestAWishOfAProcessWithoutServersIsMetByTheGateway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b", "c", "d", "e")...)
	r := w.registry()
	r.Bind(t.Context(), "s1")
	enable(t, r, "a", "b", "c", "d")
	hook := w.cold()
	c, err := hook.Enable(t.Context(), "e", "prompt")
	if err != nil || !c.Pending || len(c.Servers) != 1 || c.Servers[0].Server != "e" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := hook.Enable(t.Context(), "acme/e", "user"); err != nil {
		t.Error(err)
	}
	if s, err := w.sessions.Load("s1"); err != nil || len(s.Wanted) != 1 {
		t.Errorf("wished for twice: %+v, %v", s.Wanted, err)
	}
	if c, err := hook.Enable(t.Context(), "a", "prompt"); err != nil || !c.Already {
		t.Errorf("what is active: %+v, %v", c, err)
	}
	w.want(r, "a b c d", "a b c d")
	w.fleet.fails["e"] = errNoStart
	r.Sync(t.Context())
	w.want(r, "a b c d", "a b c d")
	if lines := strings.Join(r.Warnings(), " "); !strings.Contains(lines, "start e") {
		t.Errorf("warnings: %s", lines)
	}
	delete(w.fleet.fails, "e")
	if _, err := hook.Enable(t.Context(), "e", "prompt"); err != nil {
		t.Fatal(err)
	}
	r.Sync(t.Context())
	w.want(r, "b c d e", "b c d e")
	if c, err := hook.Disable(t.Context(), "b"); err != nil || !c.Pending {
		t.Errorf("%+v, %v", c, err)
	}
	r.Sync(t.Context())
	w.want(r, "c d e", "c d e")
	if s, err := w.sessions.Load("s1"); err != nil || len(s.Wanted) != 0 {
		t.Errorf("still wanted: %+v, %v", s.Wanted, err)
	}
	var names []string
	for _, e := range hook.List() {
		if e.Active {
			names = append(names, e.Name)
		}
	}
	if strings.Join(names, " ") != "c d e" {
		t.Errorf("the other process sees %v", names)
	}
}

func TestASkillsCapabilitiesGoWithTheLastThatNeedsThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b")...)
	r := w.registry()
	for _, skill := range []string{"skill:one", "skill:two"} {
		if _, err := r.Enable(t.Context(), "a", skill); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Enable(t.Context(), "b", "skill:one"); err != nil {
		t.Fatal(err)
	}
	enable(t, r, "b")
	r.Release(t.Context(), "skill:one")
	w.want(r, "a b", "a b")
	if s, err := w.sessions.Load("s1"); err != nil || strings.Join(s.Capabilities[0].By, " ") != "skill:two" {
		t.Errorf("saved as needed by %+v, %v", s.Capabilities, err)
	}
	if done := r.Release(t.Context(), "skill:two"); len(done) != 1 || done[0].Name != "a" {
		t.Errorf("released %+v", done)
	}
	w.want(r, "b", "b")
}

// The registry is per session: no session sees, starts or evicts what another
// one has. The predecessor's was the process's.
func TestFiftySessionsAtOnceEachHaveTheirOwn(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d", "e", "f"}
	list := append(simple(names...), capability("g", srv("a", "a-mcp", "extra"), srv("b", "b-mcp", "extra")))
	w := newWorld(t, list...)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			o := w.opts
			fleet := newFleet(t)
			o.Servers, o.Session = fleet, fmt.Sprintf("s%d", i)
			r := New(o)
			r.Bind(t.Context(), o.Session)
			var inner sync.WaitGroup
			for k := range 4 {
				inner.Go(func() { // four clients of one session, against each other
					for step := range 6 {
						name := append(names, "g")[(i+k*3+step)%7]
						if step%3 == 2 {
							_, _ = r.Disable(t.Context(), name)
						} else if _, err := r.Enable(t.Context(), name, "user"); err != nil {
							t.Errorf("session %d, %s: %v", i, name, err)
						}
						r.Used(name, "tool")
						r.Admits(name, "tool")
						r.Running()
						if n := len(actives(r)); n > 4 {
							t.Errorf("session %d has %d active", i, n)
						}
					}
				})
			}
			inner.Wait()
			consistent(t, r, fleet)
			s, err := w.sessions.Load(o.Session)
			var saved []string
			for _, c := range s.Capabilities {
				saved = append(saved, strings.TrimPrefix(c.Ref, "acme/"))
			}
			if err != nil || !slices.Equal(saved, actives(r)) {
				t.Errorf("session %d: saved %v, active %v, %v", i, saved, actives(r), err)
			}
			r.Clear()
			if len(fleet.running()) != 0 {
				t.Errorf("session %d: %v run on", i, fleet.running())
			}
		})
	}
	all.Wait()
}

// consistent checks that exactly those servers run that active capabilities
// need, each counted right.
func consistent(t *testing.T, r *Registry, f *fleet) {
	t.Helper()
	need := map[string]int{}
	r.mu.Lock()
	for i, a := range r.active {
		if find(r.active[:i], a.Pinned()) != nil || find(r.role, a.Pinned()) != nil {
			t.Errorf("%s is there twice", a.Ref)
		}
	}
	for i, a := range r.role {
		if find(r.role[:i], a.Pinned()) != nil {
			t.Errorf("%s is twice of the role", a.Ref)
		}
	}
	for _, a := range slices.Concat(r.active, r.role) {
		for _, u := range a.uses {
			if u.instance != nil {
				need[u.served]++
			}
		}
	}
	for name, inst := range r.instances {
		if inst.refs != need[name] {
			t.Errorf("%s has %d references, and %d need it", name, inst.refs, need[name])
		}
	}
	r.mu.Unlock()
	for name := range need {
		if !slices.Contains(f.running(), name) {
			t.Errorf("%s is needed and does not run", name)
		}
	}
	if len(need) != len(f.running()) {
		t.Errorf("run %v, needed %v", f.running(), need)
	}
}
