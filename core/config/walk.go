package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// walk takes the settings of one file over into a Config.
type walk struct {
	config    *Config
	workspace bool
	file      string
	found     []finding
}

// finding is a problem with the setting at path.
type finding struct {
	path    []string
	text    string
	hint    string
	unknown bool
	lost    bool // something is left out that the file's author meant to have said
	line    int
}

// table goes through a table of the file. Below a key that is not known there
// is nothing more to say.
func (w *walk) table(at []string, t map[string]any) {
	for name, raw := range t {
		path := append(slices.Clone(at), name)
		if k, names, ok := find(path); ok {
			if err := k.set(w.config, value{raw, w.workspace, names, w.file}); err != nil {
				f := finding{path: path, text: strings.Join(path, ".") + " " + err.Error(), lost: !errors.Is(err, errWidens)}
				if h := (hinted{}); errors.As(err, &h) {
					f.hint = h.hint
				}
				w.found = append(w.found, f)
			}
			continue
		}
		inner, isTable := raw.(map[string]any)
		switch {
		case !holds(path):
			w.found = append(w.found, finding{path: path, text: "unknown key " + strings.Join(path, "."), unknown: true, lost: true})
		case !isTable:
			w.found = append(w.found, finding{path: path, text: strings.Join(path, ".") + " must be a table, not " + describe(raw), lost: true})
		default:
			w.table(path, inner)
		}
	}
}

// mostProblems is how many problems of one file are told.
const mostProblems = 50

// located is what was found, with lines and in their order.
func (w *walk) located(file, text string) []Problem {
	if len(w.found) == 0 {
		return nil
	}
	lines := lineIndex(text)
	for i, f := range w.found {
		w.found[i].line = lines[strings.Join(f.path, "\x00")]
	}
	slices.SortFunc(w.found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.text, b.text))
	})
	var problems []Problem
	for _, f := range w.found {
		if f.lost {
			w.config.flaw(f.path, w.workspace, Problem{File: file, Line: f.line, Text: f.text, Hint: f.told()})
		}
	}
	for i, f := range w.found {
		if i == mostProblems {
			rest := fmt.Sprintf("and %d more problems from here on", len(w.found)-i)
			return append(problems, Problem{File: file, Line: f.line, Text: rest})
		}
		problems = append(problems, Problem{File: file, Line: f.line, Text: f.text, Hint: f.told()})
	}
	return problems
}

// told is what to do about it.
func (f finding) told() string {
	if f.unknown {
		return suggest(f.path)
	}
	return f.hint
}

// find returns the setting that a path of the file is, and what its stars stand
// for.
func find(path []string) (key, []string, bool) {
	for _, k := range keys {
		pattern := strings.Split(k.path, ".")
		if names, ok := fit(pattern, path); ok && len(pattern) == len(path) {
			return k, names, true
		}
	}
	return key{}, nil, false
}

// holds reports whether there are settings below a path.
func holds(path []string) bool {
	for _, k := range keys {
		pattern := strings.Split(k.path, ".")
		if _, ok := fit(pattern, path); ok && len(pattern) > len(path) {
			return true
		}
	}
	return false
}

// fit matches a path against the beginning of a key.
func fit(pattern, path []string) (names []string, ok bool) {
	if len(pattern) < len(path) {
		return nil, false
	}
	for i, part := range path {
		switch {
		case pattern[i] == "*":
			names = append(names, part)
		case pattern[i] != part:
			return nil, false
		}
	}
	return names, true
}
