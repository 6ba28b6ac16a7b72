// Package jsontext splices values into JSON text and takes them out again.
// Comments and trailing commas are tolerated; every byte that is not part of
// the splice stays as it is.
package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/ctx-sidecar/ctx/core/jsonc"
	"github.com/ctx-sidecar/ctx/core/wiring/splice"
)

// document is a parsed text.
type document struct {
	src     []byte
	root    hujson.Value // Value is nil where the text is blank
	newline string
	unit    string // one step of indentation
	lines   bool   // the document is broken into lines
}

func parse(src []byte) (document, error) {
	d := document{src: src, newline: splice.Newline(src), unit: "  ", lines: true}
	if splice.Blank(src) {
		return d, nil
	}
	if at := jsonc.TooDeep(src); at >= 0 {
		return d, splice.Errorf(at, "nested deeper than %d levels", jsonc.Deepest)
	}
	root, err := hujson.Parse(src)
	if err != nil {
		return d, syntaxError(src, err)
	}
	d.root = root
	l, ok := listOf(root)
	if !ok || len(l.Items) == 0 {
		return d, nil
	}
	d.lines = bytes.ContainsRune(src[l.Open:l.Close], '\n')
	if st := l.Style(src, d.newline, d.unit, true); d.lines {
		d.unit = strings.TrimPrefix(st.Indent, st.Outer)
	}
	return d, nil
}

// syntaxError finds the position in an error of hujson, which tells it in its
// text alone.
func syntaxError(src []byte, err error) error {
	var line, column int
	if _, scan := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scan != nil {
		return err
	}
	offset := 0
	for range line - 1 {
		offset += bytes.IndexByte(src[offset:], '\n') + 1
	}
	msg := err.Error()
	if inner := errors.Unwrap(err); inner != nil {
		msg = inner.Error()
	}
	return splice.Errorf(offset+column-1, "%s", msg)
}

// listOf is an object or an array as a list.
func listOf(v hujson.Value) (splice.List, bool) {
	l := splice.List{Open: v.StartOffset + 1, Close: v.EndOffset - 1, Comment: "//"}
	add := func(start int, v hujson.Value, last bool) {
		l.Items = append(l.Items, splice.Span{Start: start, End: v.EndOffset})
		comma := v.EndOffset + len(v.AfterExtra)
		if last && v.AfterExtra == nil {
			comma = -1
		}
		l.Commas = append(l.Commas, comma)
	}
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i, m := range c.Members {
			add(m.Name.StartOffset, m.Value, i == len(c.Members)-1)
		}
	case *hujson.Array:
		for i, e := range c.Elements {
			add(e.StartOffset, e, i == len(c.Elements)-1)
		}
	default:
		return l, false
	}
	return l, true
}

// member finds a key in an object, -1 where it is not there. A key that is
// there twice is an error, since hosts do not agree on which of them counts.
func member(o *hujson.Object, key string) (int, error) {
	found := -1
	for i, m := range o.Members {
		if m.Name.Value.(hujson.Literal).String() != key {
			continue
		}
		if found >= 0 {
			return -1, splice.Errorf(m.Name.StartOffset, "the key %q is in this object twice", key)
		}
		found = i
	}
	return found, nil
}

// find follows a path as far as it goes: the values from the root on, and the
// index of each in the one before.
func (d document) find(path []string) (values []hujson.Value, index []int, err error) {
	if d.root.Value == nil {
		return nil, nil, nil
	}
	values = []hujson.Value{d.root}
	for i, key := range path {
		at := values[i]
		o, ok := at.Value.(*hujson.Object)
		if !ok {
			what := "the document"
			if i > 0 {
				what = splice.Quote(path[:i])
			}
			return nil, nil, splice.Errorf(at.StartOffset, "%s is %s, not an object", what, kind(at))
		}
		n, err := member(o, key)
		if err != nil {
			return nil, nil, err
		}
		if n < 0 {
			break
		}
		values, index = append(values, o.Members[n].Value), append(index, n)
	}
	return values, index, nil
}

func kind(v hujson.Value) string {
	switch v.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "true or false"
}

// Tree decodes the text: objects as map[string]any, arrays as []any, numbers as
// json.Number. A blank text is an empty object.
func Tree(src []byte) (any, error) {
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	if d.root.Value == nil {
		return map[string]any{}, nil
	}
	return decode(d.root.Pack())
}

func decode(src []byte) (any, error) {
	std, err := hujson.Standardize(src)
	if err != nil {
		return nil, syntaxError(src, err)
	}
	dec := json.NewDecoder(bytes.NewReader(std))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, splice.Errorf(0, "%v", err)
	}
	return tree, nil
}

// Empty reports whether the text is blank or an object of nothing, without so
// much as a comment.
func Empty(src []byte) bool {
	d, err := parse(src)
	if err != nil {
		return false
	}
	if d.root.Value == nil {
		return true
	}
	l, ok := listOf(d.root)
	return ok && d.root.Value.Kind() == '{' && splice.Blank(src[:d.root.StartOffset]) &&
		splice.Blank(src[l.Open:l.Close]) && splice.Blank(src[d.root.EndOffset:])
}
