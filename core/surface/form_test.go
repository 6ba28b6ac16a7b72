package surface_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// grouped is a host that writes tools by server and knows few keywords.
var grouped = surface.Form{
	Tool:     `{"name":{name},"description":{description},"parameters":{schema}}`,
	Group:    `{"name":{name},"description":{description},"tools":[{tools}]}`,
	Mute:     "Tools of {name}.",
	Plain:    true,
	Keywords: []string{"type", "description", "enum", "items", "properties", "required", "additionalProperties", "anyOf", "$ref", "$defs"},
	Trim:     true,
}

func bytesOf(t *testing.T, form surface.Form, instructions string, tools ...string) surface.PricedServer {
	t.Helper()
	s := sources(surface.Eager, surface.Server{Name: "a-b"})
	s.Form = form
	inv := surface.Price(s, surface.Pricing{Listing: listings(map[string]listing.Listing{"a-b": of("a-b", instructions, tools...)})})
	return inv.Servers[0]
}

func TestSchemasArePricedAsTheHostReducesThem(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"$schema":"x","type":"object","properties":{"n":{"type":"number","minimum":1,"default":3}}}`: `{"properties":{"n":{"type":"number"}},"type":"object"}`,
		`{}`:                                 `{"properties":{},"type":"object"}`,
		`{"type":"object"}`:                  `{"properties":{},"type":"object"}`,
		`{"properties":{"c":{"const":"x"}}}`: `{"properties":{"c":{"enum":["x"],"type":"string"}},"type":"object"}`,
		`{"properties":{"t":true}}`:          `{"properties":{"t":{"type":"string"}},"type":"object"}`,
		`{"properties":{"e":{"description":"no type"}}}`:                                                                     `{"properties":{"e":{}},"type":"object"}`,
		`{"properties":{"a":{"type":"array"}}}`:                                                                              `{"properties":{"a":{"items":{"type":"string"},"type":"array"}},"type":"object"}`,
		`{"properties":{"m":{"maximum":12345678901234567890}}}`:                                                              `{"properties":{"m":{"type":"number"}},"type":"object"}`,
		`{"properties":{"r":{"$ref":"#/$defs/D"}},"$defs":{"D":{"type":"string","minLength":1},"Unused":{"type":"string"}}}`: `{"$defs":{"D":{"type":"string"}},"properties":{"r":{"$ref":"#/$defs/D"}},"type":"object"}`,
	} {
		s := bytesOf(t, grouped, "", `{"name":"t.1","description":"d","inputSchema":`+in+`}`)
		record := `{"name":"t_1","description":"d","parameters":` + want + `}`
		if got := s.Tools[0].Cost.Bytes; got != len(record) {
			t.Errorf("%s is priced at %d bytes, want the %d of %s", in, got, len(record), record)
		}
	}
}

func TestAGroupIsPricedWithItsServersWords(t *testing.T) {
	t.Parallel()
	const two = `{"name":"u"}`
	for instructions, want := range map[string]string{
		"":                 `{"name":"mcp__a_b","description":"Tools of mcp__a_b.","tools":[,]}`,
		" Say \"it\".\n\n": `{"name":"mcp__a_b","description":"Say \"it\".","tools":[,]}`,
	} {
		if got := bytesOf(t, grouped, instructions, two, `{"name":"v"}`).Words.Bytes; got != len(want) {
			t.Errorf("%q: %d bytes, want the %d of %s", instructions, got, len(want), want)
		}
	}
	if got := bytesOf(t, grouped, "words").Words.Bytes; got != 0 {
		t.Errorf("a group without tools is not sent, but priced at %d bytes", got)
	}
}

func TestWhatIsCutOffLeavesAMark(t *testing.T) {
	t.Parallel()
	s := sources(surface.Eager, surface.Server{Name: "a"})
	s.TextCap, s.Form.Cut = 10, "[cut]"
	inv := surface.Price(s, surface.Pricing{Listing: listings(map[string]listing.Listing{"a": of("a", strings.Repeat("x", 20), sendIt)})})
	if got := inv.Servers[0].Words.Bytes; got != 15 {
		t.Errorf("%d bytes, want 10 and the mark", got)
	}
}

// Escapes that a server wrote into its JSON are not what a host sends.
func TestToolJSONIsPricedAsItIsWrittenAnew(t *testing.T) {
	t.Parallel()
	plain := bytesOf(t, surface.Form{}, "", `{"name":"t","inputSchema":{"type":"object","title":"<é>"}}`)
	escaped := bytesOf(t, surface.Form{}, "", `{"name":"t","inputSchema": { "type": "object", "title": "\u003c\u00e9\u003e" }}`)
	if plain.Tools[0].Cost != escaped.Tools[0].Cost {
		t.Errorf("%+v and %+v", plain.Tools[0].Cost, escaped.Tools[0].Cost)
	}
}

func TestFramesAreInTheTotalAndInNoKind(t *testing.T) {
	t.Parallel()
	s := sources(surface.Eager, surface.Server{Name: "a"})
	s.Form.Head, s.Form.Words = "# Servers\n", "## {server}\n{words}\n"
	s.Frames = []surface.Frame{{Kind: surface.KindInstructions, Text: "read this"}}
	inv := surface.Price(s, surface.Pricing{Listing: listings(map[string]listing.Listing{"a": of("a", "12345", sendIt)})})
	sum := 0
	for _, k := range inv.Kinds() {
		sum += k.Cost.Bytes
	}
	around := len("# Servers\n## a\n\n") + len("read this")
	if inv.Around().Bytes != around || inv.Total().Bytes != sum+around {
		t.Errorf("around %d, want %d; total %d of %d", inv.Around().Bytes, around, inv.Total().Bytes, sum)
	}
}

func TestOtherTokenizersCountTexts(t *testing.T) {
	t.Parallel()
	s := sources(surface.Eager, surface.Server{Name: "a"})
	s.Items = []surface.Item{
		{Kind: surface.KindSkill, Name: "x", Resident: 9, Text: "one two 3", OnDemand: 5},
		{Kind: surface.KindSkill, Name: "silent", Resident: 9},
	}
	words := func(text string) int { return len(strings.Fields(text)) }
	inv := surface.Price(s, surface.Pricing{
		Count:   words,
		Body:    func(surface.Item) (string, bool) { return "a body", true },
		Listing: listings(map[string]listing.Listing{"a": of("a", "say one word", sendIt)}),
	})
	if c := inv.Items[0].Cost; c.Resident != 3 || c.OnDemand != 2 || c.Bytes != 9 {
		t.Errorf("%+v", c)
	}
	if it := inv.Items[1]; it.Unmeasured == "" || it.Cost.Resident != 0 {
		t.Errorf("a text that nobody has is counted: %+v", it)
	}
	if got := inv.Servers[0].Words.Resident; got != 3 {
		t.Errorf("%d tokens of instructions", got)
	}
}

func FuzzAnySchemaHasAPrice(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"anyOf":[true,{"$ref":"#/$defs/x"}]}},"$defs":{"x":{"$ref":"#/$defs/x"}}}`)
	f.Fuzz(func(t *testing.T, schema string) {
		if !json.Valid([]byte(schema)) {
			return
		}
		if got := bytesOf(t, grouped, "", `{"name":"t","inputSchema":`+schema+`}`); len(got.Tools) != 1 || got.Tools[0].Cost.Bytes == 0 {
			t.Errorf("%s: %+v", schema, got)
		}
	})
}
