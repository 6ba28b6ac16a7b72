package gateway

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// line makes one line of at most max bytes of text that a server wrote: without
// control, zero-width, bidirectional, tag and private-use characters, which can
// say something to a model that no user sees.
func line(s string, max int) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case unicode.In(r, unicode.C) || r == utf8.RuneError:
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		if b.Len()+utf8.RuneLen(r)+len("...") > max {
			b.WriteString("...")
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// word makes one ASCII word of at most max bytes of a name that a server or a
// configuration chose, so that no name can read as a sentence.
func word(s string, max int) string {
	w := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_-./@+", r):
			return r
		case unicode.In(r, unicode.C):
			return -1
		}
		return '_'
	}, s)
	return w[:min(len(w), max)]
}
