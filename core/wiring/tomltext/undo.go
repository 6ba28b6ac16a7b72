package tomltext

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"

	"github.com/ctx-sidecar/ctx/core/wiring/splice"
)

// UndoSet takes out what [Set] put in: the old value's text comes back, or the
// key goes, and with it what was made for it and is empty again. A value that
// was changed since stays; the note says so.
func UndoSet(src []byte, path []string, raw json.RawMessage, u splice.Undo) (out []byte, note string, err error) {
	v, err := parseValue(raw)
	if err != nil {
		return nil, "", err
	}
	d, err := parse(src)
	if err != nil {
		return nil, "", err
	}
	return d.undoSet(path, v, u)
}

func (d *document) undoSet(path []string, v hujson.Value, u undo) ([]byte, string, error) {
	want, err := treeOf(v)
	if err != nil {
		return nil, "", err
	}
	now := d.root.find(path)
	if now == nil {
		out, err := prune(d.src, path[:len(path)-1], u)
		return out, splice.Gone, err
	}
	at, ok := d.valueAt(path)
	same := reflect.DeepEqual(now.tree(), want)
	switch {
	case !ok || !same && (u.Old != nil || !within(want, now.tree())):
		return d.src, splice.Changed, nil
	case u.Old != nil:
		return splice.Apply(d.src, splice.Edit{Start: at.Start, End: at.End, New: *u.Old}), "", nil
	}
	note := ""
	if !same {
		note = splice.Grown
	}
	out, err := d.remove(path, u)
	return out, note, err
}

// parseWith reads a document and what a value that was put into it means.
func parseWith(src []byte, raw json.RawMessage) (d *document, want any, err error) {
	v, err := parseValue(raw)
	if err != nil {
		return nil, nil, err
	}
	if d, err = parse(src); err != nil {
		return nil, nil, err
	}
	want, err = treeOf(v)
	return d, want, err
}

// UndoAppend takes the element out that [Append] put in.
func UndoAppend(src []byte, path []string, raw json.RawMessage, u splice.Undo) (out []byte, note string, err error) {
	d, want, err := parseWith(src, raw)
	if err != nil {
		return nil, "", err
	}
	at := d.root.find(path)
	switch {
	case at == nil:
		out, err = prune(src, path, u)
		return out, splice.Gone, err
	case at.array != nil:
		for i := len(at.array) - 1; i >= 0; i-- {
			if reflect.DeepEqual(at.array[i].tree(), want) {
				return d.cut(d.element(path, i), u.Blank), "", nil
			}
		}
		return src, splice.Gone, nil
	}
	array, ok := d.valueAt(path)
	if !ok || array.kind != unstable.Array {
		return src, splice.Changed, nil
	}
	note = splice.Gone
	for i := len(array.elems) - 1; i >= 0; i-- {
		if reflect.DeepEqual(array.elems[i].tree(), want) {
			src, note = splice.Apply(src, array.list.Remove(src, i, u.Between())...), ""
			break
		}
	}
	out, err = prune(src, path, u)
	return out, note, err
}

// UndoTable takes out the table that [Table] put in, with all that was added to
// it since: what is left of a table whose first keys are gone would be a fault
// to its reader. A table of which nothing is ours is another one of that name,
// and stays.
func UndoTable(src []byte, path []string, raw json.RawMessage, u splice.Undo) (out []byte, note string, err error) {
	d, want, err := parseWith(src, raw)
	if err != nil {
		return nil, "", err
	}
	now := d.root.find(path)
	if now == nil {
		return src, splice.Gone, nil
	}
	if now.table == nil {
		return src, splice.Changed, nil
	}
	if !reflect.DeepEqual(now.tree(), want) {
		if !share(want, now.tree()) {
			return src, splice.Changed, nil
		}
		note = splice.Grown
	}
	if _, ok := d.valueAt(path); ok {
		out, err = d.remove(path, u)
		return out, note, err
	}
	return d.cut(d.all(path), u.Blank), note, nil
}

// valueAt is the value that is written at path.
func (d *document) valueAt(path []string) (value, bool) {
	e := d.holding(path)
	if e == nil {
		return value{}, false
	}
	at, rest := e.value, path[len(e.path):]
	for len(rest) > 0 {
		m := at.member(rest)
		if m == nil {
			return value{}, false
		}
		at, rest = m.value, rest[len(m.keys):]
	}
	return at, true
}

// remove takes out the key at path, whose value is there, and what was made
// for it.
func (d *document) remove(path []string, u undo) ([]byte, error) {
	e := d.holding(path)
	at, rest := e.value, path[len(e.path):]
	if len(rest) == 0 {
		blank := u.Blank && len(path) == 1
		return prune(d.cut([]*expr{e}, blank), path[:len(path)-1], u)
	}
	for {
		i := slices.IndexFunc(at.members, func(m member) bool { return hasPrefix(rest, names(m.keys)) })
		if m := at.members[i]; len(m.keys) < len(rest) {
			at, rest = m.value, rest[len(m.keys):]
			continue
		}
		inner := ""
		if u.Made == 0 {
			inner = u.Between()
		}
		return prune(splice.Apply(d.src, at.list.Remove(d.src, i, inner)...), path[:len(path)-1], u)
	}
}

// prune removes what was made around a value, the innermost at path, and is
// empty now.
func prune(src []byte, path []string, u undo) ([]byte, error) {
	if u.Made == 0 || len(path) == 0 {
		return src, nil
	}
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	rest := u
	rest.Made--
	if at, ok := d.valueAt(path); ok {
		if len(at.list.Items) > 0 || at.list.Open == 0 || !splice.Blank(src[at.list.Open:at.list.Close]) {
			return src, nil
		}
		return d.remove(path, rest)
	}
	if i := d.header(path); i >= 0 {
		if d.lastOf(i) != &d.exprs[i] {
			return src, nil
		}
		return d.cut([]*expr{&d.exprs[i]}, u.Blank), nil
	}
	return prune(src, path[:len(path)-1], rest)
}

// all is every expression that defines the table at path.
func (d *document) all(path []string) []*expr {
	var out []*expr
	for i := range d.exprs {
		e := &d.exprs[i]
		whole := names(e.keys)
		if e.kind == unstable.KeyValue && e.path == nil && e.section >= 0 {
			whole = names(d.exprs[e.section].keys)
		} else if e.path != nil {
			whole = e.path
		}
		if hasPrefix(whole, path) {
			out = append(out, e)
		}
	}
	return out
}

// element is every expression of one element of an array of tables.
func (d *document) element(path []string, n int) []*expr {
	var out []*expr
	at := -1
	for _, e := range d.all(path) {
		if e.kind == unstable.ArrayTable && len(e.keys) == len(path) {
			at++
		}
		if at == n {
			out = append(out, e)
		}
	}
	return out
}

// cut removes the lines of expressions, with the comments behind them and
// between the keys of one table. With blank an empty line beside the first of
// them goes too.
func (d *document) cut(exprs []*expr, blank bool) []byte {
	var edits []splice.Edit
	for _, e := range exprs {
		n := len(edits)
		if n > 0 && (splice.Blank(d.src[edits[n-1].End:e.line]) || e.kind == unstable.KeyValue && d.adjacent(edits[n-1].End, e)) {
			edits[n-1].End = e.next
			continue
		}
		edits = append(edits, splice.Edit{Start: e.line, End: e.next})
	}
	if blank {
		d.cutBlank(&edits[0], exprs[0].kind != unstable.KeyValue)
	}
	last := &edits[len(edits)-1]
	if last.End == len(d.src) && !bytes.HasSuffix(d.src, []byte("\n")) && last.Start > 0 {
		last.Start = len(strings.TrimSuffix(string(d.src[:last.Start-1]), "\r"))
	}
	return splice.Apply(d.src, edits...)
}

// adjacent reports whether no header stands between an offset and an expression.
func (d *document) adjacent(from int, e *expr) bool {
	for i := range d.exprs {
		if o := &d.exprs[i]; o.line >= from && o.line < e.line {
			return false
		}
	}
	return true
}

// cutBlank widens an edit by the empty line before or after it.
func (d *document) cutBlank(e *splice.Edit, before bool) {
	if before {
		start := bytes.LastIndexByte(d.src[:max(e.Start-1, 0)], '\n') + 1
		if e.Start > 0 && splice.Blank(d.src[start:e.Start]) {
			e.Start = start
		}
		return
	}
	if i := bytes.IndexByte(d.src[e.End:], '\n'); i >= 0 && splice.Blank(d.src[e.End:e.End+i]) {
		e.End += i + 1
	}
}

// within reports whether a table still holds everything of ours.
func within(ours, now any) bool {
	a, ok := ours.(map[string]any)
	b, ok2 := now.(map[string]any)
	if !ok || !ok2 {
		return false
	}
	for k, v := range a {
		if !reflect.DeepEqual(v, b[k]) {
			return false
		}
	}
	return true
}

// share reports whether a table still holds anything of ours.
func share(ours, now any) bool {
	a, ok := ours.(map[string]any)
	b, ok2 := now.(map[string]any)
	if !ok || !ok2 {
		return reflect.DeepEqual(ours, now)
	}
	for k, v := range a {
		if other, there := b[k]; there && share(v, other) {
			return true
		}
	}
	return len(a) == 0
}
