// Package eval measures how well capabilities are chosen, on labelled prompts.
package eval

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ctx-sidecar/ctx/core/activate"
)

// Row is a prompt with what it should lead to.
type Row struct {
	ID     string   `json:"id"`
	Text   string   `json:"text"`
	Domain string   `json:"domain"` // the session's, "" for none
	Expect []string `json:"expect"` // capabilities that may be activated; none: nothing may
	Kind   string   `json:"kind"`

	unsaid bool // nothing is said of what it should lead to
}

// maxLine is the longest line that is read, in bytes.
const maxLine = 1 << 20

const byteOrderMark = "\ufeff"

// ReadRows reads a file of JSON lines. The error names every line that is no
// row, in the order of lines; empty lines are passed over.
func ReadRows(path string) ([]Row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	defer f.Close()
	var rows []Row
	var wrong []error
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), byteOrderMark))
		if line == "" {
			continue
		}
		r, err := parseRow(line)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s:%d: %w", path, n, err))
			continue
		}
		if r.ID == "" {
			r.ID = fmt.Sprintf("line %d", n)
		}
		rows = append(rows, r)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		wrong = append(wrong, fmt.Errorf("%s:%d: the line is over %d bytes", path, n+1, maxLine))
	case err != nil:
		wrong = append(wrong, fmt.Errorf("read rows: %w", err))
	}
	if len(rows) == 0 && wrong == nil {
		wrong = append(wrong, fmt.Errorf("%s has no rows", path))
	}
	return rows, errors.Join(wrong...)
}

func parseRow(line string) (Row, error) {
	var read struct {
		Row
		Expect json.RawMessage `json:"expect"`
	}
	err := json.Unmarshal([]byte(line), &read)
	if err == nil && read.Expect != nil && json.Unmarshal(read.Expect, &read.Row.Expect) != nil {
		return Row{}, fmt.Errorf(`"expect" is to be a list of names, not %s`, read.Expect)
	}
	read.unsaid = read.Expect == nil
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return Row{}, fmt.Errorf("column %d: %w", syntax.Offset, err)
	case errors.As(err, &kind) && kind.Field != "":
		return Row{}, fmt.Errorf("column %d: %q is to be a string, not %s", kind.Offset, strings.TrimPrefix(kind.Field, "Row."), kind.Value)
	case err != nil:
		return Row{}, errors.New("it is no JSON object")
	case strings.TrimSpace(read.Text) == "":
		return Row{}, errors.New(`the row has no "text"`)
	}
	return read.Row, nil
}

// Faults says what is odd about rows for a set of candidates: names that no
// prompt can lead to, at all or in a session of the row's domain, ids that come
// twice, and rows without "expect", which may be one that is misspelt.
func Faults(rows []Row, candidates []activate.Candidate) []string {
	known, seen := map[string]activate.Candidate{}, map[string]bool{}
	for _, c := range candidates {
		if len(c.Triggers) > 0 {
			known[c.Name] = c
		}
	}
	var all faults
	for _, r := range rows {
		outside := len(r.Expect) > 0
		for _, name := range r.Expect {
			c, ok := known[name]
			if !ok {
				all.add(r, fmt.Sprintf("expects %q: the tap has no such capability with triggers", name))
			}
			outside = outside && ok && c.Outside(r.Domain)
		}
		if outside {
			all.add(r, fmt.Sprintf("expects what sessions of domain %q cannot have, and always counts as missed", r.Domain))
		}
		if r.unsaid {
			all.add(r, `has no "expect" and counts as one that expects nothing`)
		}
		if seen[r.ID] {
			all.add(r, "has the id of an earlier one")
		}
		seen[r.ID] = true
	}
	return all.texts()
}

// faults are what is said of rows, each thing once.
type faults struct {
	said  []string
	first map[string]string // the first row's id
	rows  map[string]int
}

func (f *faults) add(r Row, what string) {
	if f.rows == nil {
		f.first, f.rows = map[string]string{}, map[string]int{}
	}
	if f.rows[what] == 0 {
		f.said, f.first[what] = append(f.said, what), r.ID
	}
	f.rows[what]++
}

func (f *faults) texts() []string {
	var out []string
	for _, what := range f.said {
		text := "row " + f.first[what] + " " + what
		if n := f.rows[what] - 1; n > 0 {
			text += fmt.Sprintf(" (and %d more rows)", n)
		}
		out = append(out, text)
	}
	return out
}
