package surface_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
)

const (
	echo    = `{"name":"echo","description":"says <it> & é","inputSchema":{"type": "object"},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	sendIt  = `{"name":"send","description":"sends","inputSchema":{"type":"object"}}`
	nothing = `{"name":"bare"}`
)

func listings(byName map[string]listing.Listing) func(surface.Server) (listing.Listing, bool) {
	return func(s surface.Server) (listing.Listing, bool) {
		l, ok := byName[s.Name]
		return l, ok
	}
}

func of(server, instructions string, tools ...string) listing.Listing {
	l := listing.Listing{Server: server, Instructions: instructions}
	for _, t := range tools {
		l.Tools = append(l.Tools, json.RawMessage(t))
	}
	return l
}

func sources(loading surface.Loading, servers ...surface.Server) surface.Sources {
	return surface.Sources{Host: "fake", Loading: loading, ToolName: "mcp__{server}__{tool}", Servers: servers}
}

func TestEagerToolCostsWhatTheRequestCarries(t *testing.T) {
	t.Parallel()
	inv := surface.Price(sources(surface.Eager, surface.Server{Name: "a"}), surface.Pricing{
		Listing: listings(map[string]listing.Listing{"a": of("a", "12345", echo, nothing)}),
	})
	// As the host's request has them: no output schema, no annotations, no
	// escapes that only HTML needs.
	const one = `{"name":"mcp__a__echo","description":"says <it> & é","input_schema":{"type":"object"}}`
	const two = `{"name":"mcp__a__bare","description":"","input_schema":{}}`
	want := surface.PricedServer{
		Name: "a", Standing: surface.Loaded, Instructions: "12345",
		Tools: []surface.PricedTool{
			{Name: "echo", Cost: surface.Cost{Resident: (len(one) + 3) / 4, Bytes: len(one)}},
			{Name: "bare", Cost: surface.Cost{Resident: (len(two) + 3) / 4, Bytes: len(two)}},
		},
	}
	want.Cost = surface.Cost{Resident: (len(one)+3)/4 + (len(two)+3)/4 + 2, Bytes: len(one) + len(two) + 5}
	want.Direct = want.Cost
	want.Words = surface.Cost{Resident: 2, Bytes: 5}
	if diff := cmp.Diff(want, inv.Servers[0], cmpopts.IgnoreTypes(listing.Tool{})); diff != "" {
		t.Error(diff)
	}
}

func TestDeferredToolCostsItsName(t *testing.T) {
	t.Parallel()
	byName := listings(map[string]listing.Listing{"a": of("a", "", sendIt), "b": of("b", "", sendIt)})
	inv := surface.Price(sources(surface.Deferred, surface.Server{Name: "a"}, surface.Server{Name: "b", Eager: true}), surface.Pricing{Listing: byName})
	const record = len(`{"name":"mcp__a__send","description":"sends","input_schema":{"type":"object"}}`)
	const name = len("mcp__a__send\n")
	if want, got := (surface.Cost{Resident: (name + 3) / 4, Deferred: (record + 3) / 4, Bytes: name, DeferredBytes: record}), inv.Servers[0].Cost; got != want {
		t.Errorf("deferred: %+v, want %+v", got, want)
	}
	if want, got := (surface.Cost{Resident: (record + 3) / 4, Bytes: record}), inv.Servers[1].Cost; got != want {
		t.Errorf("always loaded: %+v, want %+v", got, want)
	}
}

func TestTextsAreCutAsTheHostDoes(t *testing.T) {
	t.Parallel()
	s := sources(surface.Eager, surface.Server{Name: "a"})
	long := `{"name":"x","description":"` + strings.Repeat("é", 100) + `"}`
	price := func(limit int) int {
		s.TextCap = limit
		return surface.Price(s, surface.Pricing{Listing: listings(map[string]listing.Listing{"a": of("a", strings.Repeat("é", 100), long)})}).Servers[0].Cost.Bytes
	}
	if whole, cut := price(0), price(40); whole-cut != 2*2*60 {
		t.Errorf("%d bytes whole, %d cut: want 240 less", whole, cut)
	}
	if price(100) != price(0) {
		t.Error("a text as long as the limit is cut")
	}
}

func TestBehindTheGateway(t *testing.T) {
	t.Parallel()
	s := sources(surface.Eager,
		surface.Server{Name: "ctx", Own: true}, surface.Server{Name: "a"}, surface.Server{Name: "b"}, surface.Server{Name: "off", Disabled: true})
	byName := listings(map[string]listing.Listing{"a": of("a", "", sendIt), "b": of("b", "", sendIt), "off": of("off", "", sendIt)})
	own := of("ctx", "index", `{"name":"call_tool","description":"calls","inputSchema":{}}`)

	before := surface.Price(sources(surface.Eager, s.Servers[1:]...), surface.Pricing{Listing: byName})
	after := surface.Price(s, surface.Pricing{Listing: byName, Fronted: []string{"a"}, Gateway: &own})

	if got := before.Total().Resident; got != before.Servers[0].Direct.Resident+before.Servers[1].Direct.Resident {
		t.Errorf("before: %d", got)
	}
	for i, want := range []surface.Standing{surface.Loaded, surface.HeldBack, surface.Loaded, surface.Off} {
		if got := after.Servers[i]; got.Standing != want || (got.Cost == surface.Cost{}) == (want == surface.Loaded) || got.Direct.Resident == 0 {
			t.Errorf("%s: %+v", got.Name, got)
		}
	}
	if got := after.Total(); got.Resident != after.Servers[0].Cost.Resident+after.Servers[2].Cost.Resident {
		t.Errorf("after: %+v", got)
	}
	if h := after.Heaviest(surface.HeldBack); len(h) != 1 || h[0].Name != "a" {
		t.Errorf("held back: %+v", h)
	}
}

func TestAServerOfTheUsersMayHaveTheNameOfOurs(t *testing.T) {
	t.Parallel()
	own := of("ctx", "index", `{"name":"call_tool","description":"calls","inputSchema":{}}`)
	inv := surface.Price(
		sources(surface.Eager, surface.Server{Name: "ctx", Own: true}, surface.Server{Name: "ctx"}),
		surface.Pricing{Listing: listings(map[string]listing.Listing{"ctx": of("ctx", "", sendIt)}), Fronted: []string{"ctx"}, Gateway: &own})
	if o, u := inv.Servers[0], inv.Servers[1]; o.Standing != surface.Loaded || o.Cost.Resident == 0 || u.Standing != surface.HeldBack {
		t.Errorf("ours: %+v\nthe user's: %+v", o, u)
	}
}

func TestWhatWasNeverListedIsUnmeasured(t *testing.T) {
	t.Parallel()
	s := sources(surface.Eager, surface.Server{Name: "new"}, surface.Server{Name: "bad"}, surface.Server{Name: "ctx", Own: true}, surface.Server{Name: "off", Disabled: true}, surface.Server{Name: "a"})
	inv := surface.Price(s, surface.Pricing{Listing: listings(map[string]listing.Listing{
		"bad": {Server: "bad", Failed: "it exited"}, "a": of("a", "", sendIt),
	})})
	var got []string
	for _, u := range inv.Unmeasured() {
		got = append(got, u.Name+": "+u.Unmeasured)
		if u.Cost != (surface.Cost{}) || u.Direct != (surface.Cost{}) {
			t.Errorf("%s has a price: %+v", u.Name, u)
		}
	}
	if diff := cmp.Diff([]string{"new: never listed", "bad: it exited", "ctx: never listed"}, got); diff != "" {
		t.Error(diff)
	}
	if inv.Total().Resident != inv.Servers[4].Cost.Resident {
		t.Errorf("total %+v", inv.Total())
	}
	if nothing := surface.Price(s, surface.Pricing{}); nothing.Total() != (surface.Cost{}) {
		t.Errorf("without any listing: %+v", nothing.Total())
	}
}

func TestToolsThatTheHostDoesNotShowAreFree(t *testing.T) {
	t.Parallel()
	inv := surface.Price(sources(surface.Eager, surface.Server{Name: "a"}), surface.Pricing{
		Listing: listings(map[string]listing.Listing{"a": of("a", "", sendIt, nothing)}),
		Admits:  func(_, tool string) bool { return tool != "send" },
	})
	if tools := inv.Servers[0].Tools; len(tools) != 1 || tools[0].Name != "bare" {
		t.Errorf("tools %+v", tools)
	}
}

func TestKindsAreSummedHeaviestFirst(t *testing.T) {
	t.Parallel()
	s := sources(surface.Eager, surface.Server{Name: "a"})
	s.Items = []surface.Item{
		{Kind: surface.KindSkill, Name: "x", Resident: 1, OnDemand: 400},
		{Kind: surface.KindSkill, Name: "y", Resident: 2},
		{Kind: surface.KindInstructions, Name: "z", Resident: 4000},
	}
	inv := surface.Price(s, surface.Pricing{Listing: listings(map[string]listing.Listing{"a": of("a", "", sendIt)})})
	want := []surface.KindCost{
		{Kind: surface.KindInstructions, Count: 1, Cost: surface.Cost{Resident: 1000, Bytes: 4000}},
		{Kind: surface.KindTool, Count: 1, Cost: inv.Servers[0].Cost},
		// A record of one byte is a whole token.
		{Kind: surface.KindSkill, Count: 2, Cost: surface.Cost{Resident: 2, OnDemand: 100, Bytes: 3, OnDemandBytes: 400}},
		{Kind: surface.KindServer, Count: 1},
	}
	if diff := cmp.Diff(want, inv.Kinds()); diff != "" {
		t.Error(diff)
	}
	if got := inv.Total().Resident; got != 1002+inv.Servers[0].Cost.Resident {
		t.Errorf("total %d", got)
	}
}

// A server without a word of its own is its name alone.
func TestServerLinesAreAsLongAsTheirText(t *testing.T) {
	t.Parallel()
	s := sources(surface.ServerLines, surface.Server{Name: "a"}, surface.Server{Name: "b"})
	inv := surface.Price(s, surface.Pricing{Listing: listings(map[string]listing.Listing{
		"a": of("a", "Notes.\nAnd more.", sendIt), "b": of("b", "", sendIt),
	})})
	for i, line := range []string{"- mcp__a: Notes.\n", "- mcp__b\n"} {
		if got := inv.Servers[i].Cost.Bytes; got != len(line) {
			t.Errorf("%q is priced as %d bytes", line, got)
		}
	}
}
