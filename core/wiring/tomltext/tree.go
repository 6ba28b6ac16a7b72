package tomltext

import (
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/ctx-sidecar/ctx/core/wiring/splice"
)

// Scalar is a value that is neither table nor array. Text is a string's
// content; numbers, dates and booleans are as they are written, so that no
// value is lost or rounded.
type Scalar struct {
	Kind unstable.Kind
	Text string
}

// node is a table, an array of tables, or a value.
type node struct {
	table map[string]*node // nil for no table
	array []*node          // of an array of tables
	value any              // of anything else

	header bool // a table that has a header of its own
	dotted bool // a table that dotted keys define
	inline bool // a table that is complete where it stands
}

func newTable() *node { return &node{table: map[string]*node{}} }

// build finds out what the expressions mean together, and refuses what defines
// anything twice.
func (d *document) build() error {
	current, inArray := d.root, false
	var prefix []string
	for i := range d.exprs {
		e := &d.exprs[i]
		if e.kind != unstable.KeyValue {
			var err error
			if current, inArray, err = d.open(e); err != nil {
				return err
			}
			e.node, prefix = current, names(e.keys)
			if !inArray || e.kind == unstable.ArrayTable && !d.throughArray(e.keys[:len(e.keys)-1]) {
				e.path = prefix
			}
			continue
		}
		v, err := nodeOf(e.value)
		if err != nil {
			return err
		}
		if err := put(current, e.keys, v); err != nil {
			return err
		}
		if !inArray {
			e.path = append(append([]string{}, prefix...), names(e.keys)...)
		}
	}
	return nil
}

// open goes to the table that a header names, and tells whether it is inside an
// array of tables.
func (d *document) open(e *expr) (at *node, inArray bool, err error) {
	at = d.root
	for _, k := range e.keys[:len(e.keys)-1] {
		next := at.table[k.name]
		if next == nil {
			next = newTable()
			at.table[k.name] = next
		}
		if n := len(next.array); n > 0 {
			next, inArray = next.array[n-1], true
		}
		if next.table == nil || next.inline {
			return nil, false, splice.Errorf(k.Start, "%q is already a value", k.name)
		}
		at = next
	}
	last := e.keys[len(e.keys)-1]
	next := at.table[last.name]
	if e.kind == unstable.ArrayTable {
		if next == nil {
			next = &node{}
			at.table[last.name] = next
		} else if len(next.array) == 0 {
			return nil, false, splice.Errorf(last.Start, "%q is already defined, and not as an array of tables", last.name)
		}
		elem := newTable()
		elem.header = true
		next.array = append(next.array, elem)
		return elem, true, nil
	}
	switch {
	case next == nil:
		next = newTable()
		at.table[last.name] = next
	case next.table == nil || next.header || next.dotted || next.inline:
		return nil, false, splice.Errorf(last.Start, "the table %q is already defined", last.name)
	}
	next.header = true
	return next, inArray, nil
}

// throughArray reports whether keys lead into an array of tables.
func (d *document) throughArray(keys []key) bool {
	at := d.root
	for _, k := range keys {
		if at = at.table[k.name]; len(at.array) > 0 {
			return true
		}
	}
	return false
}

// put sets a dotted key in a table.
func put(at *node, keys []key, v *node) error {
	for _, k := range keys[:len(keys)-1] {
		next := at.table[k.name]
		if next == nil {
			next = newTable()
			next.dotted = true
			at.table[k.name] = next
		}
		if next.table == nil || next.inline || next.header {
			return splice.Errorf(k.Start, "%q is already defined", k.name)
		}
		at = next
	}
	last := keys[len(keys)-1]
	if at.table[last.name] != nil {
		return splice.Errorf(last.Start, "the key %q is already defined", last.name)
	}
	at.table[last.name] = v
	return nil
}

// nodeOf is what a value means.
func nodeOf(v value) (*node, error) {
	switch v.kind {
	case unstable.Array:
		list := make([]any, len(v.elems))
		for i, e := range v.elems {
			n, err := nodeOf(e)
			if err != nil {
				return nil, err
			}
			list[i] = n.tree()
		}
		return &node{value: list}, nil
	case unstable.InlineTable:
		n := newTable()
		for _, m := range v.members {
			c, err := nodeOf(m.value)
			if err != nil {
				return nil, err
			}
			if err := put(n, m.keys, c); err != nil {
				return nil, err
			}
		}
		n.inline = true
		return n, nil
	}
	return &node{value: Scalar{v.kind, v.text}}, nil
}

// tree is what a value of the document means.
func (v value) tree() any {
	n, err := nodeOf(v)
	if err != nil {
		panic("tomltext: a value that was read cannot be read again: " + err.Error())
	}
	return n.tree()
}

// tree is a node as map[string]any, []any and [Scalar].
func (n *node) tree() any {
	switch {
	case n.table != nil:
		m := map[string]any{}
		for k, v := range n.table {
			m[k] = v.tree()
		}
		return m
	case n.array != nil:
		list := make([]any, len(n.array))
		for i, e := range n.array {
			list[i] = e.tree()
		}
		return list
	}
	return n.value
}

// find follows a path through tables, nil where it leads nowhere.
func (n *node) find(path []string) *node {
	for _, k := range path {
		if n == nil {
			return nil
		}
		n = n.table[k]
	}
	return n
}

// Tree decodes the text: tables as map[string]any, arrays as []any, all else as
// [Scalar].
func Tree(src []byte) (any, error) {
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	return d.root.tree(), nil
}
