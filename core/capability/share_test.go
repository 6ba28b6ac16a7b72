package capability

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

func hostOf(list ...surface.Server) func() []surface.Server {
	return func() []surface.Server { return list }
}

func script(t *testing.T, root, name, text string) string {
	t.Helper()
	path := filepath.Join(root, "deps", filepath.FromSlash(name)+".sh")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func approve(t *testing.T, w *world, c tap.Command) {
	t.Helper()
	a := trust.Approval{Fingerprint: c.Declaration.Fingerprint(), By: "user", Server: c.Declaration}
	if err := w.trust.Approve(c.ID, a); err != nil {
		t.Fatal(err)
	}
}

func TestASharedServerStaysAsLongAsAnyActiveCapabilityNeedsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		capability("memory-read", srv("brain", "brain-mcp", "remember")),
		capability("memory-write", srv("brain", "brain-mcp", "memorize", "forget")))
	r := w.registry()
	enable(t, r, "memory-read", "memory-write")
	w.want(r, "memory-read memory-write", "brain")
	if n := len(r.Running()); n != 1 {
		t.Errorf("one server is told %d times", n)
	}
	disable(t, r, "memory-read")
	w.want(r, "memory-write", "brain")
	// The tools of the one that went are gone, though their server is not.
	if r.Admits("brain", "remember") || !r.Admits("brain", "forget") {
		t.Error("the tools are not those of memory-write alone")
	}
	disable(t, r, "memory-write")
	w.want(r, "", "")
	if got := strings.Join(w.fleet.history, " "); got != "+brain -brain" {
		t.Errorf("history %s", got)
	}
}

// A second capability on a server must not take the first one's tools away.
func TestASecondCapabilityOnAServerAddsItsToolsToTheFirstOnes(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		capability("read", srv("files", "files-mcp", "view")),
		capability("write", srv("files", "files-mcp", "edit")))
	r := w.registry()
	enable(t, r, "read", "write")
	for tool, want := range map[string]bool{"view": true, "edit": true, "shell": false} {
		if r.Admits("files", tool) != want {
			t.Errorf("%s: %t", tool, !want)
		}
	}
}

func TestToolsThatTwoCapabilitiesHaveSurviveTheLossOfOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t,
		capability("knowledge", srv("brain", "brain-mcp", "knowledge")),
		capability("webfetch", srv("brain", "brain-mcp", "knowledge")))
	r := w.registry()
	enable(t, r, "knowledge", "webfetch")
	disable(t, r, "webfetch")
	if !r.Admits("brain", "knowledge") {
		t.Error("knowledge has lost its only tool")
	}
	w.want(r, "knowledge", "brain")
}

func TestTheSameNameWithAnotherCommandIsAServerOfItsOwn(t *testing.T) {
	t.Parallel()
	other := capability("b", srv("db", "other-db-mcp", "*"))
	other.Tap = "beta/tools"
	third := capability("c", srv("db", "third-db-mcp", "*"))
	w := newWorld(t, capability("a", srv("db", "db-mcp", "query")), other, third)
	w.opts.Host = hostOf(srv("mail", "mail-mcp").Server)
	w.list = append(w.list, capability("d", srv("mail", "other-mail-mcp", "*")))
	w.approve()
	r := w.registry()
	enable(t, r, "a", "b", "c", "d")
	w.want(r, "a b c d", "acme/db acme/mail beta/db db")
	for _, id := range []string{"db", "beta/db", "acme/db"} {
		if !r.Admits(id, "query") {
			t.Errorf("%s:query is not there", id)
		}
	}
	if r.Admits("db", "drop") || !r.Admits("beta/db", "drop") {
		t.Error("the filters of the two are mixed up")
	}
	if got := w.fleet.up["beta/db"].Command; got != "other-db-mcp" {
		t.Errorf("beta/db is %s", got)
	}
	disable(t, r, "a")
	w.want(r, "b c d", "acme/db acme/mail beta/db")
}

// The capability's server is one that the host's user has anyway.
func TestAStaticServerIsNeitherStartedNorTornDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(simple("b", "c", "d", "e"), capability("a", srv("github", "github-mcp", "*")))...)
	w.opts.Host = hostOf(srv("github", "github-mcp").Server)
	r := w.registry()
	enable(t, r, "a")
	w.want(r, "a", "")
	enable(t, r, "b", "c", "d", "e")
	w.want(r, "b c d e", "b c d e")
	if !r.Admits("github", "anything") {
		t.Error("the host's own tools went with the capability")
	}
}

func TestACapabilityOfTheRoleIsNeverCountedAndNeverGoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(simple("a", "b", "c", "d", "e"), capability("core", srv("core", "core-mcp", "plan")))...)
	w.opts.Role = []string{"core"}
	r := w.registry()
	r.StartRole(t.Context())
	r.StartRole(t.Context())
	enable(t, r, "a", "b", "c", "d")
	w.want(r, "a b c d", "a b c core d")
	consistent(t, r, w.fleet)
	c := enable(t, r, "core")
	if !c.Static || !c.Already || len(c.Evicted) != 0 {
		t.Errorf("enabled: %+v", c)
	}
	enable(t, r, "e")
	w.want(r, "b c d e", "b c core d e")
	if _, err := r.Disable(t.Context(), "core"); err == nil {
		t.Error("a capability of the role was disabled")
	}
	r.Clear()
	w.want(r, "", "core")
	if !r.Admits("core", "plan") || r.Admits("core", "tap") {
		t.Error("the role's filter does not hold")
	}
}

// A capability that comes and goes extends a server of the role's, and takes
// with it what it brought and nothing else.
func TestAnOverlayOnAServerOfTheRoleGoesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, append(simple("b", "c", "d", "e"),
		capability("base", srv("files", "files-mcp", "view")),
		capability("more", srv("files", "files-mcp", "edit_*")))...)
	w.opts.Role = []string{"base"}
	r := w.registry()
	r.StartRole(t.Context())
	if r.Admits("files", "edit_line") {
		t.Error("the overlay is there before its capability")
	}
	enable(t, r, "more")
	if !r.Admits("files", "edit_line") || !r.Admits("files", "view") || r.Admits("files", "edit") {
		t.Error("a glob of the overlay is not followed")
	}
	enable(t, r, "b", "c", "d", "e") // more is evicted
	w.want(r, "b c d e", "b c d e files")
	if r.Admits("files", "edit_line") || !r.Admits("files", "view") {
		t.Error("the overlay went wrong")
	}
}

// A list that is empty, or about other servers alone, is no list of everything.
func TestAListThatMatchesNothingExposesNothing(t *testing.T) {
	t.Parallel()
	toolless := srv("none", "none-mcp")
	toolless.Allowed, toolless.AllowedAt = []string{}, surface.Place{File: "none.toml", Line: 7}
	w := newWorld(t, capability("none", toolless), capability("half", toolless, srv("half", "half-mcp", "*")),
		capability("typo", srv("db", "db-mcp", "qeury")), capability("all", srv("db", "db-mcp")))
	r := w.registry()
	_, err := r.Enable(t.Context(), "none", "user")
	blocked(t, err, NoTools, "it exposes no tools: none.toml:7: allowed_tools has nothing for the server none")
	if e, ok := r.Find("none"); !ok || e.Idle() || len(e.Unready) != 1 || !strings.Contains(e.Unready[0].Text, "none.toml:7") {
		t.Errorf("in the list: %+v", e)
	}
	if i := slices.IndexFunc(r.Status(), func(s State) bool { return s.Name == "none" }); !strings.Contains(r.Status()[i].Blocked, "none.toml:7") {
		t.Errorf("status: %+v", r.Status()[i])
	}
	if c := enable(t, r, "half"); len(c.Servers) != 1 || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "the server none is left out: none.toml:7") {
		t.Errorf("half of one: %+v", c)
	}
	w.want(r, "half", "half")
	disable(t, r, "half")
	enable(t, r, "typo")
	if r.Admits("db", "query") {
		t.Error("a list that matches nothing exposes something")
	}
	enable(t, r, "all")
	if !r.Admits("db", "query") {
		t.Error("no list at all hides something")
	}
}

// A name is free again once its server is gone, however that went.
func TestTheNameOfAServerThatIsGoneIsFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, capability("a", srv("db", "db-mcp", "*")), capability("b", srv("db", "other-db-mcp", "*")))
	r := w.registry()
	w.fleet.fails["db"] = errNoStart
	if _, err := r.Enable(t.Context(), "a", "user"); err == nil {
		t.Error("a works without its server")
	}
	delete(w.fleet.fails, "db")
	enable(t, r, "b")
	w.want(r, "b", "db")
	w.fleet.stuck["db"] = errNoStart
	disable(t, r, "b")
	enable(t, r, "a")
	w.want(r, "a", "db")
	if got := w.fleet.up["db"].Command; got != "db-mcp" {
		t.Errorf("db is %s", got)
	}
}

func TestAServerThatIsNamedAsAPartOfCtxIsServedUnderItsOrganisation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, capability("a", srv("ctx", "a-mcp", "*")), capability("b", srv("local", "b-mcp", "*")))
	r := w.registry()
	enable(t, r, "a", "b")
	w.want(r, "a b", "acme/ctx acme/local")
}

// A server that is wanted again while it stops is started again, and known.
func TestAServerThatIsWantedWhileItStopsComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, simple("a", "b")...)
	r := w.registry()
	enable(t, r, "a")
	linger := make(chan struct{})
	w.fleet.linger["a"] = linger
	stopped := make(chan error)
	go func() { _, err := r.Disable(t.Context(), "a"); stopped <- err }()
	<-w.fleet.began
	w.list = append(w.list, capability("again", srv("a", "a-mcp", "*")))
	w.approve()
	started := make(chan error)
	go func() { _, err := r.Enable(t.Context(), "again", "user"); started <- err }()
	for r.refs("a") == 0 {
		time.Sleep(time.Millisecond)
	}
	close(linger)
	for _, done := range []chan error{stopped, started} {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	w.want(r, "again", "a")
	consistent(t, r, w.fleet)
	if !r.Admits("a", "tool") || r.refs("a") != 1 {
		t.Error("the server runs and is not known")
	}
}

func (r *Registry) refs(served string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if inst := r.instances[served]; inst != nil {
		return inst.refs
	}
	return 0
}
