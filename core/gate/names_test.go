package gate_test

import (
	"testing"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/surface"
)

func TestPlainRuleSpeaksOfNamesAsTheHostWritesThem(t *testing.T) {
	t.Parallel()
	g := gate.New(surface.Sources{Rules: []surface.Rule{
		{Effect: surface.EffectDeny, Server: "my_server", Tool: "read_*", Plain: true},
		{Effect: surface.EffectDeny, Server: "all_of_it", Tool: "*", Plain: true},
		{Effect: surface.EffectDeny, Server: "exact", Tool: "a_b"},
	}})
	for _, c := range []struct {
		server, tool string
		admitted     bool
	}{
		{"my server", "read.file", false},
		{"my.server", "read/é", false},
		{"my_server", "read_file", false},
		{"my-server", "read_file", true},
		{"my server", "write", true},
		{"exact", "a.b", true}, // not Plain: the raw name counts
		{"exact", "a_b", false},
	} {
		if got := g.Admits(c.server, c.tool); got != c.admitted {
			t.Errorf("Admits(%q, %q) = %v", c.server, c.tool, got)
		}
		want := event.Deny
		if c.admitted {
			want = event.NoOpinion
		}
		if got := g.Rule(c.server, c.tool).Decision; got != want {
			t.Errorf("Rule(%q, %q) = %q, want %q", c.server, c.tool, got, want)
		}
	}
	if g.AdmitsServer("all of.it") {
		t.Error("a server all of whose tools are denied is still known")
	}
}
