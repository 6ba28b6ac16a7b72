package trust_test

import (
	"encoding/json"
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
