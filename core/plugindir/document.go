package plugindir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/jsonc"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// mostBytes is how large a manifest or mcp.json may be.
const mostBytes = 256 << 10

// document is a JSON file with one object. What is wrong with it becomes a
// problem with its place.
type document struct {
	path     string
	text     []byte
	tree     hujson.Value
	problems []tap.Problem
	// How many there were, also those that are not told.
	errors, warnings int
}

// mostProblems is how many problems of a severity are told of one file.
const mostProblems = 50

// object is an object of a document, at a JSON pointer.
type object struct {
	*document
	at     string
	fields map[string]json.RawMessage
}

// open reads a file; false: it is no JSON object, which the document's problem
// says.
func open(path string) (*document, object, bool) {
	d := &document{path: path}
	text, err := file.ReadUpTo(path, mostBytes)
	if err != nil {
		d.problems = []tap.Problem{{File: path, Severity: tap.Error, Rule: "unreadable", Text: reason(err)}}
		return d, object{}, false
	}
	d.text = bytes.TrimPrefix(text, []byte("\ufeff"))
	root := object{document: d}
	if at := jsonc.TooDeep(d.text); at >= 0 {
		d.fault(at, "syntax", "nested too deeply", "")
		return d, root, false
	}
	if err := json.Unmarshal(d.text, &root.fields); err != nil {
		at := len(d.text)
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		text := err.Error()
		switch {
		case errors.As(err, &syntax):
			at = int(syntax.Offset) - 1
		case errors.As(err, &kind):
			at, text = 0, "it is no JSON object"
		}
		d.fault(at, "syntax", text, "")
		return d, root, false
	}
	if root.fields == nil {
		d.fault(0, "syntax", "it is no JSON object", "")
		return d, root, false
	}
	d.tree, err = jsonc.Parse(d.text)
	if err != nil { // stricter than encoding/json nowhere that is known
		d.fault(0, "syntax", err.Error(), "")
		return d, root, false
	}
	return d, root, true
}

// fault reports an error at an offset.
func (d *document) fault(offset int, rule, text, hint string) {
	d.report(tap.Error, offset, rule, text, hint)
}

func (d *document) report(severity tap.Severity, offset int, rule, text, hint string) {
	count := &d.warnings
	if severity == tap.Error {
		count = &d.errors
	}
	switch *count++; {
	case *count > mostProblems:
		return
	case *count == mostProblems:
		text, hint = text+", and there are more", ""
	}
	before := d.text[:max(0, min(offset, len(d.text)))]
	d.problems = append(d.problems, tap.Problem{
		File: d.path, Line: 1 + bytes.Count(before, []byte("\n")), Column: len(before) - bytes.LastIndexByte(before, '\n'),
		Severity: severity, Rule: rule, Text: text, Hint: hint,
	})
}

// offset is where a field of the object stands.
func (o object) offset(field string) int {
	at := o.at
	if field != "" {
		at += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(field)
	}
	v := o.tree.Find(at)
	if v == nil {
		return 0
	}
	return v.StartOffset
}

func (o object) wrong(field, text, hint string) { o.fault(o.offset(field), "wrong-type", text, hint) }

// only warns of fields that have no meaning.
func (o object) only(known ...string) {
	const most = 10 // are told: each has to be looked for
	told := 0
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		if !slices.Contains(known, name) && told < most {
			told++
			o.report(tap.Warning, o.offset(name), "unknown-key", fmt.Sprintf("%q means nothing here", name), "known: "+strings.Join(known, ", "))
		}
	}
}

// text is a string, "" where there is none.
func (o object) string(field string) string { return value[string](o, field, "a string") }

func (o object) strings(field string) []string {
	return value[[]string](o, field, "a list of strings")
}

func (o object) stringMap(field string) map[string]string {
	return value[map[string]string](o, field, "an object of strings")
}

// object is a field that is an object, false where it is not there or is none.
func (o object) object(field string) (object, bool) {
	at := o.at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(field)
	of := object{o.document, at, value[map[string]json.RawMessage](o, field, "an object")}
	return of, of.fields != nil
}

func value[T any](o object, field, kind string) T {
	var v T
	raw, there := o.fields[field]
	if !there {
		return v
	}
	if err := json.Unmarshal(raw, &v); err != nil || string(raw) == "null" {
		o.wrong(field, fmt.Sprintf("%s is not %s", field, kind), "")
		var none T
		return none
	}
	return v
}

// failed reports whether an error was found since there were so many.
func (d *document) failed(since int) bool { return d.errors > since }
