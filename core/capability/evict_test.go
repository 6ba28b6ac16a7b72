package capability

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/ctx-sidecar/ctx/core/tap"
)

func TestTheLeastRecentlyUsedGoesWhenTheFifthComes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b", "c", "d", "e", "f")...)
	r := w.registry()
	enable(t, r, "a", "b", "c", "d")
	r.Used("a", "anything")
	if c := enable(t, r, "e"); strings.Join(c.Evicted, " ") != "b" {
		t.Errorf("evicted %v, want b: a was used after it", c.Evicted)
	}
	w.want(r, "c d a e", "a c d e")
	r.Used("nobody's", "tool")
	enable(t, r, "f")
	w.want(r, "d a e f", "a d e f")
}

// A newcomer that does not start must not have cost anything.
func TestEvictionHappensOnlyAfterTheNewcomerWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(simple("a", "b", "c", "d"), capability("e", srv("e1", "e1-mcp"), srv("e2", "e2-mcp")))...)
	r := w.registry()
	enable(t, r, "a", "b", "c", "d")
	w.fleet.fails["e2"] = errNoStart
	if _, err := r.Enable(t.Context(), "e", "user"); !errors.Is(err, errNoStart) {
		t.Errorf("got %v", err)
	}
	w.want(r, "a b c d", "a b c d")
	for _, step := range w.fleet.history {
		if step == "-a" {
			t.Error("the victim was stopped meanwhile")
		}
	}
	delete(w.fleet.fails, "e2")
	enable(t, r, "e")
	w.want(r, "b c d e", "b c d e1 e2")
}

// What the victim has in common with a newcomer that fails is not lost either.
func TestAFailedNewcomerLeavesSharedServersRunning(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(simple("b", "c", "d"),
		capability("a", srv("shared", "shared-mcp", "one")),
		capability("e", srv("shared", "shared-mcp", "two"), srv("e", "e-mcp")))...)
	r := w.registry()
	enable(t, r, "a", "b", "c", "d")
	w.fleet.fails["e"] = errNoStart
	if _, err := r.Enable(t.Context(), "e", "user"); err == nil {
		t.Error("e works without its server")
	}
	w.want(r, "a b c d", "b c d shared")
	if !r.Admits("shared", "one") || r.Admits("shared", "two") {
		t.Error("the tools of a are not what they were")
	}
}

func TestAServerThatFailsToStopIsLoggedAndActivationGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b", "c", "d", "e")...)
	r := w.registry()
	enable(t, r, "a", "b", "c", "d")
	w.fleet.stuck["a"] = errors.New("it ignores everything")
	c := enable(t, r, "e")
	w.want(r, "b c d e", "b c d e")
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "a did not stop: it ignores everything") {
		t.Errorf("warnings: %v", c.Warnings)
	}
}

// Recency follows whichever tool of whichever server: the predecessor touched
// only dynamic servers, and of those that share one an arbitrary one.
func TestUseCountsForEveryCapabilityThatOwnsTheTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(simple("x", "y"),
		capability("read", srv("files", "files-mcp", "view")),
		capability("write", srv("files", "files-mcp", "edit", "view")),
		capability("onhost", srv("host", "host-mcp", "query")))...)
	host := srv("host", "host-mcp").Server
	w.opts.Host = hostOf(host)
	w.opts.MaxActive = 5
	r := w.registry()
	enable(t, r, "read", "write", "onhost", "x", "y")
	r.Used("files", "edit")
	w.want(r, "read onhost x y write", "files x y")
	r.Used("files", "view")
	w.want(r, "onhost x y read write", "files x y")
	r.Used("host", "query")
	w.want(r, "x y read write onhost", "files x y")
	r.Used("host", "other")
	w.want(r, "x y read write onhost", "files x y")
}

func TestEnablingAndDisablingTwiceIsAsGoodAsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b")...)
	r := w.registry()
	enable(t, r, "a", "b")
	if c := enable(t, r, "a"); !c.Already || len(c.Servers) != 1 || c.Servers[0].Server != "a" {
		t.Errorf("enabled again: %+v", c)
	}
	w.want(r, "a b", "a b") // and no use of it
	disable(t, r, "a")
	c, err := r.Disable(t.Context(), "a")
	if err != nil || !c.Already {
		t.Errorf("disabled again: %+v, %v", c, err)
	}
	w.want(r, "b", "b")
	var unknown *UnknownError
	if _, err := r.Disable(t.Context(), "bb"); !errors.As(err, &unknown) || unknown.Near != "b" && unknown.Near != "" {
		t.Errorf("got %v", err)
	}
}

func TestCapabilitiesOfDependenciesAlone(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	script(t, root, "rust/cargo", "exit 0")
	toolchain := capability("rust")
	toolchain.Root, toolchain.Deps = root, []string{"rust/cargo"}
	empty := capability("swift")
	empty.Root, empty.Deps = root, []string{"swift/swift"}
	w := newWorld(t, toolchain, empty)
	var ran []string
	var mu sync.Mutex
	w.opts.Install = func(_ context.Context, s tap.Script) error {
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, s.Name)
		return nil
	}
	r := w.registry()
	enable(t, r, "rust")
	disable(t, r, "rust")
	enable(t, r, "rust")
	w.want(r, "rust", "")
	if len(ran) != 1 {
		t.Errorf("ran %v, want the installer once", ran)
	}
	_, err := r.Enable(t.Context(), "swift", "user")
	blocked(t, err, Installer, "swift/swift")
}

// An installer runs after its own approval alone, whatever else is approved,
// and no automatic activation changes that.
func TestAnInstallerNeverRunsWithoutTheApprovalOfThatVeryScript(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := script(t, root, "acme/db", "exit 0")
	c := capability("db", srv("db", "db-mcp", "*"))
	c.Root, c.Deps = root, []string{"acme/db"}
	w := newWorld(t)
	w.list = append(w.list, c)
	ran := 0
	w.opts.Install = func(context.Context, tap.Script) error { ran++; return nil }
	r := w.registry()
	approve(t, w, c.ServerCommand(c.Servers[0]))
	_, err := r.Enable(t.Context(), "db", "prompt")
	blocked(t, err, Approval, "installer of acme/db", "ctx trust approve tap:acme/tools/db/deps/acme/db.sh")
	w.approve()
	script(t, root, "acme/db", "rm -rf /")
	_, err = r.Enable(t.Context(), "db", "prompt")
	blocked(t, err, Approval, "another one")
	if ran != 0 {
		t.Errorf("%s ran", path)
	}
	script(t, root, "acme/db", "exit 0")
	enable(t, r, "db")
	if ran != 1 {
		t.Errorf("ran %d times", ran)
	}
}

// A dependency that the tap cannot install may be there anyway.
func TestADependencyWithoutAnInstallerIsNamedWhereTheStartFails(t *testing.T) {
	t.Parallel()
	c := capability("db", srv("db", "db-mcp", "*"))
	c.Root, c.Deps = t.TempDir(), []string{"acme/db"}
	w := newWorld(t, c)
	r := w.registry()
	w.fleet.fails["db"] = errNoStart
	if _, err := r.Enable(t.Context(), "db", "user"); !errors.Is(err, errNoStart) || !strings.Contains(err.Error(), "it depends on acme/db") {
		t.Errorf("got %v", err)
	}
	delete(w.fleet.fails, "db")
	if c := enable(t, r, "db"); len(c.Warnings) != 0 {
		t.Errorf("warnings: %v", c.Warnings)
	}
}
