package skill

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mentions reports whether text has a phrase as whole words, whatever the case
// and the space between the words.
func mentions(text, phrase string) bool {
	text, phrase = fold(text), fold(phrase)
	if phrase == "" {
		return false
	}
	for at := 0; ; {
		i := strings.Index(text[at:], phrase)
		if i < 0 {
			return false
		}
		i += at
		if whole(text, i, i+len(phrase)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		at = i + size
	}
}

// fold makes texts comparable: lower case, and one space for any run of it.
func fold(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

// whole reports whether text[from:to] ends no word in its middle on either side.
func whole(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	first, _ := utf8.DecodeRuneInString(text[from:])
	last, _ := utf8.DecodeLastRuneInString(text[:to])
	after, _ := utf8.DecodeRuneInString(text[to:])
	return (from == 0 || apart(before, first)) && (to == len(text) || apart(last, after) && !sign(last, text[to:]))
}

// apart reports whether a word may end between two characters.
func apart(a, b rune) bool {
	return !letter(a) || !letter(b) || unspaced(a) && unspaced(b)
}

func letter(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd) || r == '_'
}

// sign reports whether what follows makes another name of a word: "c" is not
// what "c++" and "c#" speak of.
func sign(last rune, after string) bool {
	return letter(last) && (strings.HasPrefix(after, "++") || strings.HasPrefix(after, "#"))
}

// unspaced reports whether a script is written without spaces between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
