package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/ctx-sidecar/ctx/core/jsonc"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// document is one JSON file with the positions of its values. Comments,
// trailing commas and a byte order mark are tolerated, for users put them there.
type document struct {
	path string
	src  []byte
	root hujson.Value
}

var bom = []byte("\xef\xbb\xbf")

// parse reads a document; the error of a malformed one is "FILE:LINE:COLUMN: what".
func parse(path string, src []byte) (*document, error) {
	src = bytes.TrimPrefix(src, bom)
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}")
	}
	// hujson keeps slices of what it is given.
	root, err := jsonc.Parse(src)
	if err != nil {
		return nil, positioned(path, err)
	}
	d := &document{path: path, src: src, root: root}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("%s:1:1: a JSON object is expected", path)
	}
	return d, nil
}

var hujsonPosition = regexp.MustCompile(`^hujson: line (\d+), column (\d+): (?s:(.*))$`)

func positioned(path string, err error) error {
	if m := hujsonPosition.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("%s:%s:%s: %s", path, m[1], m[2], m[3])
	}
	return fmt.Errorf("%s: %w", path, err)
}

// node is a value in a document. The zero node stands for an absent one and
// answers every question with nothing.
type node struct {
	doc *document
	val *hujson.Value
	at  int // byte offset of the key, or of the value where there is no key
}

func (d *document) node() node { return node{doc: d, val: &d.root} }

func (n node) ok() bool { return n.val != nil }

// get follows keys; of a key that stands twice the last one counts, as in
// JavaScript.
func (n node) get(keys ...string) node {
	for _, key := range keys {
		obj, found := n.object(), node{}
		for i := range slices.Backward(obj) {
			if m := &obj[i]; memberName(m) == key {
				found = node{n.doc, &m.Value, m.Name.StartOffset}
				break
			}
		}
		n = found
	}
	return n
}

// object is an object's members as they stand in the file.
func (n node) object() []hujson.ObjectMember {
	if n.val == nil {
		return nil
	}
	obj, ok := n.val.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	return obj.Members
}

// members yields an object's members in the order of the file; of a key that
// stands twice the last one alone, as in JavaScript.
func (n node) members() iter.Seq2[string, node] {
	return func(yield func(string, node) bool) {
		obj := n.object()
		last := make(map[string]int, len(obj))
		for i := range obj {
			last[memberName(&obj[i])] = i
		}
		for i := range obj {
			m := &obj[i]
			if name := memberName(m); last[name] == i && !yield(name, node{n.doc, &m.Value, m.Name.StartOffset}) {
				return
			}
		}
	}
}

// memberName is a member's key; the parser takes nothing but strings for one.
func memberName(m *hujson.ObjectMember) string {
	key, _ := m.Name.Value.(hujson.Literal)
	return key.String()
}

// elements yields an array's elements.
func (n node) elements() iter.Seq[node] {
	return func(yield func(node) bool) {
		if n.val == nil {
			return
		}
		arr, ok := n.val.Value.(*hujson.Array)
		if !ok {
			return
		}
		for i := range arr.Elements {
			e := &arr.Elements[i]
			if !yield(node{n.doc, e, e.StartOffset}) {
				return
			}
		}
	}
}

func (n node) literal(kind hujson.Kind) (hujson.Literal, bool) {
	if n.val == nil {
		return nil, false
	}
	l, ok := n.val.Value.(hujson.Literal)
	return l, ok && l.Kind() == kind
}

// text is a string value, "" for anything else.
func (n node) text() string {
	l, ok := n.literal('"')
	if !ok {
		return ""
	}
	return l.String()
}

func (n node) isText() bool {
	_, ok := n.literal('"')
	return ok
}

func (n node) isTrue() bool {
	_, ok := n.literal('t')
	return ok
}

func (n node) isFalse() bool {
	_, ok := n.literal('f')
	return ok
}

// number is a number, 0 for anything else.
func (n node) number() float64 {
	l, ok := n.literal('0')
	if !ok {
		return 0
	}
	return l.Float()
}

func (n node) isObject() bool {
	if n.val == nil {
		return false
	}
	_, ok := n.val.Value.(*hujson.Object)
	return ok
}

func (n node) isArray() bool {
	if n.val == nil {
		return false
	}
	_, ok := n.val.Value.(*hujson.Array)
	return ok
}

// texts are the strings in an array.
func (n node) texts() []string {
	var all []string
	for e := range n.elements() {
		if e.isText() {
			all = append(all, e.text())
		}
	}
	return all
}

// textMap holds the members whose value is a string; a number or a boolean,
// which users write for variables, counts as its text.
func (n node) textMap() map[string]string {
	var m map[string]string
	for key, v := range n.members() {
		l, ok := v.val.Value.(hujson.Literal)
		if !ok || l.Kind() == 'n' {
			continue
		}
		if m == nil {
			m = make(map[string]string)
		}
		if l.Kind() == '"' {
			m[key] = l.String()
		} else {
			m[key] = string(l)
		}
	}
	return m
}

// has reports whether an array holds the string.
func (n node) has(s string) (node, bool) {
	for e := range n.elements() {
		if e.isText() && e.text() == s {
			return e, true
		}
	}
	return node{}, false
}

func (n node) place() surface.Place {
	line, _ := n.position()
	return surface.Place{File: n.doc.path, Line: line}
}

// position counts lines and columns (bytes) from 1.
func (n node) position() (line, column int) {
	before := n.doc.src[:min(n.at, len(n.doc.src))]
	return bytes.Count(before, []byte("\n")) + 1, n.at - bytes.LastIndexByte(before, '\n')
}

// complain words something wrong at the node as "FILE:LINE:COLUMN: what".
func (n node) complain(format string, args ...any) string {
	line, column := n.position()
	return fmt.Sprintf("%s:%d:%d: %s", n.doc.path, line, column, fmt.Sprintf(format, args...))
}

// mustJSON marshals what is made of plain values alone.
func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("claude: plain values always marshal: " + err.Error())
	}
	return b
}
