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

// Write prints the table indented by two spaces, its headings dimmed. Where it is
// wider than the terminal, the last column goes on in lines of its own; in a pipe
// a row is always one line. An empty table prints nothing.
func (t *Table) Write(s *Streams) {
	if len(t.rows) == 0 {
		return
	}
	width := make([]int, len(t.heads))
	for _, row := range append([][]string{t.heads}, t.rows...) {
		for i, c := range row {
			if n := utf8.RuneCountInString(c); n <= widest {
				width[i] = max(width[i], n)
			}
		}
	}
	l := t.layout(width, s.Width)
	t.line(s.Out, t.heads, l, s.Dim)
	for _, row := range t.rows {
		t.line(s.Out, row, l, func(c string) string { return c })
	}
}

// widest is how many columns one cell may ask of all rows: a name that a
// repository made up may have any number, and stands out of line itself.
const widest = 160

// narrowest is how many columns text can still be read in.
const narrowest = 24

// A layout is where the cells of a table go.
type layout struct {
	width []int // of each column
	room  int   // columns for a line of the last cell, 0 where it is never broken
	start int   // where its further lines begin
	below bool  // its first line goes below the others, too
}

func (t *Table) layout(width []int, terminal int) layout {
	last := len(width) - 1
	l := layout{width: width}
	for _, w := range width[:last] {
		l.start += 2 + w
	}
	l.start += 2
	if terminal == 0 || t.right[last] || l.start+width[last] <= terminal {
		return l
	}
	l.room = terminal - l.start
	if l.room < min(narrowest, width[last]) {
		const indent = 6
		l.start, l.room, l.below = indent, max(terminal-indent, narrowest), true
	}
	return l
}

func (t *Table) line(w io.Writer, row []string, l layout, dress func(string) string) {
	var b strings.Builder
	last := len(row) - 1
	lines := []string{row[last]}
	if l.room > 0 {
		lines = Wrap(row[last], l.room)
	}
	for i, c := range row[:last] {
		t.cell(&b, i, c, l, dress)
	}
	further := "\n" + strings.Repeat(" ", l.start)
	for i, text := range lines {
		switch {
		case i == 0 && !l.below:
			t.cell(&b, last, text, l, dress)
		case text != "":
			b.WriteString(further + dress(text))
		}
	}
	fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
}

func (t *Table) cell(b *strings.Builder, i int, c string, l layout, dress func(string) string) {
	pad := strings.Repeat(" ", max(0, l.width[i]-utf8.RuneCountInString(c)))
	b.WriteString("  ")
	switch {
	case t.right[i]:
		b.WriteString(pad + dress(c))
	case i == len(l.width)-1:
		b.WriteString(dress(c)) // no trailing spaces
	default:
		b.WriteString(dress(c) + pad)
	}
}
