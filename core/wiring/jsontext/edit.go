package jsontext

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/ctx-sidecar/ctx/core/wiring/splice"
)

// Set gives the key at path the value, replacing the text of the value that is
// there or adding the key, and the objects that are missing around it, as last
// members. With existing a missing object is an error.
func Set(src []byte, path []string, value json.RawMessage, existing bool) ([]byte, splice.Undo, error) {
	d, v, err := ready(src, value)
	if err != nil {
		return nil, splice.Undo{}, err
	}
	values, index, err := d.find(path)
	if err != nil {
		return nil, splice.Undo{}, err
	}
	if len(values) == len(path)+1 {
		return d.replace(values, index, v)
	}
	return d.add(values, path, v, existing)
}

// replace splices v over the last of values.
func (d document) replace(values []hujson.Value, index []int, v hujson.Value) ([]byte, splice.Undo, error) {
	old := values[len(values)-1]
	if equal(old, v) {
		return d.src, splice.Undo{Kept: true}, nil
	}
	parent := values[len(values)-2]
	l, _ := listOf(parent)
	lk := d.look(parent, l)
	if in := splice.Indent(d.src, l.Items[index[len(index)-1]].Start); lk.Lines {
		lk.Indent = in
	}
	text := string(d.src[old.StartOffset:old.EndOffset])
	edit := splice.Edit{Start: old.StartOffset, End: old.EndOffset, New: lk.item(nil, v)}
	return splice.Apply(d.src, edit), splice.Undo{Old: &text}, nil
}

// add makes what is missing of path below the last of values.
func (d document) add(values []hujson.Value, path []string, v hujson.Value, existing bool) ([]byte, splice.Undo, error) {
	have := len(values) - 1
	made := len(path) - 1 - max(have, 0)
	if existing && (have < 0 || made > 0) {
		return nil, splice.Undo{}, splice.Errorf(0, "%s is not in this file", splice.Quote(path[:len(path)-1]))
	}
	for _, key := range slices.Backward(path[len(path)-made:]) {
		v = wrap(key, v)
	}
	key := path[max(have, 0)]
	if have < 0 {
		lk := look{Style: splice.Style{Lines: true, Newline: d.newline}, unit: d.unit, colon: ": "}
		return []byte(lk.item(nil, wrap(key, v)) + d.newline), splice.Undo{Made: made}, nil
	}
	parent := values[have]
	l, _ := listOf(parent)
	lk := d.look(parent, l)
	edits, undo := l.Insert(d.src, lk.item(&key, v), lk.Style)
	undo.Made = made
	return splice.Apply(d.src, edits...), undo, nil
}

// Append adds the value as the last element of the array at path, making the
// array where it is missing.
func Append(src []byte, path []string, value json.RawMessage, existing bool) ([]byte, splice.Undo, error) {
	d, v, err := ready(src, value)
	if err != nil {
		return nil, splice.Undo{}, err
	}
	values, _, err := d.find(path)
	if err != nil {
		return nil, splice.Undo{}, err
	}
	if len(values) < len(path)+1 {
		array := hujson.Value{Value: &hujson.Array{Elements: []hujson.Value{v}}}
		out, undo, err := d.add(values, path, array, existing)
		undo.Made++
		return out, undo, err
	}
	at := values[len(path)]
	a, ok := at.Value.(*hujson.Array)
	if !ok {
		return nil, splice.Undo{}, splice.Errorf(at.StartOffset, "%s is %s, not an array", splice.Quote(path), kind(at))
	}
	for _, e := range a.Elements {
		if equal(e, v) {
			return src, splice.Undo{Kept: true}, nil
		}
	}
	l, _ := listOf(at)
	lk := d.look(at, l)
	edits, undo := l.Insert(src, lk.item(nil, v), lk.Style)
	return splice.Apply(src, edits...), undo, nil
}

func ready(src []byte, value json.RawMessage) (document, hujson.Value, error) {
	v, err := hujson.Parse(value)
	if err != nil {
		return document{}, v, err
	}
	d, err := parse(src)
	return d, v, err
}

func wrap(key string, v hujson.Value) hujson.Value {
	name := hujson.Value{Value: hujson.Literal(quote(key))}
	return hujson.Value{Value: &hujson.Object{Members: []hujson.ObjectMember{{Name: name, Value: v}}}}
}

// equal compares what two values mean.
func equal(a, b hujson.Value) bool {
	x, errX := decode(a.Pack())
	y, errY := decode(b.Pack())
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}
