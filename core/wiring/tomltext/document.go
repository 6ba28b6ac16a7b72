// Package tomltext splices values into TOML text and takes them out again. What
// it writes is TOML 1.0; every byte that is not part of the splice stays as it
// is.
package tomltext

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/ctx-sidecar/ctx/core/wiring/splice"
)

// document is a parsed text: its expressions in order, and what they mean.
type document struct {
	src     []byte
	newline string
	exprs   []expr
	root    *node
}

// expr is a table's header or a key with its value, with its position.
type expr struct {
	kind       unstable.Kind // Table, ArrayTable or KeyValue
	start, end int           // from the bracket or key to the end of the header or value
	line, next int           // where its first line starts, and the line after its last one
	keys       []key         // as they stand there
	path       []string      // from the root, nil inside an array of tables
	section    int           // the header that it stands under, -1 for none
	value      value         // of a KeyValue
	node       *node         // of a header
}

// key is one part of a key.
type key struct {
	splice.Span
	name string
}

// value is a value with its position.
type value struct {
	splice.Span
	kind    unstable.Kind
	text    string // a string's, decoded; any other scalar's as it stands there
	list    splice.List
	elems   []value  // of an Array
	members []member // of an InlineTable
}

// member is one key with its value in an inline table.
type member struct {
	keys  []key
	value value
}

func parse(src []byte) (*document, error) {
	d := &document{src: src, newline: splice.Newline(src), root: newTable()}
	var p unstable.Parser
	p.Reset(src)
	section := -1
	for p.NextExpression() {
		e := d.read(p.Expression())
		if e.kind != unstable.KeyValue {
			section = len(d.exprs)
		}
		e.section = section
		d.exprs = append(d.exprs, e)
	}
	if err := p.Error(); err != nil {
		return nil, syntaxError(src, err)
	}
	if err := d.build(); err != nil {
		return nil, err
	}
	return d, d.validate()
}

// validate has the whole text decoded as well, which finds what is no date or
// defines a table in a way that TOML does not allow. Numbers that do not fit in
// 64 bits are let through: they are the user's, and stay as they are.
func (d *document) validate() error {
	var tree map[string]any
	err := toml.Unmarshal(d.src, &tree)
	var at *toml.DecodeError
	if err == nil || !errors.As(err, &at) {
		return err
	}
	row, column := at.Position()
	offset := 0
	for range row - 1 {
		offset += bytes.IndexByte(d.src[offset:], '\n') + 1
	}
	offset += column - 1
	for _, e := range d.exprs {
		if e.value.number(offset) {
			return nil
		}
	}
	return splice.Errorf(offset, "%s", strings.TrimPrefix(at.Error(), "toml: "))
}

// number reports whether a number stands at the offset.
func (v value) number(offset int) bool {
	for _, e := range v.elems {
		if e.number(offset) {
			return true
		}
	}
	for _, m := range v.members {
		if m.value.number(offset) {
			return true
		}
	}
	return (v.kind == unstable.Integer || v.kind == unstable.Float) && v.Start <= offset && offset < v.End
}

func syntaxError(src []byte, err error) error {
	var at *unstable.ParserError
	if !errors.As(err, &at) {
		return err
	}
	// A highlight is a part of src: what is left of its capacity tells where.
	offset := cap(src) - cap(at.Highlight)
	if offset < 0 || offset > len(src) {
		offset = len(src)
	}
	return splice.Errorf(offset, "%s", at.Message)
}

// read copies an expression, since the parser uses its nodes again.
func (d *document) read(n *unstable.Node) expr {
	e := expr{kind: n.Kind, keys: keysOf(n)}
	last := e.keys[len(e.keys)-1].End
	switch n.Kind {
	case unstable.KeyValue:
		e.value = d.value(n.Value(), d.equals(last))
		e.start, e.end = e.keys[0].Start, e.value.End
	default:
		e.start = bytes.LastIndexByte(d.src[:e.keys[0].Start], '[')
		e.end = last + bytes.IndexByte(d.src[last:], ']') + 1
		if n.Kind == unstable.ArrayTable {
			e.start, e.end = e.start-1, e.end+1
		}
	}
	e.line = bytes.LastIndexByte(d.src[:e.start], '\n') + 1
	e.next = len(d.src)
	if i := bytes.IndexByte(d.src[e.end:], '\n'); i >= 0 {
		e.next = e.end + i + 1
	}
	return e
}

func keysOf(n *unstable.Node) []key {
	var keys []key
	for it := n.Key(); it.Next(); {
		k := it.Node()
		start := int(k.Raw.Offset)
		keys = append(keys, key{splice.Span{Start: start, End: start + int(k.Raw.Length)}, string(k.Data)})
	}
	return keys
}

// value copies a value that starts at an offset. The parser gives positions of
// scalars alone; those of lists follow from what stands in them.
func (d *document) value(n *unstable.Node, start int) value {
	v := value{kind: n.Kind, Span: splice.Span{Start: start, End: start + int(n.Raw.Length)}}
	switch n.Kind {
	case unstable.Array, unstable.InlineTable:
		v.list = splice.List{Open: start + 1, Comment: "#"}
		at := start + 1
		for it := n.Children(); it.Next(); {
			var s splice.Span
			if c := it.Node(); c.Kind == unstable.KeyValue {
				keys := keysOf(c)
				m := member{keys, d.value(c.Value(), d.equals(keys[len(keys)-1].End))}
				v.members = append(v.members, m)
				s = splice.Span{Start: keys[0].Start, End: m.value.End}
			} else {
				elem := d.value(c, d.skip(at))
				v.elems = append(v.elems, elem)
				s = elem.Span
			}
			comma := -1
			if at = d.skip(s.End); d.src[at] == ',' {
				comma = at
				at++
			}
			v.list.Items, v.list.Commas = append(v.list.Items, s), append(v.list.Commas, comma)
		}
		v.list.Close = d.skip(at)
		v.End = v.list.Close + 1
	default:
		v.text = string(n.Data)
	}
	return v
}

// equals goes from the end of a key over the equals sign to its value.
func (d *document) equals(at int) int {
	at += bytes.IndexByte(d.src[at:], '=') + 1
	return at + len(d.src[at:]) - len(bytes.TrimLeft(d.src[at:], " \t"))
}

// skip goes over white space, newlines and comments.
func (d *document) skip(at int) int {
	for at < len(d.src) {
		switch d.src[at] {
		case ' ', '\t', '\r', '\n':
			at++
		case '#':
			at += bytes.IndexByte(d.src[at:], '\n')
		default:
			return at
		}
	}
	return at
}

func names(keys []key) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.name
	}
	return out
}

// hasPrefix reports whether path begins with prefix.
func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}
