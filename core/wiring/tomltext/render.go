package tomltext

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"
)

// parseValue reads a JSON value, keeping the order of its keys.
func parseValue(raw json.RawMessage) (hujson.Value, error) {
	v, err := hujson.Parse(raw)
	if err != nil {
		return v, err
	}
	_, err = treeOf(v)
	return v, err
}

// Value is the tree of a JSON value that is written as TOML.
func Value(raw json.RawMessage) (any, error) {
	v, err := hujson.Parse(raw)
	if err != nil {
		return nil, err
	}
	return treeOf(v)
}

// treeOf is what a JSON value means in TOML.
func treeOf(v hujson.Value) (any, error) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		m := map[string]any{}
		for _, member := range c.Members {
			t, err := treeOf(member.Value)
			if err != nil {
				return nil, err
			}
			if _, twice := m[nameOf(member)]; twice {
				return nil, fmt.Errorf("the key %q is in one object twice", nameOf(member))
			}
			m[nameOf(member)] = t
		}
		return m, nil
	case *hujson.Array:
		list := make([]any, len(c.Elements))
		for i, e := range c.Elements {
			t, err := treeOf(e)
			if err != nil {
				return nil, err
			}
			list[i] = t
		}
		return list, nil
	}
	lit := v.Value.(hujson.Literal)
	switch lit.Kind() {
	case '"':
		return Scalar{unstable.String, lit.String()}, nil
	case 't', 'f':
		return Scalar{unstable.Bool, string(lit)}, nil
	case 'n':
		return nil, errors.New("TOML has no null")
	}
	if strings.ContainsAny(string(lit), ".eE") {
		return Scalar{unstable.Float, string(lit)}, nil
	}
	if _, err := strconv.ParseInt(string(lit), 10, 64); err != nil {
		return nil, fmt.Errorf("the integer %s does not fit in 64 bits", lit)
	}
	return Scalar{unstable.Integer, string(lit)}, nil
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// literal writes a value on one line.
func literal(v hujson.Value) string {
	switch c := v.Value.(type) {
	case *hujson.Object:
		if len(c.Members) == 0 {
			return "{}"
		}
		parts := make([]string, len(c.Members))
		for i, m := range c.Members {
			parts[i] = pair([]string{nameOf(m)}, m.Value)
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case *hujson.Array:
		parts := make([]string, len(c.Elements))
		for i, e := range c.Elements {
			parts[i] = literal(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	lit := v.Value.(hujson.Literal)
	if lit.Kind() == '"' {
		return quote(lit.String())
	}
	return string(lit)
}

func pair(path []string, v hujson.Value) string { return dotted(path) + " = " + literal(v) }

// section writes a table with its header, without the newline after it.
func section(open string, path []string, close string, v hujson.Value, newline string) string {
	lines := []string{open + dotted(path) + close}
	for _, m := range v.Value.(*hujson.Object).Members {
		lines = append(lines, pair([]string{nameOf(m)}, m.Value))
	}
	return strings.Join(lines, newline)
}

// dotted writes a key.
func dotted(path []string) string {
	parts := make([]string, len(path))
	for i, k := range path {
		parts[i] = k
		bare := func(r rune) bool {
			return r < 0x80 && (r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z')
		}
		if k == "" || strings.TrimFunc(k, bare) != "" {
			parts[i] = quote(k)
		}
	}
	return strings.Join(parts, ".")
}

// quote writes a basic string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// wrap makes a value the only member of an object.
func wrap(name string, v hujson.Value) hujson.Value {
	return hujson.Value{Value: &hujson.Object{Members: []hujson.ObjectMember{{
		Name: hujson.Value{Value: hujson.String(name)}, Value: v,
	}}}}
}

func isObject(v hujson.Value) bool { return v.Value.Kind() == '{' }
