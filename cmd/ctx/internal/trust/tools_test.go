package trust_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// A server can define a tool a third time between the user's look and word.
func TestNoDefinitionIsApprovedThatTookThePlaceOfTheOneShown(t *testing.T) {
	u := user{t, t.TempDir()}
	ws := u.workspace("")
	l := paths.FromEnv([]string{"HOME=" + u.home})
	srv := surface.Server{Name: "desk", Scope: surface.ScopeProject, Transport: surface.Stdio, Command: "desk"}
	lists := func(description string) {
		t.Helper()
		s := baseline.Open(l.Baselines(), ws, nil)
		s.Observe(srv, listing.Listing{Server: "desk", Tools: []json.RawMessage{json.RawMessage(`{"name":"read","description":"` + description + `"}`)}})
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	lists("Reads.")
	lists("Reads more.")
	u.must(0, []string{"Reads more."}, "trust", "diff", "desk:read")
	lists("Sends.")
	for _, arg := range []string{"desk:read", "desk:*"} {
		u.must(1, []string{"was changed after it was shown", "ctx trust diff desk:read"}, "trust", "approve", arg)
	}
	if said := u.must(0, []string{"desk:read"}, "trust", "list", "--waiting"); strings.Contains(said, "approved") {
		t.Errorf("approved all the same:\n%s", said)
	}
	u.must(0, []string{"Sends."}, "trust", "diff", "desk:read")
	u.must(0, []string{"approved"}, "trust", "approve", "desk:read")
	lists("Deletes.")
	u.must(0, []string{"Deletes."}, "trust", "diff", "desk:read")
	lists("Deletes all.")
	u.must(0, []string{"rejected"}, "trust", "reject", "desk:read") // needs no look
}

// One name is another server's in each workspace.
func TestAToolIsApprovedInTheWorkspaceThatIsMeant(t *testing.T) {
	u := user{t, t.TempDir()}
	other, ws := u.workspace(""), u.workspace("")
	l := paths.FromEnv([]string{"HOME=" + u.home})
	changes := func(ws string, scope surface.Scope) {
		t.Helper()
		srv := surface.Server{Name: "desk", Scope: scope, Transport: surface.Stdio, Command: "desk"}
		s := baseline.Open(l.Baselines(), ws, nil)
		for _, description := range []string{"Reads.", "Sends."} {
			s.Observe(srv, listing.Listing{Server: "desk", Tools: []json.RawMessage{json.RawMessage(`{"name":"read","description":"` + description + `"}`)}})
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	waits := func(want ...string) {
		t.Helper()
		var ids []string
		entries, _ := baseline.Open(l.Baselines(), ws, nil).Entries()
		for _, e := range entries {
			if e.Waits() {
				ids = append(ids, e.ID)
			}
		}
		slices.Sort(want)
		if !slices.Equal(ids, want) {
			t.Errorf("wait: %q, want %q", ids, want)
		}
	}
	theirs, mine := "tool:desk:read@"+other, "tool:desk:read@"+ws
	changes(other, surface.ScopeProject)
	for _, arg := range []string{"desk:read", "desk:*"} {
		for _, verb := range []string{"approve", "reject", "diff"} {
			u.must(1, []string{"another workspace", "name one: " + theirs}, "trust", verb, arg)
		}
	}
	waits(theirs)

	changes(ws, surface.ScopeProject)
	if said := u.must(0, []string{mine}, "trust", "diff", "desk:read"); strings.Contains(said, theirs) {
		t.Errorf("shows the tool of another workspace:\n%s", said)
	}
	changes("", surface.ScopeUser)
	for _, arg := range []string{"desk:read", "desk:*"} {
		u.must(1, []string{"2 servers", mine, "tool:desk:read@user"}, "trust", "approve", arg)
	}
	waits(mine, theirs, "tool:desk:read@user")
	u.must(0, []string{"approved tool:desk:read@user"}, "trust", "approve", "tool:desk:read@user")
	u.must(0, []string{"approved " + mine}, "trust", "approve", "desk:read")
	waits(theirs)
	u.must(0, []string{"approved " + theirs}, "trust", "approve", theirs)
	waits()
}
