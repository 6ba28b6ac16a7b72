package surface

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Form is how a host writes MCP tools and servers into a request: texts with
// places to fill in. The zero Form is a tool as Anthropic's Messages API takes
// it, alone, and a server's instructions without a word around them.
type Form struct {
	// Tool is the JSON of one tool, in which {name}, {description} and {schema}
	// stand for JSON values. "": `{"name":{name},"description":{description},"input_schema":{schema}}`.
	Tool string `json:"tool,omitempty"`

	// Group is the JSON around the tools of one server, in which {name},
	// {description} and {tools} stand; {name} of a tool is then the one that it
	// has within its group. "" where tools stand alone.
	Group string `json:"group,omitempty"`

	// Mute is the description of a group whose server has no instructions; it
	// may hold {name}.
	Mute string `json:"mute,omitempty"`

	// Plain is true where every character of a name but letters, digits and "_"
	// is sent as "_".
	Plain bool `json:"plain,omitempty"`

	// Keywords are the keywords of JSON Schema that are sent, nil for all. With
	// some, whatever a schema leaves unsaid is written out: see [reduce].
	Keywords []string `json:"keywords,omitempty"`

	// Cut stands in a text for what TextCap has cut off.
	Cut string `json:"cut,omitempty"`

	// Head is what stands once before the instructions of all servers, and Words
	// is what stands around those of one, {server} and {words}.
	Head  string `json:"head,omitempty"`
	Words string `json:"words,omitempty"`

	// Trim is true where instructions are sent without white space at their ends.
	Trim bool `json:"trim,omitempty"`
}

const messagesTool = `{"name":{name},"description":{description},"input_schema":{schema}}`

// writer writes the tools of one server.
type writer struct {
	form     Form
	pattern  string // Sources.ToolName
	most     int    // Sources.TextCap
	keywords map[string]bool
}

func newWriter(s Sources) writer {
	w := writer{form: s.Form, pattern: s.ToolName, most: s.TextCap}
	if w.form.Tool == "" {
		w.form.Tool = messagesTool
	}
	if len(w.form.Keywords) > 0 {
		w.keywords = make(map[string]bool, len(w.form.Keywords))
		for _, k := range w.form.Keywords {
			w.keywords[k] = true
		}
	}
	return w
}

// name is the name under which the host shows a tool to its model; of no tool,
// that of the group of its server.
func (w writer) name(server, tool string) string {
	if w.pattern == "" {
		return tool
	}
	if w.form.Plain {
		server, tool = plain(server), plain(tool)
	}
	name := strings.NewReplacer("{server}", server, "{tool}", tool).Replace(w.pattern)
	if tool == "" {
		return strings.TrimRight(name, "_")
	}
	return name
}

// tool is the JSON of one tool.
func (w writer) tool(server, tool, description string, schema json.RawMessage) string {
	name := w.name(server, tool)
	if w.form.Group != "" {
		name = tool
		if w.form.Plain {
			name = plain(tool)
		}
	}
	return fill(w.form.Tool, "{name}", encode(name), "{description}", encode(w.cut(description)), "{schema}", w.schema(schema))
}

// group is the JSON around the tools of a server, without them; "" where there
// is none.
func (w writer) group(server, words string) string {
	if w.form.Group == "" {
		return ""
	}
	name := w.name(server, "")
	if words == "" {
		words = strings.ReplaceAll(w.form.Mute, "{name}", name)
	}
	return fill(w.form.Group, "{name}", encode(name), "{description}", encode(words), "{tools}", "")
}

// words are a server's instructions as they are sent.
func (w writer) words(instructions string) string {
	text := w.cut(instructions)
	if w.form.Trim {
		text = strings.TrimSpace(text)
	}
	return text
}

// around is what the host writes around the instructions of one server.
func (w writer) around(server string) string {
	return fill(w.form.Words, "{server}", server, "{words}", "")
}

func (w writer) schema(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "{}"
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return string(raw) // its listing came as JSON, so this is one number too many
	}
	if w.keywords != nil {
		v = w.reduce(v)
	}
	return encode(v)
}

// cut shortens a text to what the host passes on.
func (w writer) cut(text string) string {
	short := cut(text, w.most)
	if len(short) < len(text) {
		short += w.form.Cut
	}
	return short
}

// cut returns the first n characters of text, all of it for 0.
func cut(text string, n int) string {
	if n == 0 || utf8.RuneCountInString(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, name)
}

func fill(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }

// encode is compact JSON without the escapes that only HTML needs.
func encode(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("surface: what came as JSON always marshals: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
