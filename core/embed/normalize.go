package embed

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// normalizer does what BERT's text normaliser does before words are split.
type normalizer struct {
	clean        bool // drop control characters, every white space becomes a space
	ideographs   bool // a space on both sides of every CJK ideograph
	stripAccents bool
	lower        bool
}

func (n normalizer) normalize(text string) string {
	if n.clean || n.ideographs {
		var b strings.Builder
		b.Grow(len(text) + 16)
		for _, r := range text {
			switch {
			case n.clean && dropped(r):
			case n.clean && space(r):
				b.WriteByte(' ')
			case n.ideographs && ideograph(r):
				b.WriteByte(' ')
				b.WriteRune(r)
				b.WriteByte(' ')
			default:
				b.WriteRune(r)
			}
		}
		text = b.String()
	}
	if n.stripAccents && !ascii(text) {
		text = strings.Map(func(r rune) rune {
			if mark(r) {
				return -1
			}
			return r
		}, norm.NFD.String(text))
	}
	if n.lower {
		text = strings.ToLower(text)
	}
	return text
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// dropped reports characters that carry no text: controls but tab and line
// ends, formats, private use, and the sign that stands for an undecodable byte.
func dropped(r rune) bool {
	switch r {
	case '\t', '\n', '\r':
		return false
	case 0, unicode.ReplacementChar:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) && !unicode.Is(laterMarks, r)
}

// mark reports the accents that stripping removes.
func mark(r rune) bool {
	return unicode.Is(unicode.Mn, r) && !unicode.Is(laterMarks, r) || r == 0x1734
}

func space(r rune) bool { return unicode.Is(unicode.White_Space, r) }

// ideograph reports the blocks that BERT reads character by character. Hangul,
// Hiragana and Katakana are not among them.
func ideograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF ||
		r >= 0x3400 && r <= 0x4DBF ||
		r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2B73F ||
		r >= 0x2B740 && r <= 0x2B81F ||
		r >= 0x2B920 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF ||
		r >= 0x2F800 && r <= 0x2FA1F
}

// punctuation reports characters that are words of their own: Unicode's
// punctuation and all ASCII symbols.
func punctuation(r rune) bool {
	if r < 0x80 {
		return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
	}
	return unicode.Is(unicode.P, r) && !unicode.Is(laterPunctuation, r) || r == 0x166D || r == 0x111C9
}
