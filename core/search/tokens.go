package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// A tokenizer turns text into index terms. It remembers the stems it has
// computed, since tool catalogues repeat the same few thousand words. It is not
// safe for concurrent use.
type tokenizer struct {
	stems map[string]string // word as split, lower-case, to its stem; "" for a stop word
}

func newTokenizer() *tokenizer { return &tokenizer{stems: map[string]string{}} }

// terms calls emit for every term of text: words split at camelCase, snake_case
// and digit boundaries, lower-cased and stemmed, stop words left out, and both
// the single characters and the pairs of scripts that put no space between
// words.
func (t *tokenizer) terms(text string, emit func(string)) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unspaced(r):
			i += t.characters(text[i:], emit)
		case wordRune(r):
			n := strings.IndexFunc(text[i:], func(r rune) bool { return unspaced(r) || !wordRune(r) })
			if n < 0 {
				n = len(text) - i
			}
			t.word(text[i:i+n], emit)
			i += n
		default:
			i += size
		}
	}
}

// characters emits a run of unspaced script and returns its length in bytes.
func (t *tokenizer) characters(text string, emit func(string)) int {
	n, last := 0, 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !unspaced(r) {
			break
		}
		emit(text[n : n+size])
		if last > 0 {
			emit(text[n-last : n+size])
		}
		n, last = n+size, size
	}
	return n
}

// word emits the parts of a word and, where there are several, also the whole:
// "GitHub" is found by "git", by "hub" and by "github".
func (t *tokenizer) word(w string, emit func(string)) {
	parts := split(w)
	for _, p := range parts {
		if s := t.stem(p); s != "" {
			emit(s)
		}
	}
	if len(parts) > 1 {
		if s := t.stem(w); s != "" {
			emit(s)
		}
	}
}

func (t *tokenizer) stem(w string) string {
	w = strings.ToLower(w)
	s, known := t.stems[w]
	if !known {
		if !stopWords[w] {
			s = english.Stem(w, true)
		}
		t.stems[w] = s
	}
	return s
}

// split cuts a word before a capital that follows a small letter, before the
// last capital of a run that a small letter follows (HTTPServer), and between
// letters and digits. A single letter is no part of its own: OAuth and eMail
// stay whole, and so does v2.
func split(w string) []string {
	var parts []string
	start := 0
	runes := []rune(w)
	offset := 0
	for i := 1; i < len(runes); i++ {
		offset += utf8.RuneLen(runes[i-1])
		prev, cur := runes[i-1], runes[i]
		boundary := unicode.IsUpper(cur) && unicode.IsLower(prev) ||
			unicode.IsUpper(prev) && unicode.IsUpper(cur) && i+1 < len(runes) && unicode.IsLower(runes[i+1]) ||
			unicode.IsDigit(prev) != unicode.IsDigit(cur)
		if boundary && utf8.RuneCountInString(w[start:offset]) > 1 {
			parts = append(parts, w[start:offset])
			start = offset
		}
	}
	return append(parts, w[start:])
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// unspaced reports whether a script is written without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// stopWords carry no hint about which tool is meant. Verbs that name what a
// tool does ("get", "list", "use") are not among them.
var stopWords = set(`a about all also am an and any are as at be been being but by can could did do does
	for from had has have he her here him his how i if in into is it its just me my no not of off on once only
	or our out own please she should so some such than that the their them then there these they this those to
	too us very want was we were what when where which while who why will with would you your`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
