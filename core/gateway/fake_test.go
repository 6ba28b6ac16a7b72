package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/rpc"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// fakeBackends are servers that list what they are told to and echo calls.
type fakeBackends struct {
	client  backend.Client
	changed func(string)

	mu       sync.Mutex
	started  int
	servers  []surface.Server
	listings map[string]listing.Listing
	failures map[string]string
	cached   map[string]bool // what they list is from an earlier session
	requests []string        // "server method params"
	answer   func(ctx context.Context, server, method string, params json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error)
	starting func() // what happens while a call waits for its server; nil: nothing
}

func (f *fakeBackends) Start() { f.mu.Lock(); defer f.mu.Unlock(); f.started++ }

func (f *fakeBackends) SetServers(s []surface.Server) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.servers = s
}

func (f *fakeBackends) Listings() []listing.Listing {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ls []listing.Listing
	for _, s := range f.servers {
		if l, ok := f.listings[s.Name]; ok {
			ls = append(ls, l)
		}
	}
	return ls
}

func (f *fakeBackends) Status() []backend.Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []backend.Status
	for _, s := range f.servers {
		st := backend.Status{Server: s.Name, State: backend.Ready, Error: f.failures[s.Name], Cached: f.cached[s.Name]}
		if st.Error != "" {
			st.State = backend.Failed
		}
		all = append(all, st)
	}
	return all
}

// earlier makes what a server lists be from an earlier session.
func (f *fakeBackends) earlier(server string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cached = map[string]bool{server: true}
}

// fail makes a server fail, of which nobody is told.
func (f *fakeBackends) fail(server, why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failures = map[string]string{server: why}
}

func (f *fakeBackends) Notify(server, method string, params json.RawMessage) {
	f.note(server, method, params)
}

func (f *fakeBackends) Close() {}

func (f *fakeBackends) Await(context.Context, string) error {
	if f.starting != nil {
		f.starting()
	}
	return nil
}

func (f *fakeBackends) note(server, method string, params json.RawMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, fmt.Sprintf("%s %s %s", server, method, params))
}

func (f *fakeBackends) seen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

func (f *fakeBackends) Request(ctx context.Context, server, method string, params json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error) {
	f.note(server, method, params)
	if f.answer != nil {
		return f.answer(ctx, server, method, params, progress)
	}
	return encode(map[string]any{"content": []any{map[string]any{"type": "text", "text": server + " " + method + " " + string(params)}}}), nil
}

// set changes what a server lists, as if it had told so.
func (f *fakeBackends) set(l listing.Listing) {
	f.mu.Lock()
	f.listings[l.Server] = l
	delete(f.cached, l.Server)
	f.mu.Unlock()
	f.changed(l.Server)
}

// fakeHost records what it is told and answers what it is asked.
type fakeHost struct {
	mu     sync.Mutex
	told   []string // "method params"
	asked  []string
	answer func(method string, params json.RawMessage) (json.RawMessage, error)
}

func (h *fakeHost) Call(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	h.mu.Lock()
	h.asked = append(h.asked, method+" "+string(params))
	h.mu.Unlock()
	if h.answer == nil {
		return nil, rpc.Errorf(rpc.CodeMethodNotFound, "no %s", method)
	}
	return h.answer(method, params)
}

func (h *fakeHost) Notify(method string, params json.RawMessage) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = append(h.told, method+" "+string(params))
	return nil
}

func (h *fakeHost) notes() []string { h.mu.Lock(); defer h.mu.Unlock(); return slices.Clone(h.told) }

// fakePolicy is rules that a test changes by hand.
type fakePolicy struct {
	mu    sync.Mutex
	rules *Rules
}

func (p *fakePolicy) Rules(context.Context) *Rules { p.mu.Lock(); defer p.mu.Unlock(); return p.rules }

func (p *fakePolicy) set(r *Rules) { p.mu.Lock(); defer p.mu.Unlock(); p.rules = r }

// deny makes rules in which the user denies tools, written "server:tool".
func (p *fakePolicy) deny(server, tool string) {
	old := p.Rules(context.Background())
	next := *old
	next.Gate = gate.New(surface.Sources{Servers: old.Servers, Rules: []surface.Rule{{
		Effect: surface.EffectDeny, Server: server, Tool: tool, Text: server + ":" + tool, Place: surface.Place{File: "settings.json", Line: 3},
	}}})
	p.set(&next)
}

type fakeUsage struct {
	mu    sync.Mutex
	calls []usage.Call
}

func (u *fakeUsage) Append(c usage.Call) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.calls = append(u.calls, c)
	return nil
}

type fakeApprovals struct {
	mu       sync.Mutex
	waiting  []trust.Call
	approved []trust.Call
}

func (a *fakeApprovals) RequestCall(c trust.Call) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, c)
	return "secret-code", nil
}

func (a *fakeApprovals) TakeCall(session, server, tool, hash string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.approved, func(c trust.Call) bool {
		return c.Session == session && c.Server == server && c.Tool == tool && c.ArgsHash == hash
	})
	if i < 0 {
		return false
	}
	a.approved = slices.Delete(a.approved, i, i+1)
	return true
}

// bench is one session of a gateway with everything around it faked.
type bench struct {
	*Gateway
	t         testing.TB
	backends  *fakeBackends
	host      *fakeHost
	policy    *fakePolicy
	usage     *fakeUsage
	approvals *fakeApprovals
	binding   *hook.Binding
	ids       int
}

// serve makes a session over servers that list the given tools (raw JSON).
func serve(t testing.TB, tools map[string][]string, adjust ...func(*Options, *Rules, *fakeBackends)) *bench {
	t.Helper()
	b := &bench{
		t:         t,
		backends:  &fakeBackends{listings: map[string]listing.Listing{}},
		host:      &fakeHost{},
		usage:     &fakeUsage{},
		approvals: &fakeApprovals{},
		binding:   hook.NewBinding("testhost", "/ws", "session-1"),
	}
	rules := &Rules{Asker: HookAsks}
	names := make([]string, 0, len(tools))
	for name := range tools {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		rules.Servers = append(rules.Servers, surface.Server{Name: name, Transport: surface.Stdio, Command: name})
		if tools[name] != nil {
			b.backends.listings[name] = list(name, tools[name]...)
		}
	}
	cfg := config.Default()
	cfg.Gateway.NarrowAbove = 0
	o := Options{
		HostName: "testhost", Version: "test", Config: cfg, Binding: b.binding,
		Memory: NewMemory(state.Open(t.TempDir()), b.binding),
		Usage:  b.usage, Approvals: b.approvals,
		Backends: func(c backend.Client, changed func(string)) Backends {
			b.backends.client, b.backends.changed = c, changed
			return b.backends
		},
	}
	for _, a := range adjust {
		a(&o, rules, b.backends)
	}
	if rules.Gate == nil {
		rules.Gate = gate.New(surface.Sources{Servers: rules.Servers})
	}
	b.policy = &fakePolicy{rules: rules}
	o.Policy = b.policy
	b.Gateway = New(o, b.host)
	t.Cleanup(b.Close)
	return b
}

func list(server string, tools ...string) listing.Listing {
	l := listing.Listing{Server: server, Offers: json.RawMessage(`{"tools":{}}`)}
	for _, t := range tools {
		l.Tools = append(l.Tools, json.RawMessage(t))
	}
	return l
}

// initialize sends the host's hello with the given client capabilities.
func (b *bench) initialize(capabilities string) json.RawMessage {
	b.t.Helper()
	return b.must("initialize", `{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"t","version":"1"}}`)
}

func (b *bench) must(method, params string) json.RawMessage {
	b.t.Helper()
	raw, err := b.request(method, params)
	if err != nil {
		b.t.Fatalf("%s %s: %v", method, params, err)
	}
	return raw
}

func (b *bench) request(method, params string) (json.RawMessage, error) {
	b.ids++
	return b.Handle(context.Background(), json.RawMessage(fmt.Sprint(b.ids)), method, json.RawMessage(params))
}

// result is a tool result as a host reads it.
type reply struct {
	Content []struct {
		Type, Text string
	}
	StructuredContent json.RawMessage
	IsError           bool
}

func (r reply) text() string {
	all := ""
	for _, c := range r.Content {
		all += c.Text
	}
	return all
}

// call calls a tool of the gateway's.
func (b *bench) call(name, arguments string) reply {
	b.t.Helper()
	raw := b.must("tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`)
	var r reply
	if err := json.Unmarshal(raw, &r); err != nil {
		b.t.Fatal(err)
	}
	if !json.Valid(raw) {
		b.t.Fatalf("%s %s: no JSON: %s", name, arguments, raw)
	}
	return r
}
