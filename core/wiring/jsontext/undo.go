package jsontext

import (
	"encoding/json"

	"github.com/tailscale/hujson"

	"github.com/ctx-sidecar/ctx/core/wiring/splice"
)

// UndoSet takes out what [Set] put in: the old value's text comes back, or the
// key goes, and with it every object that was made for it and is empty again.
// A value that was changed since stays; the note says so.
func UndoSet(src []byte, path []string, value json.RawMessage, u splice.Undo) (out []byte, note string, err error) {
	d, v, err := ready(src, value)
	if err != nil {
		return nil, "", err
	}
	values, index, err := d.find(path)
	if err != nil {
		return src, splice.Changed, nil
	}
	if len(values) < len(path)+1 {
		out, err := prune(src, path[:len(path)-1], u)
		return out, splice.Gone, err
	}
	now := values[len(path)]
	switch {
	case !equal(now, v) && (u.Old != nil || !within(v, now)):
		return src, splice.Changed, nil
	case u.Old != nil:
		return splice.Apply(src, splice.Edit{Start: now.StartOffset, End: now.EndOffset, New: *u.Old}), "", nil
	case !equal(now, v):
		note = splice.Grown
	}
	l, _ := listOf(values[len(path)-1])
	src = splice.Apply(src, l.Remove(src, index[len(path)-1], inner(u, 0))...)
	out, err = prune(src, path[:len(path)-1], u)
	return out, note, err
}

// UndoAppend takes the element out that [Append] put in.
func UndoAppend(src []byte, path []string, value json.RawMessage, u splice.Undo) (out []byte, note string, err error) {
	d, v, err := ready(src, value)
	if err != nil {
		return nil, "", err
	}
	values, _, err := d.find(path)
	if err != nil {
		return src, splice.Changed, nil
	}
	note = splice.Gone
	if len(values) == len(path)+1 {
		at := values[len(path)]
		a, ok := at.Value.(*hujson.Array)
		if !ok {
			return src, splice.Changed, nil
		}
		l, _ := listOf(at)
		for i := len(a.Elements) - 1; i >= 0; i-- {
			if equal(a.Elements[i], v) {
				src, note = splice.Apply(src, l.Remove(src, i, inner(u, 0))...), ""
				break
			}
		}
	}
	out, err = prune(src, path, u)
	return out, note, err
}

// prune removes the containers around a value, the innermost at path, that
// were made for it and are empty now.
func prune(src []byte, path []string, u splice.Undo) ([]byte, error) {
	for made := u.Made; made > 0 && len(path) > 0; made-- {
		d, err := parse(src)
		if err != nil {
			return nil, err
		}
		values, index, err := d.find(path)
		if err != nil {
			return nil, err
		}
		if len(values) == len(path)+1 {
			l, ok := listOf(values[len(path)])
			if !ok || len(l.Items) > 0 || !splice.Blank(src[l.Open:l.Close]) {
				return src, nil
			}
			parent, _ := listOf(values[len(path)-1])
			src = splice.Apply(src, parent.Remove(src, index[len(path)-1], inner(u, u.Made-made+1))...)
		}
		path = path[:len(path)-1]
	}
	return src, nil
}

// within reports whether an object still holds every member of ours.
func within(ours, now hujson.Value) bool {
	a, ok := ours.Value.(*hujson.Object)
	b, ok2 := now.Value.(*hujson.Object)
	if !ok || !ok2 {
		return false
	}
	for _, m := range a.Members {
		i, err := member(b, m.Name.Value.(hujson.Literal).String())
		if err != nil || i < 0 || !equal(m.Value, b.Members[i].Value) {
			return false
		}
	}
	return true
}

// inner is what to leave between the brackets once the n containers around the
// value are gone: only what the outermost of them went into was there before.
func inner(u splice.Undo, n int) string {
	if n < u.Made {
		return ""
	}
	return u.Between()
}
