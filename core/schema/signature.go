package schema

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Signature is an input schema in one short line, enough to call the tool in
// most cases: {path: string, head?: number, mode?: "a"|"b"}. What is required
// comes first. Beyond max bytes it ends in "...".
func Signature(input json.RawMessage, max int) string {
	root, ok := decode(Input(input))
	if !ok {
		return "{}"
	}
	return object(root, max, 1)
}

// object writes an object schema; depth is how many levels of objects within it
// are written out.
func object(schema map[string]any, max, depth int) string {
	properties, _ := schema["properties"].(map[string]any)
	required := words(schema["required"])
	var optional []string
	names := slices.DeleteFunc(slices.Clone(required), func(n string) bool { _, ok := properties[n]; return !ok })
	for n := range properties {
		if !slices.Contains(required, n) {
			optional = append(optional, n)
		}
	}
	slices.Sort(optional)
	var b strings.Builder
	b.WriteByte('{')
	for i, n := range slices.Concat(names, optional) {
		if i > 0 {
			b.WriteString(", ")
		}
		p := printable(n)
		if i >= len(names) {
			p += "?"
		}
		property, _ := properties[n].(map[string]any)
		p += ": " + kind(property, max, depth)
		if b.Len()+len(p)+len(", ...}") > max {
			b.WriteString("...")
			break
		}
		b.WriteString(p)
	}
	b.WriteByte('}')
	return b.String()
}

// kind writes the type of one property.
func kind(p map[string]any, max, depth int) string {
	const mostValues, longestValues = 6, 80
	if c, ok := p["const"]; ok {
		return printable(string(encode(c)))
	}
	if values, ok := p["enum"].([]any); ok {
		var all []string
		for _, v := range values {
			all = append(all, printable(string(encode(v))))
		}
		if text := strings.Join(all, "|"); len(all) <= mostValues && len(text) <= longestValues {
			return text
		}
	}
	for _, union := range []string{"anyOf", "oneOf"} {
		if branches, ok := p[union].([]any); ok {
			var all []string
			for _, b := range branches {
				branch, _ := b.(map[string]any)
				if k := kind(branch, max, depth-1); !slices.Contains(all, k) {
					all = append(all, k)
				}
			}
			if len(all) > 0 && len(all) <= mostValues {
				return strings.Join(all, "|")
			}
		}
	}
	switch t := p["type"].(type) {
	case string:
		return typed(t, p, max, depth)
	case []any:
		return printable(strings.Join(words(t), "|"))
	}
	if _, ok := p["properties"]; ok {
		return typed("object", p, max, depth)
	}
	return "any"
}

func typed(t string, p map[string]any, max, depth int) string {
	switch t {
	case "array":
		items, _ := p["items"].(map[string]any)
		k := kind(items, max, depth)
		if strings.Contains(k, "|") && !strings.HasPrefix(k, "{") {
			k = "(" + k + ")"
		}
		return k + "[]"
	case "object":
		if properties, _ := p["properties"].(map[string]any); depth > 0 && len(properties) > 0 {
			return object(p, max/2, depth-1)
		}
		return "object"
	}
	return printable(t)
}

// printable keeps control and invisible characters out of what a model reads,
// and cuts what no name or value needs.
func printable(s string) string {
	const longest = 80
	var b strings.Builder
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || r > 0x7e && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		if b.Len() > longest {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
