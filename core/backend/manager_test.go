package backend

import (
	"slices"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
)

func TestServerIsStartedListedAndCalled(t *testing.T) {
	t.Parallel()
	m := newManager(t, Options{Servers: []surface.Server{stub(t, "notes")}})
	m.Start()
	text, err := callTool(within(t), m, "notes", "echo", `{"text":"hello"}`)
	if err != nil || text != "hello" {
		t.Fatalf("got %q, %v", text, err)
	}
	m.Refresh(within(t))
	l := m.Listings()
	if len(l) != 1 || !slices.Contains(toolNames(l[0]), "read_note") || l[0].Name != "stubserver" {
		t.Errorf("listed %+v", l)
	}
	if s := m.Status(); s[0].State != Ready || s[0].PID == 0 || s[0].Tools != 5 {
		t.Errorf("status %+v", s)
	}
}
