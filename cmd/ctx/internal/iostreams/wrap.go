package iostreams

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks text between its words into lines of at most so many columns. A
// word that is wider has a line of its own. It gives at least one line.
func Wrap(text string, columns int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= columns:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
