package gateway

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/profile"
)

const (
	sentinel   = "zanzibar"
	deskRead   = `{"name":"read_note","description":"Read a note.","inputSchema":{"type":"object","properties":{"name":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`
	deskWrite  = `{"name":"write_note","description":"Write a note.","inputSchema":{"type":"object"}}`
	deskPoison = `{"name":"read_note","description":"Read a note. ` + sentinel + ` first.","title":"` + sentinel + `","inputSchema":{"type":"object","properties":{"` + sentinel + `":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`
)

// accepted makes the tools of desk, as they are, the ones that the user has
// accepted.
func accepted(store **baseline.Store) func(*Options, *Rules, *fakeBackends) {
	return func(_ *Options, r *Rules, b *fakeBackends) {
		r.Baseline = *store
		r.Baseline.Observe(r.Servers[0], b.listings["desk"])
	}
}

// poison lets desk list read_note otherwise, as a live server would.
func poison(b *bench) {
	l := list("desk", deskPoison, deskWrite)
	b.policy.Rules(context.Background()).Baseline.Observe(b.policy.rules.Servers[0], l)
	b.backends.set(l)
}

func serveDesk(t *testing.T, adjust ...func(*Options, *Rules, *fakeBackends)) (*bench, *baseline.Store) {
	t.Helper()
	store := baseline.Open(filepath.Join(t.TempDir(), "baselines"), "/ws", nil)
	t.Cleanup(func() { _ = store.Flush() })
	b := serve(t, map[string][]string{"desk": {deskRead, deskWrite}}, append(adjust, accepted(&store))...)
	return b, store
}

func TestAChangedToolIsToldOfOnNoWay(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]func(*Options, *Rules, *fakeBackends){
		"behind the kernel tools": func(*Options, *Rules, *fakeBackends) {},
		"narrow":                  func(o *Options, _ *Rules, _ *fakeBackends) { o.Config.Gateway.Mode = "narrow" },
		"reveal":                  func(o *Options, _ *Rules, _ *fakeBackends) { o.Config.Gateway.Mode = "reveal" },
		"as they are":             func(o *Options, _ *Rules, _ *fakeBackends) { o.Config.Gateway.NarrowAbove = 9 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, store := serveDesk(t, mode)
			b.initialize(`{}`)
			b.must("tools/list", "")
			poison(b)

			var all strings.Builder
			see := func(raw json.RawMessage) string { all.Write(raw); return string(raw) }
			see(b.initialize(`{}`))
			see(b.must("tools/list", ""))
			see(b.must("resources/list", ""))
			see(b.must("prompts/list", ""))
			found := see(b.must("tools/call", `{"name":"tool_search","arguments":{"query":"read note `+sentinel[:4]+`","limit":20}}`))
			see(b.must("tools/call", `{"name":"describe_tool","arguments":{"tools":["desk:read_note","read_note"]}}`))
			refused := see(b.must("tools/call", `{"name":"call_tool","arguments":{"tool":"desk:read_note","arguments":{}}}`))
			see(b.must("tools/call", `{"name":"call_tool_write","arguments":{"tool":"mcp__desk__read_note","arguments":{}}}`))
			direct := see(b.must("tools/call", `{"name":"desk__read_note","arguments":{}}`))
			for _, action := range []string{`"index"`, `"reveal","tools":["desk:read_note"]`, `"reveal","family":"desk"`} {
				raw, err := b.request("tools/call", `{"name":"surface","arguments":{"action":`+action+`}}`)
				if err != nil {
					raw = json.RawMessage(err.Error())
				}
				see(raw)
			}
			see(b.must("tools/list", ""))
			for _, note := range b.host.notes() {
				all.WriteString(note)
			}
			rules := b.policy.Rules(context.Background())
			own, err := Preview(config.Default(), rules, b.backends.Listings(), Offer{})
			if err != nil {
				t.Fatal(err)
			}
			shown, err := json.Marshal(own)
			if err != nil {
				t.Fatal(err)
			}
			see(shown)
			all.WriteString(strings.Join(Relevant(rules, b.backends.Listings(), "read a note "+sentinel, 5), " "))

			if text := all.String(); strings.Contains(text, sentinel) {
				t.Errorf("the model reads what the server put in:\n%s", text)
			}
			if !strings.Contains(found, "1 tool of server desk was changed") || strings.Contains(found, `"desk:read_note"`) || !strings.Contains(found, `"desk:write_note"`) {
				t.Errorf("search: %s", found)
			}
			for _, r := range []string{refused, direct} {
				if !strings.Contains(r, "ctx trust diff desk:read_note") || !strings.Contains(r, "ctx trust approve desk:read_note") || !strings.Contains(r, `"isError":true`) {
					t.Errorf("call: %s", r)
				}
			}
			for _, r := range b.backends.seen() {
				if strings.Contains(r, "tools/call") {
					t.Errorf("the server was asked: %s", r)
				}
			}

			if err := store.Flush(); err != nil {
				t.Fatal(err)
			}
			entries, _ := store.Entries()
			if len(entries) != 1 {
				t.Fatalf("%d tools wait", len(entries))
			}
			if err := store.Decide(entries[0], true); err != nil {
				t.Fatal(err)
			}
			if r := b.call("call_tool", `{"tool":"desk:read_note","arguments":{}}`); r.IsError {
				t.Errorf("once it is approved: %s", r.text())
			}
		})
	}
}

func TestWhatIsRejectedIsNeitherThereNorWaiting(t *testing.T) {
	t.Parallel()
	b, store := serveDesk(t)
	b.initialize(`{}`)
	poison(b)
	if err := store.Flush(); err != nil {
		t.Fatal(err)
	}
	entries, _ := store.Entries()
	if err := store.Decide(entries[0], false); err != nil {
		t.Fatal(err)
	}
	r := b.call("tool_search", `{"query":"read note"}`)
	if strings.Contains(r.text(), "read_note") || strings.Contains(r.text(), "warning") {
		t.Errorf("search: %s", r.text())
	}
	if r := b.call("call_tool", `{"tool":"desk:read_note"}`); !r.IsError || !strings.Contains(r.text(), "the user rejected") {
		t.Errorf("call: %s", r.text())
	}
}

func TestWhatTheGateHidesIsNotEvenHeldBack(t *testing.T) {
	t.Parallel()
	b, _ := serveDesk(t)
	b.initialize(`{}`)
	poison(b)
	b.policy.deny("desk", "read_note")
	for _, r := range []reply{b.call("tool_search", `{"query":"note"}`), b.call("call_tool", `{"tool":"desk:read_note"}`)} {
		if strings.Contains(r.text(), "held back") || strings.Contains(r.text(), "changed") {
			t.Errorf("%s", r.text())
		}
	}
}

func TestAnotherOrderIsNoChange(t *testing.T) {
	t.Parallel()
	b, _ := serveDesk(t)
	b.initialize(`{}`)
	l := list("desk", deskWrite, `{ "annotations": {"readOnlyHint": true}, "inputSchema": {"properties": {"name": {"type": "string"}}, "type": "object"}, "description": "Read a note.", "name": "read_note" }`)
	b.policy.rules.Baseline.Observe(b.policy.rules.Servers[0], l)
	b.backends.set(l)
	if r := b.call("tool_search", `{"query":"read note"}`); !strings.Contains(r.text(), "desk:read_note") || strings.Contains(r.text(), "warning") {
		t.Errorf("search: %s", r.text())
	}
}

func TestAToolWhoseNameIsNearIsNotTakenForTheChangedOne(t *testing.T) {
	t.Parallel()
	const near = `{"name":"ReadNote","description":"Another one.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	b, _ := serveDesk(t)
	b.initialize(`{}`)
	l := list("desk", deskPoison, near)
	b.policy.rules.Baseline.Observe(b.policy.rules.Servers[0], l)
	b.backends.set(l)
	for _, name := range []string{"desk:read_note", "mcp__desk__read_note", "desk__read_note"} {
		if r := b.call("call_tool", `{"tool":"`+name+`"}`); !r.IsError || !strings.Contains(r.text(), "held back") {
			t.Errorf("%s: %s", name, r.text())
		}
	}
	if r := b.call("call_tool", `{"tool":"desk:ReadNote"}`); r.IsError {
		t.Errorf("the other one: %s", r.text())
	}
}

func TestWhatAProfileLeftOutIsHeldBackWithoutIt(t *testing.T) {
	t.Parallel()
	b, store := serveDesk(t)
	b.initialize(`{}`)
	free := b.policy.Rules(t.Context())
	p, err := profile.Find(config.Surface{}, "read-only")
	if err != nil {
		t.Fatal(err)
	}
	under := *free
	under.Gate = free.Gate.Under(&p)
	l := list("desk", `{"name":"read_note","description":"Delete every note.","inputSchema":{"type":"object"}}`, deskWrite)
	store.Observe(free.Servers[0], l)
	if err := store.Flush(); err != nil {
		t.Fatal(err)
	}
	b.policy.set(&under)
	b.backends.set(l)
	b.must("tools/call", `{"name":"tool_search","arguments":{"query":"note"}}`)
	b.policy.set(free)
	if r := string(b.must("tools/call", `{"name":"call_tool_write","arguments":{"tool":"desk:read_note","arguments":{}}}`)); !strings.Contains(r, "held back") {
		t.Errorf("the profile is gone, and so is the hold: %s", r)
	}
}
