package main

import (
	"fmt"
	"strings"
	"time"
)

// report gathers what is wrong with a configuration while it is read. Its
// readers take a nil node for a setting nobody made, and name the file, line,
// column and key of a value that has the wrong type.
type report struct{ warnings []string }

func (r *report) warn(text string) { r.warnings = append(r.warnings, text) }

func (r *report) at(n *node, problem string) {
	r.warn(fmt.Sprintf("%s:%d:%d: %s: %s", n.place.File, n.place.Line, n.col, strings.Join(n.path, "."), problem))
}

func (r *report) text(n *node) string {
	if n == nil {
		return ""
	}
	s, ok := n.value.(string)
	if !ok {
		r.at(n, "want a string")
	}
	return s
}

func (r *report) texts(n *node) []string {
	if n == nil {
		return nil
	}
	values, ok := n.list()
	list := make([]string, 0, len(values))
	for _, v := range values {
		s, isString := v.(string)
		ok = ok && isString
		list = append(list, s)
	}
	if !ok {
		r.at(n, "want an array of strings")
		return nil
	}
	return list
}

func (r *report) textMap(n *node) map[string]string {
	if n == nil {
		return nil
	}
	if n.keys == nil {
		r.at(n, "want a table of strings")
		return nil
	}
	m := make(map[string]string, len(n.keys))
	for _, name := range n.names() {
		m[name] = r.text(n.keys[name])
	}
	return m
}

// flag reads a switch that is on where nobody set it.
func (r *report) flag(n *node) bool {
	if n == nil {
		return true
	}
	b, ok := n.value.(bool)
	if !ok {
		r.at(n, "want true or false")
	}
	return b
}

// duration reads a number, whole or not, of the given unit.
func (r *report) duration(n *node, unit time.Duration) time.Duration {
	if n == nil {
		return 0
	}
	switch v := n.value.(type) {
	case int64:
		return time.Duration(v) * unit
	case float64:
		return time.Duration(v * float64(unit))
	}
	r.at(n, "want a number")
	return 0
}
