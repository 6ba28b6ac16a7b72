// Package refs follows the references within a JSON schema.
package refs

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// MaxNodes bounds the schema that inlining may make of a small one: references
// that refer to one another can multiply without any cycle.
const MaxNodes = 5000

// longText is how many bytes of a name, text or number count as a node of their
// own when they are copied.
const longText = 256

// Resolve returns a schema as [Inline] makes it. What is no JSON object, or
// would be nested too deeply to be read, stays as it is.
func Resolve(raw json.RawMessage) json.RawMessage {
	if !bytes.Contains(raw, []byte(`"$ref"`)) {
		return raw
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // else one that no float64 holds would make all of it unreadable
	var root map[string]any
	if d.Decode(&root) != nil {
		return raw
	}
	out, err := json.Marshal(Inline(root))
	if err != nil || !json.Valid(out) {
		return raw
	}
	return out
}

// Inline replaces every local reference by what it points to. One that points
// nowhere, outside the schema, back into itself, or beyond MaxNodes becomes a
// schema that accepts anything, and keeps what was written beside it.
func Inline(root map[string]any) map[string]any {
	body := maps.Clone(root)
	delete(body, "$defs")
	delete(body, "definitions")
	in := &inliner{root: root, body: body}
	return in.object(body, nil)
}

type inliner struct {
	root  map[string]any // as given: where references are looked up
	body  map[string]any // without the definitions: what "#" stands for
	nodes int
}

// count notes nodes that a reference has multiplied. What stands in the schema
// itself is there once, however much it is.
func (in *inliner) count(nodes int, open []string) {
	if len(open) > 0 {
		in.nodes += nodes
	}
}

// value copies a node; open holds the references being followed above it.
func (in *inliner) value(node any, open []string) any {
	switch n := node.(type) {
	case map[string]any:
		return in.object(n, open)
	case string:
		in.count(len(n)/longText, open)
		return n
	case json.Number:
		in.count(len(n)/longText, open)
		return n
	case []any:
		in.count(len(n), open)
		out := make([]any, len(n))
		for i, v := range n {
			out[i] = in.value(v, open)
		}
		return out
	default:
		return n
	}
}

func (in *inliner) object(n map[string]any, open []string) map[string]any {
	in.count(len(n), open)
	out := make(map[string]any, len(n))
	ref, isRef := n["$ref"].(string)
	if isRef {
		if target, ok := in.follow(ref, open); ok {
			maps.Copy(out, in.object(target, append(slices.Clip(open), ref)))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(n)) { // so that the bound always cuts off the same
		v := n[k]
		in.count(len(k)/longText, open)
		if !isRef || k != "$ref" {
			out[k] = in.value(v, open)
		}
	}
	return out
}

func (in *inliner) follow(ref string, open []string) (map[string]any, bool) {
	if slices.Contains(open, ref) || in.nodes > MaxNodes {
		return nil, false
	}
	if ref == "#" {
		return in.body, true
	}
	target, _ := Lookup(in.root, ref)
	object, ok := target.(map[string]any)
	return object, ok
}

// Lookup resolves a JSON pointer reference within root.
func Lookup(root map[string]any, ref string) (any, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	var node any = root
	if pointer == "" {
		return node, true
	}
	if pointer, ok = strings.CutPrefix(pointer, "/"); !ok {
		return nil, false
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for key := range strings.SplitSeq(pointer, "/") {
		key = unescape.Replace(key)
		switch n := node.(type) {
		case map[string]any:
			if node, ok = n[key]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(n) {
				return nil, false
			}
			node = n[i]
		default:
			return nil, false
		}
	}
	return node, true
}
