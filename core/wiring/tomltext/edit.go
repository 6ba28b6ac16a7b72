package tomltext

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"

	"github.com/ctx-sidecar/ctx/core/wiring/splice"
)

type undo = splice.Undo

// Set gives the key at path the value: in place of the value that is there, or
// as a new key after the last one of the table that path names, however that
// table is written. A missing table is made at the end of the text; with
// existing it is an error.
func Set(src []byte, path []string, raw json.RawMessage, existing bool) ([]byte, splice.Undo, error) {
	v, err := parseValue(raw)
	if err != nil {
		return nil, undo{}, err
	}
	d, err := parse(src)
	if err != nil {
		return nil, undo{}, err
	}
	return d.set(path, v, existing)
}

func (d *document) set(path []string, v hujson.Value, existing bool) ([]byte, undo, error) {
	if e := d.holding(path); e != nil {
		return d.setWithin(e.value, path, path[len(e.path):], v, existing)
	}
	if e := d.below(path); e != nil {
		return nil, undo{}, splice.Errorf(e.start, "%s is a table", splice.Quote(path))
	}
	if e := d.arrayAbove(path); e != nil {
		return nil, undo{}, splice.Errorf(e.start, "%s is an array of tables", splice.Quote(e.path))
	}
	parent, name := path[:len(path)-1], path[len(path)-1]
	if existing && d.root.find(parent) == nil {
		return nil, undo{}, splice.Errorf(0, "%s is not in this file", splice.Quote(parent))
	}
	made := d.missing(parent)
	if len(parent) == 0 {
		return d.addToRoot(pair(path, v))
	}
	if i := d.header(parent); i >= 0 {
		return d.addLine(d.lastOf(i), pair([]string{name}, v), undo{Made: made})
	}
	for n := len(parent); n > 0; n-- {
		if e := d.dottedIn(parent[:n]); e != nil {
			own := len(e.path) - len(e.keys) // the part of its path that a header gives
			key := string(d.src[e.start:e.keys[n-own-1].End]) + "." + dotted(path[n:])
			return d.addLine(e, key+" = "+literal(v), undo{Made: made})
		}
	}
	return d.addSection(section("[", parent, "]", wrap(name, v), d.newline), undo{Made: max(made, 1)})
}

// Append adds the value as the last element of the array at path, which may be
// an array of tables; a missing one is made.
func Append(src []byte, path []string, raw json.RawMessage, existing bool) ([]byte, splice.Undo, error) {
	v, err := parseValue(raw)
	if err != nil {
		return nil, undo{}, err
	}
	d, err := parse(src)
	if err != nil {
		return nil, undo{}, err
	}
	if e := d.holding(path); e != nil {
		return d.appendWithin(e.value, path, path[len(e.path):], v, existing)
	}
	tree, err := treeOf(v)
	if err != nil {
		return nil, undo{}, err
	}
	array := d.root.find(path)
	switch {
	case array != nil && array.array == nil:
		return nil, undo{}, splice.Errorf(d.below(path).start, "%s is a table, not an array", splice.Quote(path))
	case array != nil:
		for _, e := range array.array {
			if reflect.DeepEqual(e.tree(), tree) {
				return src, undo{Kept: true}, nil
			}
		}
		if !isObject(v) {
			return nil, undo{}, splice.Errorf(d.below(path).start, "%s is an array of tables", splice.Quote(path))
		}
	case !isObject(v) || d.dottedAbove(path):
		return added(d.set(path, hujson.Value{Value: &hujson.Array{Elements: []hujson.Value{v}}}, existing))
	}
	if e := d.arrayAbove(path[:len(path)-1]); e != nil {
		return nil, undo{}, splice.Errorf(e.start, "%s is an array of tables", splice.Quote(e.path))
	}
	if parent := path[:len(path)-1]; existing && d.root.find(parent) == nil {
		return nil, undo{}, splice.Errorf(0, "%s is not in this file", splice.Quote(parent))
	}
	made := 0
	if array == nil {
		made = 1
	}
	return d.addSection(section("[[", path, "]]", v, d.newline), undo{Made: made})
}

// added counts the array around an appended value as made.
func added(out []byte, u undo, err error) ([]byte, undo, error) {
	u.Made++
	return out, u, err
}

// Table adds a table with its keys at the end of the text. An equal table that
// is there is left alone, any other is an error.
func Table(src []byte, path []string, raw json.RawMessage) ([]byte, splice.Undo, error) {
	v, err := parseValue(raw)
	if err != nil {
		return nil, undo{}, err
	}
	d, err := parse(src)
	if err != nil {
		return nil, undo{}, err
	}
	if !isObject(v) {
		return nil, undo{}, splice.Errorf(0, "the value of a table must be an object")
	}
	tree, err := treeOf(v)
	if err != nil {
		return nil, undo{}, err
	}
	if n := d.root.find(path); n != nil {
		if reflect.DeepEqual(n.tree(), tree) {
			return src, undo{Kept: true}, nil
		}
		at := d.below(path)
		if at == nil {
			at = d.holding(path)
		}
		return nil, undo{}, splice.Errorf(at.start, "the table %s is already there", splice.Quote(path))
	}
	if d.holding(path) != nil || d.dottedAbove(path) {
		return d.set(path, v, false)
	}
	if e := d.arrayAbove(path); e != nil {
		return nil, undo{}, splice.Errorf(e.start, "%s is an array of tables", splice.Quote(e.path))
	}
	return d.addSection(section("[", path, "]", v, d.newline), undo{})
}

// holding is the key whose value is at path or has path within it.
func (d *document) holding(path []string) *expr {
	return d.first(func(e expr) bool { return e.kind == unstable.KeyValue && hasPrefix(path, e.path) })
}

// below is the first expression that makes path a table or an array of tables.
func (d *document) below(path []string) *expr {
	return d.first(func(e expr) bool { return hasPrefix(e.path, path) })
}

// arrayAbove is the header of an array of tables at path or around it.
func (d *document) arrayAbove(path []string) *expr {
	return d.first(func(e expr) bool { return e.kind == unstable.ArrayTable && hasPrefix(path, e.path) })
}

func (d *document) first(is func(expr) bool) *expr {
	for i := range d.exprs {
		if d.exprs[i].path != nil && is(d.exprs[i]) {
			return &d.exprs[i]
		}
	}
	return nil
}

// header is the index of the header that defines the table, -1 for none.
func (d *document) header(path []string) int {
	return slices.IndexFunc(d.exprs, func(e expr) bool {
		return e.kind == unstable.Table && e.path != nil && slices.Equal(e.path, path)
	})
}

// lastOf is the last key under a header, or the header.
func (d *document) lastOf(section int) *expr {
	last := &d.exprs[section]
	for i := section + 1; i < len(d.exprs) && d.exprs[i].section == section; i++ {
		last = &d.exprs[i]
	}
	return last
}

// dottedIn is the last dotted key that defines something in the table at path.
func (d *document) dottedIn(path []string) *expr {
	for i := len(d.exprs) - 1; i >= 0; i-- {
		e := &d.exprs[i]
		if e.kind == unstable.KeyValue && len(e.path) > len(path) && hasPrefix(e.path, path) &&
			len(e.path)-len(e.keys) < len(path) {
			return e
		}
	}
	return nil
}

// dottedAbove reports whether a table around path is defined by dotted keys.
// TOML lets headers add to such a table, but not every reader does.
func (d *document) dottedAbove(path []string) bool {
	for n := 1; n < len(path); n++ {
		if at := d.root.find(path[:n]); at != nil && at.dotted {
			return true
		}
	}
	return false
}

// missing counts the tables of path that are not there.
func (d *document) missing(path []string) int {
	for n := len(path); n > 0; n-- {
		if d.root.find(path[:n]) != nil {
			return len(path) - n
		}
	}
	return len(path)
}
