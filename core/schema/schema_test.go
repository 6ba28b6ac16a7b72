package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/schema/refs"
)

func tools(ids ...string) []listing.Tool {
	var ts []listing.Tool
	for _, id := range ids {
		server, name, _ := strings.Cut(id, ":")
		ts = append(ts, listing.Tool{Server: server, Name: name})
	}
	return ts
}

func TestNamesFitEveryHostAndStayDistinct(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("very_long_tool_name_", 5)
	ts := tools("fs:read_file", "web:search-a", "web:search_a", "web:search a", "a__b:c", "a:b__c", "s:"+long+"x", "s:"+long+"y",
		"日本:検索", "日本:削除", "gradle:Run Task!", ":x")
	const max = 43
	names := Names(ts, max)
	valid := regexp.MustCompile(`^[A-Za-z0-9_-]{1,43}$`)
	seen := map[string]bool{}
	for i, n := range names {
		if !valid.MatchString(n) {
			t.Errorf("%s is listed as %q", ts[i].ID(), n)
		}
		if seen[n] {
			t.Errorf("%q is taken twice", n)
		}
		seen[n] = true
	}
	if names[0] != "fs__read_file" || names[1] != "web__search-a" || names[10] != "gradle__Run_Task_" {
		t.Errorf("plain names changed: %q", names)
	}
	reversed := slices.Clone(ts)
	slices.Reverse(reversed)
	again := Names(reversed, max)
	slices.Reverse(again)
	if !slices.Equal(names, again) {
		t.Errorf("names depend on the order: %q, %q", names, again)
	}
}

func TestMendedSchemas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"sound, as it is": {`{"type": "object", "properties":{"n":{"const":1.0e3}}}`, `{"type": "object", "properties":{"n":{"const":1.0e3}}}`},
		"missing":         {``, `{"type":"object"}`},
		"null":            {`null`, `{"type":"object"}`},
		"true":            {`true`, `{"type":"object"}`},
		"no type":         {`{"properties":{"a":{}}}`, `{"properties":{"a":{}},"type":"object"}`},
		"nullable":        {`{"type":["object","null"]}`, `{"type":"object"}`},
		"root anyOf": {
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["z"],"anyOf":[{"required":["a","c"]},{"properties":{"b":{},"a":{"type":"integer"}},"required":["b","c"]}]}`,
			`{"description":"Give at least one of: a+c, b+c.","properties":{"a":{"type":"string"},"b":{}},"required":["c","z"],"type":"object"}`,
		},
		"root oneOf by reference": {
			`{"oneOf":[{"$ref":"#/$defs/x"},{"$ref":"#/$defs/y"}],"$defs":{"x":{"properties":{"p":{}},"required":["p"]},"y":{"properties":{"q":{}},"required":["q"]}}}`,
			`{"description":"Give exactly one of: p, q.","properties":{"p":{},"q":{}},"type":"object"}`,
		},
		"root allOf, nested": {
			`{"allOf":[{"allOf":[{"properties":{"a":{}},"required":["a"]}]},{"properties":{"b":{}},"required":["b"]}]}`,
			`{"properties":{"a":{},"b":{}},"required":["a","b"],"type":"object"}`,
		},
		"reference with siblings": {
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/x","description":"mine"}},"$defs":{"x":{"type":"string","description":"theirs"}}}`,
			`{"properties":{"a":{"description":"mine","type":"string"}},"type":"object"}`,
		},
		"broken reference": {
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/none"},"b":{"$ref":"https://example.com/s.json"}}}`,
			`{"properties":{"a":{},"b":{}},"type":"object"}`,
		},
		"cycle": {
			`{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}}}`,
			`{"properties":{"n":{"properties":{"next":{}},"type":"object"}},"type":"object"}`,
		},
		"whole schema": {
			`{"type":"object","properties":{"child":{"$ref":"#"}}}`,
			`{"properties":{"child":{"properties":{"child":{}},"type":"object"}},"type":"object"}`,
		},
		"escaped pointer and array": {
			`{"type":"object","properties":{"a":{"$ref":"#/x~1y/1"}},"x/y":[{},{"const":20000000000000000001}]}`,
			`{"properties":{"a":{"const":20000000000000000001}},"type":"object","x/y":[{},{"const":20000000000000000001}]}`,
		},
		"a property named $ref": {
			`{"type":"object","properties":{"$ref":{"type":"string"},"anyOf":{}}}`,
			`{"properties":{"$ref":{"type":"string"},"anyOf":{}},"type":"object"}`,
		},
	} {
		if got := Input(json.RawMessage(c.in)); string(got) != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestReferencesThatMultiplyStayBounded(t *testing.T) {
	t.Parallel()
	defs := []string{`"d0":{"type":"string"}`}
	for i := 1; i < 40; i++ {
		defs = append(defs, fmt.Sprintf(`"d%d":{"properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}}`, i, i-1, i-1))
	}
	in := `{"type":"object","properties":{"x":{"$ref":"#/$defs/d39"}},"$defs":{` + strings.Join(defs, ",") + `}}`
	if got := Input(json.RawMessage(in)); len(got) > 1<<20 || bytes.Contains(got, []byte("$ref")) {
		t.Errorf("%d bytes", len(got))
	}
}

func TestReferencesToMuchStayBounded(t *testing.T) {
	t.Parallel()
	const much = 20_000
	var properties []string
	for i := range 400 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/much"}`, i))
	}
	values := strings.Repeat(`"x",`, much) + `"x"`
	for name, def := range map[string]string{
		"values":   `{"enum":[` + values + `]}`,
		"lists":    `{"enum":[` + strings.Repeat(`[],`, much) + `[` + values + `]]}`,
		"a text":   `{"description":"` + strings.Repeat("long ", much) + `"}`,
		"a name":   `{"` + strings.Repeat("long", much) + `":true}`,
		"a number": `{"maximum":1` + strings.Repeat("0", 4*much) + `}`,
	} {
		in := `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"$defs":{"one":{"type":"string"},"much":` + def + `}}`
		got := Input(json.RawMessage(in))
		// What is referred to is copied until the bound is passed, once at the least.
		if most := 20 * len(in); len(got) > most || bytes.Contains(got, []byte("$ref")) || len(got) < len(def) {
			t.Errorf("%s: %d bytes of %d", name, len(got), len(in))
		}
	}
}

func TestWhatStandsInASchemaOnceIsNoReasonToDropAReference(t *testing.T) {
	t.Parallel()
	for _, much := range []string{
		`"enum":[` + strings.Repeat(`"x",`, 2*refs.MaxNodes) + `"x"]`,
		`"anyOf":[` + strings.Repeat(`{"type":"string"},`, 2*refs.MaxNodes) + `{}]`,
	} {
		in := `{"type":"object","properties":{"a":{` + much + `},"b":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"integer"}}}`
		if got := Input(json.RawMessage(in)); !bytes.Contains(got, []byte(`"b":{"type":"integer"}`)) {
			t.Errorf("b is lost: %.200s", got)
		}
	}
}

func TestWhatABoundCutsOffIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	var properties []string
	for i := range 20 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/much"}`, i))
	}
	in := `{"properties":{` + strings.Join(properties, ",") + `},"$defs":{"much":{"enum":[` + strings.Repeat(`"x",`, refs.MaxNodes/10) + `"x"]}}}`
	want := Input(json.RawMessage(in))
	for range 10 {
		if got := Input(json.RawMessage(in)); !bytes.Equal(got, want) {
			t.Fatal("a schema is mended in two ways")
		}
	}
}

func TestOneBadToolNeverSinksTheList(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`null`, `7`, `[]`, `{`, ``, `{"inputSchema":5,"description":null,"outputSchema":[]}`} {
		got := Mend(json.RawMessage(in), "s__t")
		if string(got) != `{"inputSchema":{"type":"object"},"name":"s__t"}` {
			t.Errorf("%s became %s", in, got)
		}
	}
	for out, kept := range map[string]bool{
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{}}}`: true,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`:               false,
		`{"type":"array"}`:              false,
		`{"properties":{}}`:             false,
		`{"type":"object","items":[7]}`: true,
	} {
		got := Mend(json.RawMessage(`{"name":"t","title":"T","x-own":1.0e3,"outputSchema":`+out+`}`), "s__t")
		if bytes.Contains(got, []byte(out)) != kept {
			t.Errorf("outputSchema %s: %s", out, got)
		}
		if !bytes.Contains(got, []byte(`"title":"T","x-own":1.0e3`)) {
			t.Errorf("something else changed: %s", got)
		}
	}
}

func FuzzMend(f *testing.F) {
	f.Add(`{"inputSchema":{"anyOf":[{"$ref":"#"}],"$defs":{"a":{"$ref":"#/$defs/a"}}}}`)
	f.Fuzz(func(t *testing.T, in string) {
		got := Mend(json.RawMessage(in), "n")
		tool, ok := decode(got)
		input, isObject := tool["inputSchema"].(map[string]any)
		if !ok || !isObject || input["type"] != "object" || hasUnion(input) {
			t.Fatalf("%s became %s", in, got)
		}
	})
}
