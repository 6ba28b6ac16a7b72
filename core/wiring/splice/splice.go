// Package splice holds what splicing into JSON and into TOML have in common:
// checks of the text, lists in brackets with their commas and comments, and the
// record of a splice that undoing it needs.
package splice

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Edit replaces the bytes from Start up to End by New.
type Edit struct {
	Start, End int
	New        string
}

// Apply carries out edits that do not overlap, in any order. Edits that start
// at one place keep the order in which they are given.
func Apply(src []byte, edits ...Edit) []byte {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(src[at:e.Start])
		out.WriteString(e.New)
		at = e.End
	}
	out.Write(src[at:])
	return out.Bytes()
}

// Undo is what taking a splice out again needs to know of how it was put in.
type Undo struct {
	// Kept is true where the text already said what was asked, so that nothing
	// in it is ours.
	Kept bool `json:"kept,omitempty"`
	// Old is the text of the value that was replaced, nil where there was none.
	Old *string `json:"old,omitempty"`
	// Made is how many of the objects, tables or arrays around the value were
	// made for it, counted from the innermost.
	Made int `json:"made,omitempty"`
	// Inner is what stood between the brackets of the empty list that the value
	// went into, nil where the list was not empty.
	Inner *string `json:"inner,omitempty"`
	// Blank is true where an empty line was put between it and its neighbour.
	Blank bool `json:"blank,omitempty"`
}

// Between is what to leave between the brackets of a list that the splice was
// the only item of.
func (u Undo) Between() string {
	if u.Inner == nil {
		return ""
	}
	return *u.Inner
}

// What undoing a splice says of it.
const (
	Gone    = "was removed since"
	Changed = "was changed since and is left as it is"
	Grown   = "was added to since; what was added went with it"
)

// Error is a fault at a place in a text.
type Error struct {
	Offset int // in bytes, from the first one after a byte order mark
	Msg    string
}

func (e *Error) Error() string { return e.Msg }

// Errorf makes an [Error].
func Errorf(offset int, format string, args ...any) *Error {
	return &Error{Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// Position turns an offset into a line and a column, both counted from 1, the
// column in characters.
func Position(src []byte, offset int) (line, column int) {
	offset = min(max(offset, 0), len(src))
	start := bytes.LastIndexByte(src[:offset], '\n') + 1
	return 1 + bytes.Count(src[:offset], []byte("\n")), 1 + utf8.RuneCount(src[start:offset])
}

const bom = "\ufeff"

// Body splits a file's bytes into a byte order mark, if it has one, and the
// text, which must be UTF-8.
func Body(file []byte) (mark, text []byte, err error) {
	if bytes.HasPrefix(file, []byte{0xff, 0xfe}) || bytes.HasPrefix(file, []byte{0xfe, 0xff}) {
		return nil, nil, Errorf(0, "the file is UTF-16; only UTF-8 can be edited")
	}
	text = bytes.TrimPrefix(file, []byte(bom))
	mark = file[:len(file)-len(text)]
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return nil, nil, Errorf(i, "the file holds a NUL byte; only UTF-8 text can be edited")
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return nil, nil, Errorf(i, "the byte 0x%02x is not valid UTF-8", text[i])
		}
		i += n
	}
	return mark, text, nil
}

// Newline is the line ending that most lines of a text have, "\n" for a text of
// one line.
func Newline(src []byte) string {
	crlf := bytes.Count(src, []byte("\r\n"))
	if crlf > bytes.Count(src, []byte("\n"))-crlf {
		return "\r\n"
	}
	return "\n"
}

// Indent is the white space that the line of an offset begins with, as far as
// the offset.
func Indent(src []byte, offset int) string {
	line := src[bytes.LastIndexByte(src[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// Blank reports whether a text holds nothing but white space.
func Blank(src []byte) bool { return len(bytes.Trim(src, space)) == 0 }

// Quote is a list of keys for an error message.
func Quote(path []string) string { return `"` + strings.Join(path, ".") + `"` }

const space = " \t\r\n"
