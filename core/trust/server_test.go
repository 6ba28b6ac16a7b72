package trust

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
)

func TestAnApprovalHoldsForExactlyWhatWasApproved(t *testing.T) {
	t.Parallel()
	s, _ := store(t)
	a := server("github", "-y", "github-mcp")
	if got := s.Check(a, "/ws"); got != Unknown {
		t.Errorf("at first: %s", got)
	}
	approve(t, s, a, "/ws")
	if got := s.Check(a, "/ws"); got != Approved {
		t.Errorf("approved: %s", got)
	}
	for name, change := range map[string]func(*surface.Server){
		"command":        func(s *surface.Server) { s.Command = "node" },
		"an argument":    func(s *surface.Server) { s.Args = []string{"-y", "github-mcp@2"} },
		"an env value":   func(s *surface.Server) { s.Env = map[string]string{"TOKEN": "x"} },
		"another env":    func(s *surface.Server) { s.Env = map[string]string{"LD_PRELOAD": "x", "TOKEN": "${TOKEN}"} },
		"cwd":            func(s *surface.Server) { s.Cwd = "/evil" },
		"passed-on env":  func(s *surface.Server) { s.EnvVars = []string{"AWS_SECRET"} },
		"url":            func(s *surface.Server) { s.URL = "https://evil" },
		"headers":        func(s *surface.Server) { s.Headers = map[string]string{"A": "b"} },
		"header command": func(s *surface.Server) { s.HeadersCmd = "evil" },
	} {
		changed := a
		change(&changed)
		if got := s.Check(changed, "/ws"); got != Changed {
			t.Errorf("%s: %s, want changed", name, got)
		}
	}
	other := a
	other.Name = "gitlab"
	if got := s.Check(other, "/ws"); got != Unknown {
		t.Errorf("the same command under another name: %s", got)
	}
}

func TestAWorkspacesServerIsApprovedThereAlone(t *testing.T) {
	t.Parallel()
	s, _ := store(t)
	for _, scope := range []surface.Scope{surface.ScopeProject, surface.ScopeLocal} {
		srv := server(string(scope))
		srv.Scope = scope
		approve(t, s, srv, "/ws/a")
		if got := s.Check(srv, "/ws/a"); got != Approved {
			t.Errorf("%s, there: %s", scope, got)
		}
		if got := s.Check(srv, "/ws/b"); got != Unknown {
			t.Errorf("%s, elsewhere: %s", scope, got)
		}
		srv.Scope = surface.ScopeUser
		if got := s.Check(srv, "/ws/a"); got != Unknown {
			t.Errorf("%s, now of the user: %s", scope, got)
		}
	}
	user := server("user")
	approve(t, s, user, "/ws/a")
	if got := s.Check(user, "/ws/b"); got != Approved {
		t.Errorf("a user's server in another workspace: %s", got)
	}
}

func TestServerIDs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		scope surface.Scope
		ws    string
		want  string
	}{
		{"github", surface.ScopeUser, "/ws", "mcp:github@user"},
		{"github", surface.ScopePlugin, "/ws", "mcp:github@user"},
		{"github", surface.ScopeProject, "/home/u/my ws", "mcp:github@/home/u/my ws"},
		{"my server", surface.ScopeLocal, "/ws", "mcp:my server@/ws"},
		{"größe", surface.ScopeUser, "/ws", "mcp:größe@user"},
		{"a@user", surface.ScopeUser, "/ws", "mcp:a%40user@user"},
		{"a@/b", surface.ScopeUser, "/ws", "mcp:a%40/b@user"},
		{"a", surface.ScopeProject, "/b@user", "mcp:a@/b@user"},
		{"50%", surface.ScopeUser, "/ws", "mcp:50%25@user"},
		{"x\x1b[2J\n", surface.ScopeUser, "/ws", "mcp:x%1B[2J%0A@user"},
		{"x\u202ey", surface.ScopeUser, "/ws", "mcp:x%E2%80%AEy@user"},
	} {
		srv := surface.Server{Name: tt.name, Scope: tt.scope}
		if got := ServerID(srv, tt.ws); got != tt.want {
			t.Errorf("%q, %s: %q, want %q", tt.name, tt.scope, got, tt.want)
		}
	}
}

func TestTwoHostsMayReachOneServerInTwoWays(t *testing.T) {
	t.Parallel()
	s, _ := store(t)
	claude, codex := server("github", "a"), server("github", "b")
	approve(t, s, claude, "")
	approve(t, s, codex, "")
	if a, b := s.Check(claude, ""), s.Check(codex, ""); a != Approved || b != Approved {
		t.Errorf("%s and %s, want both approved", a, b)
	}
}

func TestARejectionHoldsUntilItIsTakenBack(t *testing.T) {
	t.Parallel()
	s, _ := store(t)
	good, bad := server("github", "good"), server("github", "bad")
	id := ServerID(good, "")
	approve(t, s, good, "")
	must(t, s.Note(id, bad))
	must(t, s.Reject(id, bad.Fingerprint()))
	if a, b := s.Check(good, ""), s.Check(bad, ""); a != Approved || b != Rejected {
		t.Errorf("%s and %s, want approved and rejected", a, b)
	}
	must(t, s.Note(id, bad))
	for _, e := range s.Entries() {
		if e.Waits() {
			t.Errorf("what was rejected waits again: %+v", e)
		}
		if e.Status == Rejected && e.Server.Args[0] != "bad" {
			t.Errorf("a rejection does not say of what: %+v", e)
		}
	}
	must(t, s.Reject(id, good.Fingerprint()))
	if got := s.Check(good, ""); got != Rejected {
		t.Errorf("approved, then rejected: %s", got)
	}
	approve(t, s, bad, "")
	if got := s.Check(bad, ""); got != Approved {
		t.Errorf("rejected, then approved: %s", got)
	}
	for i := range 3 * mostDecisions {
		approve(t, s, server("github", fmt.Sprint(i)), "")
	}
	if got := len(s.Entries()); got != mostDecisions {
		t.Errorf("%d decisions are kept, want %d", got, mostDecisions)
	}
}

func TestAnApprovalOfSomethingElseIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := store(t)
	shown, real := server("a", "harmless"), server("a", "harmful")
	if err := s.Approve(ServerID(real, ""), Approval{Fingerprint: real.Fingerprint(), By: "user", Server: shown}); err == nil {
		t.Error("an approval whose declaration is another was taken")
	}
	if got := s.Check(real, ""); got != Unknown {
		t.Error(got)
	}
}

func TestWhatWaitsIsListedOnceAndBounded(t *testing.T) {
	t.Parallel()
	s, now := store(t)
	srv := server("a", "1")
	id := ServerID(srv, "")
	must(t, s.Note(id, srv))
	must(t, s.Note(id, srv))
	if e := s.Entries(); len(e) != 1 || e[0].Status != Unknown || !e[0].Waits() || e[0].By != "" {
		t.Errorf("noted twice: %+v", e)
	}
	newer := server("a", "2")
	must(t, s.Note(id, newer))
	if e := s.Entries(); len(e) != 1 || e[0].Fingerprint != newer.Fingerprint() {
		t.Errorf("declared anew while it waits: %+v", e)
	}
	approve(t, s, srv, "")
	if e := s.Entries(); len(e) != 2 || e[1].Status != Changed {
		t.Errorf("waiting beside an approval: %+v", e)
	}
	approve(t, s, newer, "")
	for _, e := range s.Entries() {
		if e.Waits() {
			t.Errorf("still waiting: %+v", e)
		}
	}
	d := document{}
	for i := range mostPending + 20 {
		*now = now.Add(1)
		srv := server(fmt.Sprintf("s%03d", i))
		put(&d.Pending, ServerID(srv, ""), waiting{srv.Fingerprint(), *now, srv, ""})
	}
	must(t, s.update(func(x *document) error { x.Pending = d.Pending; return nil }))
	*now = now.Add(1)
	must(t, s.Note("mcp:last@user", server("last")))
	waits := map[string]bool{}
	for _, e := range s.Entries() {
		if e.Waits() {
			waits[e.ID] = true
		}
	}
	if len(waits) != mostPending || !waits["mcp:last@user"] || waits["mcp:s020@user"] || !waits["mcp:s021@user"] {
		t.Errorf("%d wait, want the newest %d", len(waits), mostPending)
	}
}

// A repository can have any number of servers noted, between the user's look at
// one and the approval of it.
func TestWhatTheUserWasShownIsNotForgottenForTheSakeOfOthers(t *testing.T) {
	t.Parallel()
	s, now := store(t)
	const id = "local:deploy@/ws"
	of := func() Entry {
		t.Helper()
		for _, e := range s.Entries() {
			if e.ID == id {
				return e
			}
		}
		t.Fatal("it waits no more")
		return Entry{}
	}
	must(t, s.Note(id, server("deploy", "harmless")))
	must(t, s.Shown([]Entry{of()}))
	flood := map[string]surface.Server{}
	for i := range mostPending + 20 {
		srv := server(fmt.Sprintf("s%03d", i))
		flood[ServerID(srv, "")] = srv
	}
	*now = now.Add(1)
	must(t, s.NoteAll(flood))
	*now = now.Add(1)
	must(t, s.Note("mcp:last@user", server("last")))
	if got := len(s.Entries()); got != mostPending+1 {
		t.Errorf("%d wait, want %d and the one that was shown", got, mostPending)
	}
	must(t, s.Note(id, server("deploy", "harmful")))
	if !of().Swapped() {
		t.Error("it can be approved, though the user saw another")
	}

	// What was shown is bounded, too, and takes no room from what is new.
	many := map[string]waiting{}
	for i := range mostShown + 20 {
		*now = now.Add(1)
		srv := server(fmt.Sprintf("s%04d", i))
		many[ServerID(srv, "")] = waiting{srv.Fingerprint(), *now, srv, srv.Fingerprint()}
	}
	must(t, s.update(func(d *document) error { d.Pending = many; return nil }))
	must(t, s.Note("mcp:last@user", server("last")))
	waits := map[string]bool{}
	for _, e := range s.Entries() {
		waits[e.ID] = true
	}
	if len(waits) != mostShown+1 || !waits["mcp:last@user"] || waits["mcp:s0019@user"] || !waits["mcp:s0020@user"] {
		t.Errorf("%d wait, want the newest %d that were shown and the one that is new", len(waits), mostShown)
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	s, _ := store(t)
	old := surface.Server{
		Name: "a", Transport: surface.Stdio, Command: "npx", Args: []string{"-y", "x"},
		Env: map[string]string{"TOKEN": "${TOKEN}", "OLD": "1"},
	}
	id := ServerID(old, "")
	if got := s.Diff(id, old); len(got) != 5 || !strings.HasPrefix(got[0], "+ ") {
		t.Errorf("nothing approved: %q", got)
	}
	approve(t, s, old, "")
	if got := s.Diff(id, old); got != nil {
		t.Errorf("nothing changed: %q", got)
	}
	now := old
	now.Args = []string{"-y", "x\x1b[2J"}
	now.Env = map[string]string{"TOKEN": "${OTHER}", "NEW": "<&>"}
	now.Cwd = "/tmp"
	want := []string{
		`- args: ["-y", "x"]`,
		`+ args: ["-y", "x\x1b[2J"]`,
		`- env "OLD": "1"`,
		`- env "TOKEN": "${TOKEN}"`,
		`+ env "TOKEN": "${OTHER}"`,
		`+ env "NEW": "<&>"`,
		`+ cwd: "/tmp"`,
	}
	if got := s.Diff(id, now); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestADiffShowsWhateverChangesAFingerprint(t *testing.T) {
	t.Parallel()
	base := surface.Server{}
	typ := reflect.TypeFor[surface.Server]()
	for i := range typ.NumField() {
		srv := base
		f := reflect.ValueOf(&srv).Elem().Field(i)
		switch f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"x"}))
		case reflect.Map:
			if f.Type() != reflect.TypeFor[map[string]string]() {
				continue
			}
			f.Set(reflect.ValueOf(map[string]string{"K": "x"}))
		case reflect.Bool:
			f.SetBool(true)
		default:
			continue
		}
		covered := srv.Fingerprint() != base.Fingerprint()
		if shown := len(diff(fields(base), fields(srv))) > 0; shown != covered {
			t.Errorf("%s: in the fingerprint %v, in the diff %v", typ.Field(i).Name, covered, shown)
		}
	}
}

func TestWhatATapWouldStartIsApprovedByItsOwnID(t *testing.T) {
	t.Parallel()
	s, _ := store(t)
	srv := surface.Server{Name: "db", Scope: surface.ScopeTap, Transport: surface.Stdio, Command: "db-mcp"}
	id := TapID("acme/tools", "database", "db")
	if id != "tap:acme/tools/database/db" {
		t.Errorf("id %s", id)
	}
	must(t, s.Approve(id, Approval{Fingerprint: srv.Fingerprint(), By: "user", Server: srv}))
	if got := s.CheckID(id, srv); got != Approved {
		t.Errorf("approved, and it is %s", got)
	}
	if got := s.CheckID(TapID("acme/tools", "other", "db"), srv); got != Unknown {
		t.Errorf("for another capability it is %s", got)
	}
	srv.Args = []string{"--drop"}
	if got := s.CheckID(id, srv); got != Changed {
		t.Errorf("with another argument it is %s", got)
	}
	if odd := TapID("a\x1b/b", "c/d", "e@f"); odd != "tap:a%1B/b/c%2Fd/e%40f" {
		t.Errorf("id %s", odd)
	}
}

func TestManyAreApprovedAtOnceAndForgottenWithTheirTap(t *testing.T) {
	t.Parallel()
	s, _ := store(t)
	list := map[string][]Approval{}
	servers := map[string]surface.Server{}
	for _, tap := range []string{"acme/tools", "acme/tools2"} {
		for _, name := range []string{"a", "b"} {
			srv := surface.Server{Name: name, Transport: surface.Stdio, Command: name}
			id := TapID(tap, "cap", name)
			servers[id] = srv
			list[id] = append(list[id], Approval{Fingerprint: srv.Fingerprint(), By: "user", Server: srv})
		}
	}
	bad := map[string][]Approval{"x": {{Fingerprint: "other", Server: servers[TapID("acme/tools", "cap", "a")]}}}
	for id, a := range list {
		bad[id] = a
	}
	if err := s.ApproveAll(bad); err == nil || len(s.Entries()) != 0 {
		t.Errorf("one of them was wrong, and there are %d: %v", len(s.Entries()), err)
	}
	must(t, s.ApproveAll(list))
	must(t, s.ApproveAll(list))
	more := map[string]surface.Server{TapID("acme/tools", "cap", "c"): {Name: "c"}, TapID("acme/tools", "cap", "a"): servers[TapID("acme/tools", "cap", "a")]}
	must(t, s.NoteAll(more))
	must(t, s.NoteAll(more))
	if got := len(s.Entries()); got != 5 {
		t.Errorf("%d entries", got)
	}
	must(t, s.ForgetTap("acme/tools"))
	for _, e := range s.Entries() {
		if s.CheckID(e.ID, servers[e.ID]) != Approved || !strings.HasPrefix(e.ID, "tap:acme/tools2/") {
			t.Errorf("left: %s", e.ID)
		}
	}
	if got := len(s.Entries()); got != 2 {
		t.Errorf("%d are left", got)
	}
}
