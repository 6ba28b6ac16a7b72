package splice

import "bytes"

// Span is the bytes from Start up to End.
type Span struct{ Start, End int }

// List is a list in brackets: the members of an object or inline table, or the
// elements of an array.
type List struct {
	Open, Close int    // after the opening bracket; at the closing one
	Items       []Span // without the white space and comments around them
	Commas      []int  // where the comma after an item is; -1 for none
	// Comment begins a comment that ends with its line: "//" or "#".
	Comment string
}

// Style is how a list is laid out.
type Style struct {
	Lines   bool   // an item a line
	Newline string // of the file
	Indent  string // before an item, where Lines
	Outer   string // before the closing bracket, where Lines
	Comma   string // white space after a comma, where not Lines
}

// Style reads how the list is laid out. An empty list has no layout of its own
// and is broken into lines if lines is true; unit is one step of indentation.
func (l List) Style(src []byte, newline, unit string, lines bool) Style {
	st := Style{Newline: newline, Outer: Indent(src, l.Open-1), Comma: " "}
	if n := len(l.Items); n == 0 {
		st.Lines = lines || bytes.ContainsRune(src[l.Open:l.Close], '\n')
	} else {
		for i := range n + 1 {
			st.Lines = st.Lines || bytes.ContainsRune(l.gap(src, i), '\n')
		}
		if tail := l.gap(src, n-1); n > 1 && Blank(tail) {
			st.Comma = string(tail)
		}
	}
	st.Indent = st.Outer + unit
	for i := len(l.Items) - 1; i >= 0; i-- {
		if in, ok := firstInLine(src, l.Items[i].Start); ok {
			st.Indent = in
			break
		}
	}
	if in, ok := firstInLine(src, l.Close); ok {
		st.Outer = in
	}
	return st
}

// firstInLine reports whether only indentation stands before an offset in its
// line, and which.
func firstInLine(src []byte, offset int) (string, bool) {
	in := Indent(src, offset)
	return in, bytes.LastIndexByte(src[:offset], '\n')+1+len(in) == offset
}

// gap is what stands before item i: after the comma before it, or after the
// opening bracket. For i = len(Items) it is what follows the last comma, or the
// last item where no comma follows it.
func (l List) gap(src []byte, i int) []byte {
	from, to := l.Open, l.Close
	if i > 0 {
		from = l.Items[i-1].End
		if c := l.Commas[i-1]; c >= 0 {
			from = c + 1
		}
	}
	if i < len(l.Items) {
		to = l.Items[i].Start
	}
	return src[from:to]
}

// Insert adds an item at the end of the list. A comment after the last item
// stays with that item, and a trailing comma stays trailing.
func (l List) Insert(src []byte, item string, st Style) ([]Edit, Undo) {
	n := len(l.Items)
	gap := l.gap(src, n)
	at := l.Close - len(gap) + len(bytes.TrimRight(gap, space))
	before := st.Comma
	if st.Lines {
		before = st.Newline + st.Indent
	}
	switch {
	case n == 0 && Blank(gap):
		inner := string(gap)
		text := item
		if st.Lines {
			text = before + item + st.Newline + st.Outer
		}
		return []Edit{{l.Open, l.Close, text}}, Undo{Inner: &inner}
	case n == 0:
		if !st.Lines {
			before = " "
		}
		return []Edit{{at, at, before + item}}, Undo{}
	case l.Commas[n-1] >= 0:
		return []Edit{{at, at, before + item + ","}}, Undo{}
	}
	end := l.Items[n-1].End
	return []Edit{{end, end, ","}, {at, at, before + item}}, Undo{}
}

// Remove takes an item out, with the comma that came with it. If nothing is
// left between the brackets then, inner is put there.
func (l List) Remove(src []byte, i int, inner string) []Edit {
	it, comma := l.Items[i], l.Commas[i]
	end := it.End
	if comma >= 0 && Blank(src[it.End:comma]) {
		end = comma + 1
	}
	edits := []Edit{}
	if comma >= 0 && end == it.End { // a comment stands before the comma
		edits = append(edits, Edit{comma, comma + 1, ""})
	}
	if len(l.Items) == 1 {
		if Blank(src[l.Open:it.Start]) && Blank(src[end:l.Close]) {
			return []Edit{{l.Open, l.Close, inner}}
		}
		return append(edits, Edit{l.back(src, i, end), end, ""})
	}
	if i == 0 {
		if next := l.Items[1].Start; end > it.End && Blank(src[end:next]) {
			return []Edit{{it.Start, next, ""}}
		}
		return append(edits, Edit{it.Start, end, ""})
	}
	if comma < 0 {
		c := l.Commas[i-1]
		edits = append(edits, Edit{c, c + 1, ""})
		if back := l.back(src, i, end); back > c {
			return append(edits, Edit{back, end, ""})
		}
		return []Edit{{c, end, ""}}
	}
	return append(edits, Edit{l.back(src, i, end), end, ""})
}

// back goes back from item i over white space, unless that would draw what
// follows end into a comment.
func (l List) back(src []byte, i, end int) int {
	gap := l.gap(src, i)
	trimmed := bytes.TrimRight(gap, space)
	start := l.Items[i].Start
	if l.endsInComment(trimmed) {
		rest := bytes.TrimLeft(src[end:], " \t\r")
		if len(rest) > 0 && rest[0] != '\n' {
			return start
		}
	}
	return start - len(gap) + len(trimmed)
}

// endsInComment reports whether white space and comments end in a comment that
// goes on to the end of its line.
func (l List) endsInComment(gap []byte) bool {
	for i := 0; i < len(gap); i++ {
		switch {
		case bytes.HasPrefix(gap[i:], []byte(l.Comment)):
			n := bytes.IndexByte(gap[i:], '\n')
			if n < 0 {
				return true
			}
			i += n
		case bytes.HasPrefix(gap[i:], []byte("/*")):
			i += 2 + bytes.Index(gap[i+2:], []byte("*/")) + 1
		}
	}
	return false
}
