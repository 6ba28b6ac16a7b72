package surface

import "strings"

// reduce rewrites a schema as a host does that knows some keywords alone: the
// others are dropped, "const" becomes an "enum" of one, true and false become
// any string, a missing type is the one that the other keywords speak of, and
// an object without properties and an array without items get empty ones.
// Definitions that nothing refers to are left out.
func (w writer) reduce(root any) any {
	used := map[string]bool{}
	v := w.reduced(root, used)
	o, ok := v.(map[string]any)
	if !ok {
		return map[string]any{"type": "object", "properties": map[string]any{}}
	}
	if len(o) == 0 {
		return map[string]any{"type": "object", "properties": map[string]any{}}
	}
	for _, place := range []string{"$defs", "definitions"} {
		defs, ok := field(root, place)
		if !ok {
			continue
		}
		kept := w.definitions(defs, "#/"+place+"/", used)
		delete(o, place)
		if len(kept) > 0 && w.keywords[place] {
			o[place] = kept
		}
	}
	return o
}

// definitions reduces those that are referred to, also from one another.
func (w writer) definitions(defs map[string]any, prefix string, used map[string]bool) map[string]any {
	kept := map[string]any{}
	for again := true; again; {
		again = false
		for name, d := range defs {
			if _, done := kept[name]; !done && used[prefix+name] {
				kept[name] = w.reduced(d, used)
				again = true
			}
		}
	}
	return kept
}

func (w writer) reduced(v any, used map[string]bool) any {
	switch v := v.(type) {
	case bool:
		return map[string]any{"type": "string"}
	case map[string]any:
		return w.object(v, used)
	}
	return v
}

func (w writer) object(in map[string]any, used map[string]bool) map[string]any {
	out := map[string]any{}
	for k, v := range in {
		if !w.keywords[k] {
			continue
		}
		switch k {
		case "properties", "$defs", "definitions":
			if m, ok := v.(map[string]any); ok && k == "properties" {
				out[k] = w.each(m, used)
			}
		case "items", "anyOf", "oneOf", "allOf":
			out[k] = w.parts(v, used)
		case "additionalProperties":
			out[k] = v
			if m, ok := v.(map[string]any); ok {
				out[k] = w.object(m, used)
			}
		case "$ref":
			if ref, ok := v.(string); ok {
				used[ref] = true
			}
			out[k] = v
		default:
			out[k] = v
		}
	}
	if c, ok := in["const"]; ok {
		out["enum"] = []any{c}
	}
	return w.typed(in, out)
}

func (w writer) each(m map[string]any, used map[string]bool) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = w.reduced(v, used)
	}
	return out
}

func (w writer) parts(v any, used map[string]bool) any {
	list, ok := v.([]any)
	if !ok {
		return w.reduced(v, used)
	}
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = w.reduced(x, used)
	}
	return out
}

// typed writes out what a schema says by its other keywords.
func (w writer) typed(in, out map[string]any) map[string]any {
	if out["type"] == nil {
		switch {
		case has(out, "$ref", "anyOf", "oneOf", "allOf"):
			return out
		case has(in, "properties", "required", "additionalProperties"):
			out["type"] = "object"
		case has(in, "items", "prefixItems"):
			out["type"] = "array"
		case has(in, "enum", "const", "format"):
			out["type"] = "string"
		case has(in, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
			out["type"] = "number"
		default:
			return map[string]any{} // it says nothing
		}
	}
	if is(out["type"], "object") && out["properties"] == nil {
		out["properties"] = map[string]any{}
	}
	if is(out["type"], "array") && out["items"] == nil {
		out["items"] = map[string]any{"type": "string"}
	}
	return out
}

func has(m map[string]any, keys ...string) bool {
	for _, k := range keys {
		if _, ok := m[k]; ok {
			return true
		}
	}
	return false
}

// is reports whether a "type" names, or is among others, the type want.
func is(v any, want string) bool {
	switch v := v.(type) {
	case string:
		return v == want
	case []any:
		for _, x := range v {
			if s, ok := x.(string); ok && strings.EqualFold(s, want) {
				return true
			}
		}
	}
	return false
}

func field(v any, name string) (map[string]any, bool) {
	o, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	m, ok := o[name].(map[string]any)
	return m, ok
}
