package iostreams

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table lines up columns by the widest cell of each. A column whose heading
// starts with ">" is set flush right.
type Table struct {
	heads []string
	right []bool
	rows  [][]string
}

// NewTable makes a table with these headings.
func NewTable(heads ...string) *Table {
	t := &Table{right: make([]bool, len(heads))}
	for i, h := range heads {
		name, right := strings.CutPrefix(h, ">")
		t.heads, t.right[i] = append(t.heads, name), right
	}
	return t
}

// Row adds a row; its cells are printed as fmt.Sprint would, cleaned.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(t.heads))
	for i, c := range cells {
		row[i] = Clean(fmt.Sprint(c))
	}
	t.rows = append(t.rows, row)
}

// Write prints the table indented by two spaces, its headings dimmed. An empty
// table prints nothing.
func (t *Table) Write(s *Streams) {
	if len(t.rows) == 0 {
		return
	}
	width := make([]int, len(t.heads))
	for _, row := range append([][]string{t.heads}, t.rows...) {
		for i, c := range row {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	t.line(s.Out, t.heads, width, s.Dim)
	for _, row := range t.rows {
		t.line(s.Out, row, width, func(c string) string { return c })
	}
}

func (t *Table) line(w io.Writer, row []string, width []int, dress func(string) string) {
	var b strings.Builder
	for i, c := range row {
		pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
		b.WriteString("  ")
		switch {
		case t.right[i]:
			b.WriteString(pad + dress(c))
		case i == len(row)-1:
			b.WriteString(dress(c)) // no trailing spaces
		default:
			b.WriteString(dress(c) + pad)
		}
	}
	fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
}
