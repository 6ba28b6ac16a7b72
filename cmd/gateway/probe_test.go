package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// probe runs a probe to its end and returns what is known afterwards.
func (h *home) probe() *listing.Cache {
	h.t.Helper()
	cmd := exec.Command(filepath.Join(h.dir, "ctx-gateway"), "probe", "--host", "fake", "--workspace", h.ws)
	cmd.Dir, cmd.Env = h.ws, h.env
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		h.t.Fatalf("probe: %v\n%s", err, out)
	}
	dir, why := state.SafeDir(h.layout, h.layout.Workspace(h.ws))
	if why != "" {
		h.t.Fatal(why)
	}
	return listing.OpenCache(dir, listing.KeyFile(h.layout))
}

func TestProbeListsWhatTheUserApproved(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	mark := filepath.Join(h.dir, "mark")
	approved, unknown, off, broken := h.stub("approved"), h.stub("unknown", "-mark", mark), h.stub("off", "-mark", mark), surface.Server{
		Name: "broken", Scope: surface.ScopeProject, Transport: surface.Stdio, Command: filepath.Join(h.dir, "nowhere"),
	}
	h.declare(approved, off, broken)
	h.wrap()
	off.Disabled = true
	h.declare(approved, unknown, off, broken)

	cache := h.probe()
	if l, ok := cache.Any("approved", approved.Fingerprint()); !ok || len(l.Tools) == 0 {
		t.Errorf("the approved server: %v, %d tools", ok, len(l.Tools))
	}
	for _, s := range []surface.Server{unknown, off, broken} {
		if _, ok := cache.Any(s.Name, s.Fingerprint()); ok {
			t.Errorf("%s was listed", s.Name)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a server that the user did not approve, or switched off, was started")
	}
	// One that does not start is not tried in every session.
	first, ok := cache.Failure("broken", broken.Fingerprint(), `{"elicitation":{},"roots":{"listChanged":true},"sampling":{}}`)
	if !ok {
		t.Fatal("the failure is not on record")
	}
	again, _ := h.probe().Failure("broken", broken.Fingerprint(), `{"elicitation":{},"roots":{"listChanged":true},"sampling":{}}`)
	if again.Count != first.Count {
		t.Errorf("tried %d times, then %d", first.Count, again.Count)
	}
}
