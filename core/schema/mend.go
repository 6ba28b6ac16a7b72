package schema

import (
	"bytes"
	"encoding/json"

	"github.com/ctx-sidecar/ctx/core/schema/refs"
)

// Mend returns a tool definition as it can be listed by any host: under the
// given name, with an inputSchema that is an object at its root and refers to
// nothing outside itself, and without an outputSchema that would make a client
// drop the whole list. Everything else is as the server sent it. A definition
// that is no JSON object is listed by its name alone.
func Mend(definition json.RawMessage, name string) json.RawMessage {
	var tool map[string]json.RawMessage
	if json.Unmarshal(definition, &tool) != nil || tool == nil {
		tool = map[string]json.RawMessage{}
	}
	tool["name"] = encode(name)
	tool["inputSchema"] = Input(tool["inputSchema"])
	if out, ok := tool["outputSchema"]; ok && !soundOutput(out) {
		delete(tool, "outputSchema")
	}
	if d, ok := tool["description"]; ok && !isString(d) {
		delete(tool, "description")
	}
	return encode(tool)
}

// Input mends an input schema: see [Mend].
func Input(raw json.RawMessage) json.RawMessage {
	root, ok := decode(raw)
	if !ok {
		return json.RawMessage(`{"type":"object"}`)
	}
	sound := root["type"] == "object" && !hasUnion(root) && !bytes.Contains(raw, []byte(`"$ref"`))
	if sound {
		return raw
	}
	root = refs.Inline(root)
	flatten(root)
	root["type"] = "object"
	return encode(root)
}

// soundOutput reports whether clients accept an output schema: an object at the
// root, and no reference to anything that is not there.
func soundOutput(raw json.RawMessage) bool {
	root, ok := decode(raw)
	return ok && root["type"] == "object" && refsResolve(root, root)
}

func refsResolve(root map[string]any, node any) bool {
	switch n := node.(type) {
	case map[string]any:
		if ref, ok := n["$ref"].(string); ok {
			if _, found := refs.Lookup(root, ref); !found {
				return false
			}
		}
		for _, v := range n {
			if !refsResolve(root, v) {
				return false
			}
		}
	case []any:
		for _, v := range n {
			if !refsResolve(root, v) {
				return false
			}
		}
	}
	return true
}

// decode reads a JSON object, keeping its numbers as they are written.
func decode(raw json.RawMessage) (map[string]any, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var m map[string]any
	return m, d.Decode(&m) == nil && m != nil
}

func isString(raw json.RawMessage) bool {
	var s string
	return json.Unmarshal(raw, &s) == nil && string(raw) != "null"
}

func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("schema: what was decoded from JSON always marshals: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
