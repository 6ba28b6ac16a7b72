package tomltext

import (
	"bytes"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"

	"github.com/ctx-sidecar/ctx/core/wiring/splice"
)

// setWithin sets what is rest of the way below a value of the text.
func (d *document) setWithin(at value, path, rest []string, v hujson.Value, existing bool) ([]byte, undo, error) {
	if len(rest) == 0 {
		want, err := treeOf(v)
		if err != nil {
			return nil, undo{}, err
		}
		if reflect.DeepEqual(at.tree(), want) {
			return d.src, undo{Kept: true}, nil
		}
		old := string(d.src[at.Start:at.End])
		return splice.Apply(d.src, splice.Edit{Start: at.Start, End: at.End, New: literal(v)}), undo{Old: &old}, nil
	}
	if at.kind != unstable.InlineTable {
		return nil, undo{}, splice.Errorf(at.Start, "%s is not a table", splice.Quote(path[:len(path)-len(rest)]))
	}
	if m := at.member(rest); m != nil {
		return d.setWithin(m.value, path, rest[len(m.keys):], v, existing)
	}
	shared := 0 // how many keys of rest the longest dotted key has in common with it
	for _, m := range at.members {
		n := 0
		for n < min(len(m.keys), len(rest)) && m.keys[n].name == rest[n] {
			n++
		}
		if n == len(rest) {
			return nil, undo{}, splice.Errorf(m.keys[0].Start, "%s is a table", splice.Quote(path))
		}
		shared = max(shared, n)
	}
	made := len(rest) - 1 - shared
	if existing && made > 0 {
		return nil, undo{}, splice.Errorf(at.Start, "%s is not in this file", splice.Quote(path[:len(path)-1]))
	}
	for i := len(rest) - 1; i > shared; i-- {
		v = wrap(rest[i], v)
	}
	out, u := d.insert(at, pair(rest[:shared+1], v))
	u.Made = made
	return out, u, nil
}

// appendWithin appends to the array that is rest of the way below a value.
func (d *document) appendWithin(at value, path, rest []string, v hujson.Value, existing bool) ([]byte, undo, error) {
	if at.kind == unstable.InlineTable && len(rest) > 0 {
		if m := at.member(rest); m != nil {
			return d.appendWithin(m.value, path, rest[len(m.keys):], v, existing)
		}
		array := hujson.Value{Value: &hujson.Array{Elements: []hujson.Value{v}}}
		return added(d.setWithin(at, path, rest, array, existing))
	}
	if at.kind != unstable.Array || len(rest) > 0 {
		return nil, undo{}, splice.Errorf(at.Start, "%s is not an array", splice.Quote(path[:len(path)-len(rest)]))
	}
	want, err := treeOf(v)
	if err != nil {
		return nil, undo{}, err
	}
	for _, e := range at.elems {
		if reflect.DeepEqual(e.tree(), want) {
			return d.src, undo{Kept: true}, nil
		}
	}
	out, u := d.insert(at, literal(v))
	return out, u, nil
}

// member is the one whose key leads to rest.
func (v value) member(rest []string) *member {
	for i, m := range v.members {
		if hasPrefix(rest, names(m.keys)) {
			return &v.members[i]
		}
	}
	return nil
}

// insert adds an item to an array or inline table.
func (d *document) insert(at value, item string) ([]byte, undo) {
	st := at.list.Style(d.src, d.newline, "  ", false)
	if at.kind == unstable.InlineTable && len(at.list.Items) == 0 && at.list.Open == at.list.Close {
		item = " " + item + " "
	}
	edits, u := at.list.Insert(d.src, item, st)
	return splice.Apply(d.src, edits...), u
}

// addLine puts a line after an expression, indented like it.
func (d *document) addLine(after *expr, line string, u undo) ([]byte, undo, error) {
	line = splice.Indent(d.src, after.start) + line
	if after.next == len(d.src) && !bytes.HasSuffix(d.src, []byte("\n")) {
		line = d.newline + line
	} else {
		line += d.newline
	}
	return splice.Apply(d.src, splice.Edit{Start: after.next, End: after.next, New: line}), u, nil
}

// addToRoot puts a line after the last key that stands under no header.
func (d *document) addToRoot(line string) ([]byte, undo, error) {
	for i := len(d.exprs) - 1; i >= 0; i-- {
		if e := &d.exprs[i]; e.section < 0 {
			return d.addLine(e, line, undo{})
		}
	}
	if len(d.exprs) == 0 {
		return splice.Apply(d.src, splice.Edit{Start: len(d.src), End: len(d.src), New: d.ended(line)}), undo{}, nil
	}
	// Before the first header, and before the comment that belongs to it.
	at := d.exprs[0].line
	for at > 0 {
		prev := bytes.LastIndexByte(d.src[:at-1], '\n') + 1
		if !bytes.HasPrefix(bytes.TrimLeft(d.src[prev:at], " \t"), []byte("#")) {
			break
		}
		at = prev
	}
	line += d.newline + d.newline
	return splice.Apply(d.src, splice.Edit{Start: at, End: at, New: line}), undo{Blank: true}, nil
}

// addSection puts a table at the end, after an empty line.
func (d *document) addSection(text string, u undo) ([]byte, undo, error) {
	if len(d.src) > 0 && !d.endsBlank() {
		text = d.newline + text
		u.Blank = true
	}
	return splice.Apply(d.src, splice.Edit{Start: len(d.src), End: len(d.src), New: d.ended(text)}), u, nil
}

// ended makes text the last lines of the document, which has a newline at its
// end after that exactly where it had one before.
func (d *document) ended(text string) string {
	if len(d.src) > 0 && !bytes.HasSuffix(d.src, []byte("\n")) {
		return d.newline + text
	}
	return text + d.newline
}

// endsBlank reports whether the last line is an empty one.
func (d *document) endsBlank() bool {
	lines := strings.Split(string(d.src), "\n")
	n := len(lines)
	return n > 1 && lines[n-1] == "" && strings.Trim(lines[n-2], " \t\r") == ""
}
