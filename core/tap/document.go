package tap

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// A tap may come from a stranger, and the parser has its price: it calls itself
// for every list in a list, until the stack overflows, which no deferred call
// can prevent; and its time is quadratic in the parts of a key.
const (
	mostBytes    = 256 << 10
	mostBrackets = 10000
	mostDots     = 200 // in a line
)

// document is a TOML file that is taken over value by value; what does not fit
// becomes a problem with its place and costs that value alone.
type document struct {
	path     string
	text     string // without a byte order mark
	tree     map[string]any
	offsets  map[string]int // made when the first problem needs it
	problems []Problem
	reported map[Severity]int // also those that are not told
}

const (
	mostProblems = 50   // of a severity that are told of one file
	mostEntries  = 1000 // of a list: each is looked at with every prompt
	mostServers  = 200  // of a file
)

// parse reads text as TOML. A text that is none gives the one problem that says
// so.
func parse(path, text string) (*document, *Problem) {
	text = strings.TrimPrefix(text, "\ufeff")
	d := &document{path: path, text: text, tree: map[string]any{}}
	if line, why := tooMuch(text); why != "" {
		return nil, &Problem{File: path, Line: line, Severity: Error, Rule: "syntax", Text: why}
	}
	if _, err := toml.Decode(text, &d.tree); err != nil {
		return nil, syntax(path, text, err)
	}
	return d, nil
}

// tooMuch says why a text is not given to the parser, "" where it is.
func tooMuch(text string) (line int, why string) {
	if len(text) > mostBytes {
		return 0, fmt.Sprintf("it is over %d bytes", mostBytes)
	}
	if strings.Count(text, "[")+strings.Count(text, "{") > mostBrackets {
		return 0, fmt.Sprintf("it has over %d brackets", mostBrackets)
	}
	for l := range strings.Lines(text) {
		line++
		if strings.Count(l, ".") > mostDots && !strings.HasPrefix(strings.TrimSpace(l), "#") {
			return line, fmt.Sprintf("this line has over %d dots", mostDots)
		}
	}
	return 0, ""
}

func syntax(path, text string, err error) *Problem {
	p := &Problem{File: path, Severity: Error, Rule: "syntax", Text: err.Error()}
	if e := (toml.ParseError{}); errors.As(err, &e) {
		// Its own line is the next one where the line ends too early.
		at := placeAt(text, e.Position.Start)
		p.Line, p.Column = at.line, at.column
		if e.Message != "" {
			p.Text = e.Message
		}
	}
	return p
}

// table is a table of a document.
type table struct {
	*document
	at     []string
	values map[string]any
}

func (d *document) root() table { return table{d, nil, d.tree} }

// report notes a problem with the value at a path; "#2" is the third of a list.
func (d *document) report(s Severity, rule string, at []string, hint, format string, args ...any) {
	if d.reported == nil {
		d.reported = map[Severity]int{}
	}
	if d.reported[s]++; d.reported[s] > mostProblems {
		return
	}
	p := d.place(at)
	if d.reported[s] == mostProblems {
		format, args, hint = "%s, and more of the kind", []any{fmt.Sprintf(format, args...)}, ""
	}
	d.problems = append(d.problems, Problem{
		File: d.path, Line: p.line, Column: p.column, Severity: s, Rule: rule, Text: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// place is where the value at a path stands, zero where it is not there.
func (d *document) place(at []string) place {
	if d.offsets == nil {
		d.offsets = offsets(d.text)
	}
	offset, there := d.offsets[strings.Join(at, "\x00")]
	if !there {
		return place{}
	}
	return placeAt(d.text, offset)
}

// total is how many problems were reported so far.
func (d *document) total() (n int) {
	for _, of := range d.reported {
		n += of
	}
	return n
}

func (t table) path(name string) []string { return append(slices.Clone(t.at), name) }

// name is the key as its author would write it.
func (t table) name(key string) string {
	var parts []string
	for _, p := range t.path(key) {
		if !strings.HasPrefix(p, "#") {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ".")
}

// only reports the keys that are none of these.
func (t table) only(known ...string) {
	for _, key := range slices.Sorted(maps.Keys(t.values)) {
		if slices.Contains(known, key) {
			continue
		}
		hint := "known here: " + strings.Join(known, ", ")
		t.report(Warning, "unknown-key", t.path(key), hint, "unknown key %s", t.name(key))
	}
}

func (t table) mustBe(key, what string) {
	t.report(Error, "wrong-type", t.path(key), "", "%s must be %s, not %s", t.name(key), what, describe(t.values[key]))
}

func (t table) text(key string) string {
	v, there := t.values[key]
	s, ok := v.(string)
	if there && !ok {
		t.mustBe(key, "a text")
	}
	return s
}

// texts is a list of texts, nil where there is none.
func (t table) texts(key string) []string {
	v, there := t.values[key]
	if !there {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		t.mustBe(key, "a list of texts")
		return nil
	}
	if len(list) > mostEntries {
		t.report(Error, "too-many", t.path(key), fmt.Sprintf("at most %d", mostEntries), "%s has %d entries", t.name(key), len(list))
		return nil
	}
	out := []string{}
	for i, v := range list {
		s, ok := v.(string)
		if !ok {
			t.report(Error, "wrong-type", append(t.path(key), fmt.Sprintf("#%d", i)), "",
				"%s must hold texts, not %s", t.name(key), describe(v))
			continue
		}
		out = append(out, s)
	}
	return out
}

func (t table) textMap(key string) map[string]string {
	sub, ok := t.table(key)
	if !ok || len(sub.values) == 0 {
		return nil
	}
	out := make(map[string]string, len(sub.values))
	for _, name := range slices.Sorted(maps.Keys(sub.values)) {
		out[name] = sub.text(name)
	}
	return out
}

func (t table) number(key string) (n int64) {
	v, there := t.values[key]
	n, ok := v.(int64)
	if there && (!ok || n < 0) {
		t.mustBe(key, "a whole number from 0")
		return 0
	}
	return n
}

func (t table) table(key string) (table, bool) {
	v, there := t.values[key]
	if !there {
		return table{}, false
	}
	m, ok := v.(map[string]any)
	if !ok {
		t.mustBe(key, "a table")
	}
	return table{t.document, t.path(key), m}, ok
}

// tables is a list of tables, [[KEY]].
func (t table) tables(key string) []table {
	v, there := t.values[key]
	if !there {
		return nil
	}
	var list []any
	switch v := v.(type) {
	case []map[string]any:
		for _, m := range v {
			list = append(list, m)
		}
	case []any:
		list = v
	default:
		t.mustBe(key, "a list of tables")
		return nil
	}
	var out []table
	for i, v := range list {
		at := append(t.path(key), fmt.Sprintf("#%d", i))
		m, ok := v.(map[string]any)
		if !ok {
			t.report(Error, "wrong-type", at, "", "%s must hold tables, not %s", t.name(key), describe(v))
			continue
		}
		out = append(out, table{t.document, at, m})
	}
	return out
}

func describe(v any) string {
	switch v := v.(type) {
	case string:
		return "a text"
	case int64, float64:
		return fmt.Sprintf("the number %v", v)
	case bool:
		return fmt.Sprintf("%t", v)
	case []any, []map[string]any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a date"
}
