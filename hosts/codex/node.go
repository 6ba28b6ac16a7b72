package main

import (
	"maps"
	"slices"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// node is a setting after all layers were merged: a value, or a table of nodes.
// A nil node is a setting that nobody made; its methods work.
type node struct {
	path  []string
	value any              // nil for a table
	keys  map[string]*node // nil for a value
	place surface.Place    // in the highest layer that sets the value
	col   int
	layer *layer
}

// merge lays the values of one layer over those of the layers below it, table
// by table, as Codex does.
func (n *node) merge(v any, l *layer) {
	at := l.position(n.path...)
	here := node{path: n.path, place: surface.Place{File: l.file, Line: at.Line}, col: at.Column, layer: l}
	table, ok := v.(map[string]any)
	if !ok {
		here.value = v
		*n = here
		return
	}
	if n.keys == nil {
		here.keys = map[string]*node{}
		*n = here
	}
	for key, value := range table {
		child, ok := n.keys[key]
		if !ok {
			child = &node{path: append(slices.Clone(n.path), key)}
			n.keys[key] = child
		}
		child.merge(value, l)
	}
}

// at follows keys downwards; nil when there is nothing.
func (n *node) at(path ...string) *node {
	for _, key := range path {
		if n == nil {
			return nil
		}
		n = n.keys[key]
	}
	return n
}

// names are the keys of a table in Codex's order.
func (n *node) names() []string {
	if n == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(n.keys))
}

// each visits every value below n.
func (n *node) each(visit func(*node)) {
	if n == nil {
		return
	}
	if n.keys == nil {
		visit(n)
	}
	for _, name := range n.names() {
		n.keys[name].each(visit)
	}
}

// clone copies a node with all below it, so that layers merged later do not
// change it.
func (n *node) clone() *node {
	if n == nil {
		return nil
	}
	c := *n
	c.keys = maps.Clone(n.keys)
	for name, child := range c.keys {
		c.keys[name] = child.clone()
	}
	return &c
}

// list is the value of an array.
func (n *node) list() ([]any, bool) {
	if n == nil {
		return nil, false
	}
	list, ok := n.value.([]any)
	return list, ok
}

// integer is the value of a whole number that is not negative.
func (n *node) integer() (int, bool) {
	if n == nil {
		return 0, false
	}
	i, ok := n.value.(int64)
	return int(i), ok && i >= 0
}
