package gateway

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// plainTaps are taps that no prompt brings anything in from.
type plainTaps []tap.Capability

func (plainTaps) Any() bool               { return true }
func (plainTaps) Begin()                  {}
func (p plainTaps) Catalog() *tap.Catalog { return tap.Of(p) }
func (plainTaps) Decide(context.Context, activate.Request) (d activate.Decision, degraded, err error) {
	return activate.Decision{Outcome: activate.Silence}, nil, nil
}
func (plainTaps) Degraded(context.Context) error { return nil }
func (plainTaps) Similar(context.Context, string, []string) ([]float64, skill.Thresholds, error) {
	return nil, skill.Thresholds{}, nil
}

// preloaded makes the conversation begin with a capability, which the user has
// approved, of one server.
func preloaded(t *testing.T, o *Options, server string) {
	t.Helper()
	one := tap.Capability{Name: "late", Tap: "acme/tools", Provider: "default", Servers: []tap.Server{
		{Server: surface.Server{Name: server, Scope: surface.ScopeTap, Transport: surface.Stdio, Command: server}},
	}}
	store := trust.Open(filepath.Join(t.TempDir(), "trust.json"))
	commands, err := one.Commands()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		if err := store.Approve(c.ID, trust.Approval{Fingerprint: c.Declaration.Fingerprint(), By: "user", Server: c.Declaration}); err != nil {
			t.Fatal(err)
		}
	}
	cfg := config.Default()
	cfg.PreloadCapabilities = []string{"late"}
	o.Capabilities = loader.New(loader.Options{
		Taps: plainTaps{one}, Config: cfg, Trust: store, Sessions: state.Open(t.TempDir()), Session: o.Binding.Session,
		Cache: listing.OpenCache(t.TempDir(), filepath.Join(t.TempDir(), "key")), Log: hclog.NewNullLogger(),
	})
}

// A capability that is slow to start costs those who need it, and no others.
func TestACallOfTheHostsOwnServerWaitsForNoCapability(t *testing.T) {
	t.Parallel()
	began, release := make(chan struct{}, 1), make(chan struct{})
	b := serve(t, map[string][]string{"good": {readText}}, func(o *Options, _ *Rules, f *fakeBackends) {
		preloaded(t, o, "slow")
		f.listings["slow"] = list("slow", readText)
		f.answer = func(ctx context.Context, server, method string, _ json.RawMessage, _ func(json.RawMessage)) (json.RawMessage, error) {
			if server == "slow" && method == "ping" {
				began <- struct{}{}
				select {
				case <-release:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
			return encode(map[string]any{"content": []any{map[string]any{"type": "text", "text": "from " + server}}}), nil
		}
	})
	b.initialize(`{}`)
	b.opts.Capabilities.Follow()
	answered := func(name string) <-chan string {
		text := make(chan string, 1)
		go func() {
			raw, err := b.Handle(t.Context(), json.RawMessage("1"), "tools/call", json.RawMessage(`{"name":"call_tool","arguments":{"tool":"`+name+`","arguments":{}}}`))
			if err != nil {
				t.Error(err)
			}
			text <- string(raw)
		}()
		return text
	}
	in := func(text <-chan string) string {
		select {
		case got := <-text:
			return got
		case <-time.After(20 * time.Second):
			return "no answer"
		}
	}
	<-began
	brought, bare := answered("slow:read_text_file"), answered("read_text_file")
	for _, name := range []string{"good:read_text_file", "mcp__good__read_text_file"} {
		if got := in(answered(name)); !strings.Contains(got, "from good") {
			t.Errorf("%s while the other starts: %s", name, got)
		}
	}
	close(release)
	if got := in(brought); !strings.Contains(got, "from slow") {
		t.Errorf("the capability's own: %s", got)
	}
	if got := in(bare); !strings.Contains(got, "several servers") {
		t.Errorf("a name that both have: %s", got)
	}
}
