package hook

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// cache is what each server lists, by name.
type cache map[string]listing.Listing

func (c cache) Any(server, _ string) (listing.Listing, bool) {
	l, ok := c[server]
	return l, ok
}

// tools makes a listing of tools; one whose name ends in "!" writes.
func tools(server string, names ...string) listing.Listing {
	l := listing.Listing{Server: server}
	for _, n := range names {
		name, writes := strings.CutSuffix(n, "!")
		raw, err := json.Marshal(map[string]any{
			"name": name, "description": "secret description", "inputSchema": map[string]any{"type": "object"},
			"annotations": map[string]any{"readOnlyHint": !writes},
		})
		if err != nil {
			panic(err)
		}
		l.Tools = append(l.Tools, raw)
	}
	return l
}

// workspace is a wrapped workspace of a user with the given sources. The
// servers named git and fs are behind the gateway.
func workspace(t *testing.T, s surface.Sources) Options {
	t.Helper()
	dir := t.TempDir()
	l := paths.Layout{Home: dir, Config: filepath.Join(dir, "config"), State: filepath.Join(dir, "state"), Data: filepath.Join(dir, "data")}
	ws := filepath.Join(dir, "ws")
	if err := os.Mkdir(ws, 0o700); err != nil {
		t.Fatal(err)
	}
	err := wiring.Open(l.Wraps()).PutHosts(ws, wiring.HostRecord{
		Host: "fake", Gateway: true,
		Fronted: []wiring.Fronted{{Name: "git", Scope: "user"}, {Name: "fs", Scope: "user"}},
		Direct:  []wiring.Direct{{Name: "mail", Reason: "--include"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	surfaceDir, why := state.SafeDir(l, ws)
	if why != "" {
		t.Fatal(why)
	}
	s.ToolName = "mcp__{server}__{tool}"
	return Options{
		Layout: l, Workspace: ws, Host: "fake", Config: config.Default(),
		Sources: func(context.Context) (surface.Sources, error) { return s, nil },
		Cache: cache{
			"git": tools("git", "log", "push!", "delete_repo!", "show"),
			"fs":  tools("fs", "read_file", "show", "delete_file!"),
		},
		State: state.Open(surfaceDir), Usage: usage.Open(surfaceDir),
		GatewayActive: true,
	}
}

var servers = []surface.Server{{Name: "git"}, {Name: "fs"}}

func start(session string, source event.Source) event.Event {
	return event.Event{Host: "fake", Kind: event.SessionStart, Session: session, Source: source}
}

func TestCountsWhatTheHostCallsItself(t *testing.T) {
	t.Parallel()
	o := workspace(t, surface.Sources{Servers: servers})
	for _, tool := range []*event.ToolUse{
		nil, {Name: "Bash"}, {Server: "ctx", Tool: "call_tool", Ours: true},
		{Server: "git", Tool: "log"}, {Server: "git", Tool: "push", Failed: true},
	} {
		if r := New(o).Handle(t.Context(), event.Event{Host: "fake", Kind: event.ToolAfter, Session: "s", Tool: tool}); !r.Empty() {
			t.Errorf("reply %+v", r)
		}
	}
	calls := o.Usage.Recent(1 << 20)
	if len(calls) != 2 {
		t.Fatalf("calls %+v", calls)
	}
	if c := calls[1]; c.Session != "s" || c.Host != "fake" || c.Server != "git" || c.Tool != "push" || !c.Failed || c.Via != usage.ViaHook || c.At.IsZero() {
		t.Errorf("call %+v", c)
	}
}

func TestEndOfASessionIsNoted(t *testing.T) {
	t.Parallel()
	o := workspace(t, surface.Sources{Servers: servers})
	h := New(o)
	h.Handle(t.Context(), event.Event{Kind: event.SessionEnd, Session: "unknown"})
	if _, err := os.Stat(o.State.Path("unknown")); err == nil {
		t.Error("a session that nothing is known of has a file")
	}
	h.Handle(t.Context(), start("a", event.Startup))
	h.Handle(t.Context(), event.Event{Kind: event.SessionEnd, Session: "a"})
	if s, err := o.State.Load("a"); err != nil || s.Ended == nil || !s.Advised || s.Workspace != o.Workspace || s.Host != "fake" {
		t.Errorf("session %+v, %v", s, err)
	}
}

// A conversation that the user goes on with is the one that commands mean, also
// where ctx gives no advice.
func TestAResumedSessionHasNotEnded(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]event.Event{
		"resume":         start("a", event.Resume),
		"no start event": {Host: "fake", Kind: event.Prompt, Session: "a", Prompt: "go on"},
	} {
		for _, gate := range []string{"warn", "off"} {
			t.Run(name+", gate "+gate, func(t *testing.T) {
				t.Parallel()
				o := workspace(t, surface.Sources{Servers: servers})
				h := New(o)
				for _, ev := range []event.Event{start("a", event.Startup), {Kind: event.SessionEnd, Session: "a"}} {
					h.Handle(t.Context(), ev)
				}
				if s, ok := o.State.Latest(); ok {
					t.Fatalf("the latest is %q, which has ended", s.ID)
				}
				if gate == "off" {
					o.Config.Surface.Gate = gate
				}
				if r := New(o).Handle(t.Context(), again); !r.Empty() {
					t.Errorf("advised again: %+v", r)
				}
				if s, ok := o.State.Latest(); !ok || s.ID != "a" || !s.Advised {
					t.Errorf("the latest is %+v", s)
				}
			})
		}
	}
}
