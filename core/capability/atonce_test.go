package capability

import (
	"context"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/tap"
)

// held is a registry in which the activation of a waits for its server.
func held(t *testing.T, w *world) (r *Registry, enabled chan Change, release func()) {
	t.Helper()
	hold := make(chan struct{})
	w.fleet.hold["a"] = hold
	r = w.registry()
	enabled = make(chan Change, 2)
	go func() { enabled <- activated(t, r, "a") }()
	<-w.fleet.began
	return r, enabled, func() { close(hold) }
}

func activated(t *testing.T, r *Registry, name string) Change {
	c, err := r.Enable(context.Background(), name, "prompt")
	if err != nil {
		t.Errorf("enable %s: %v", name, err)
	}
	return c
}

// queued waits until somebody waits for their turn with what has a name that
// begins so.
func (r *Registry) queued(t *testing.T, prefix string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		waiting := false
		r.mu.Lock()
		for name, o := range r.ops {
			waiting = waiting || strings.HasPrefix(name, prefix) && o.waiting > 1
		}
		r.mu.Unlock()
		if waiting {
			return
		}
	}
	t.Fatal("nobody waits")
}

func TestTwoWhoEnableOneCapabilityAtOnceEnableItOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b")...)
	r, enabled, release := held(t, w)
	go func() { enabled <- activated(t, r, "a") }()
	r.queued(t, "acme/a")
	release()
	if first, second := <-enabled, <-enabled; first.Already == second.Already {
		t.Errorf("%+v and %+v", first, second)
	}
	w.want(r, "a", "a")
	consistent(t, r, w.fleet)
}

func TestWhoDisablesWhatIsBeingEnabledWaitsForIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a")...)
	r, enabled, release := held(t, w)
	disabled := make(chan Change, 1)
	go func() {
		c, err := r.Disable(context.Background(), "a")
		if err != nil {
			t.Error(err)
		}
		disabled <- c
	}()
	r.queued(t, "acme/a")
	release()
	<-enabled
	if c := <-disabled; c.Already {
		t.Error("it found nothing to disable")
	}
	w.want(r, "", "")
}

// A turn that is given on is still one turn at a time.
func TestEachHasTheirTurn(t *testing.T) {
	t.Parallel()
	r := newWorld(t).registry()
	unlock := r.one("x")
	second, third := make(chan func(), 1), make(chan func(), 1)
	go func() { second <- r.one("x") }()
	r.queued(t, "x")
	unlock()
	unlock = <-second
	go func() { third <- r.one("x") }()
	r.queued(t, "x")
	if len(third) > 0 {
		t.Error("two have the turn at once")
	}
	unlock()
	(<-third)()
	if len(r.ops) > 0 {
		t.Errorf("%d turns are kept for nobody", len(r.ops))
	}
}

// A wish that comes while others are met is not lost.
func TestAWishThatComesWhileOthersAreMetIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b")...)
	hold := make(chan struct{})
	w.fleet.hold["a"] = hold
	r := w.registry()
	r.Bind(t.Context(), "s1")
	hook := w.cold()
	if _, err := hook.Enable(t.Context(), "a", "prompt"); err != nil {
		t.Fatal(err)
	}
	met := make(chan int, 1)
	go func() { met <- len(r.Sync(context.Background())) }()
	<-w.fleet.began
	if _, err := hook.Enable(t.Context(), "b", "prompt"); err != nil {
		t.Fatal(err)
	}
	close(hold)
	if n := <-met; n != 1 {
		t.Errorf("%d wishes were met", n)
	}
	w.want(r, "a", "a")
	r.Sync(t.Context())
	w.want(r, "a b", "a b")
}

func TestWhoeverWantsToKnowIsToldOfEachChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a")...)
	told := make(chan struct{}, 10)
	w.opts.Changed = func() { told <- struct{}{} }
	w.opts.MaxActive = 0 // as good as 1
	r := w.registry()
	for _, change := range []func(){func() { enable(t, r, "a") }, func() { disable(t, r, "a") }, r.Clear, func() { enable(t, r, "a") }} {
		change()
		select {
		case <-told:
		case <-time.After(30 * time.Second):
			t.Fatal("nobody was told")
		}
	}
	w.want(r, "a", "a")
}

func toolchain(name, root string, deps ...string) tap.Capability {
	c := capability(name)
	c.Root, c.Deps = root, deps
	return c
}

func TestAnInstallerThatTwoNeedRunsOnceAndNeverBesideItself(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	script(t, root, "acme/tool", "exit 0")
	w := newWorld(t, toolchain("one", root, "acme/tool"), toolchain("two", root, "acme/tool"))
	began, hold := make(chan struct{}, 2), make(chan struct{})
	var running, ran atomic.Int32
	w.opts.Install = func(context.Context, tap.Script) error {
		if running.Add(1) > 1 {
			t.Error("it runs twice at once")
		}
		defer running.Add(-1)
		ran.Add(1)
		began <- struct{}{}
		<-hold
		return nil
	}
	r := w.registry()
	done := make(chan Change, 2)
	go func() { done <- activated(t, r, "one") }()
	<-began
	go func() { done <- activated(t, r, "two") }()
	r.queued(t, "installer ")
	close(hold)
	<-done
	<-done
	if n := ran.Load(); n != 1 {
		t.Errorf("ran %d times", n)
	}
}

// The script that runs is the one that was approved, whatever it was when the
// capability was looked at.
func TestAnInstallerThatChangesWhileAnotherRunsIsNotRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	script(t, root, "acme/first", "exit 0")
	second := script(t, root, "acme/second", "exit 0")
	w := newWorld(t, toolchain("both", root, "acme/first", "acme/second"))
	w.opts.Install = func(_ context.Context, s tap.Script) error {
		if s.Name != "acme/first" {
			t.Errorf("%s ran", s.Name)
		}
		return os.WriteFile(second, []byte("rm -rf /\n"), 0o600)
	}
	_, err := w.registry().Enable(t.Context(), "both", "prompt")
	blocked(t, err, Approval, "another one")
}
