package leakage

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ctx-sidecar/ctx/core/authority"
)

// hidden finds characters that a reader does not see, or that make a reader see
// something else. An emoji's joiners, the joiners of scripts that need them and
// the direction marks of a text that is written from right to left are not
// among them.
func hidden(t text) []Finding {
	var out []Finding
	rightToLeft := strings.ContainsFunc(t.content, func(r rune) bool {
		return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana)
	})
	var before rune
	for i := 0; i < len(t.content); {
		r, size := utf8.DecodeRuneInString(t.content[i:])
		next, _ := utf8.DecodeRuneInString(t.content[i+size:])
		what := ""
		switch {
		case !authority.Invisible(r):
		case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
			what = "turns the direction of writing"
		case r == 0x200E || r == 0x200F || r == 0x61C:
			if !rightToLeft {
				what = "marks a direction of writing in a text that has one"
			}
		case r >= 0xE0000 && r <= 0xE007F:
			if !pictured(before) {
				what = "has tag characters, which spell a text that nobody sees"
			}
		case r >= 0xFE00 && r <= 0xFE0F:
			if !pictured(before) && !unicode.IsSymbol(before) && !unicode.IsPunct(before) && !unicode.IsDigit(before) && !unicode.Is(unicode.Han, before) {
				what = "has a variation selector behind a letter"
			}
		case r == 0x200C || r == 0x200D:
			if !joined(before) && !joined(next) && !pictured(before) {
				what = "has an invisible joiner in plain letters"
			}
		case r == 0xFEFF && i == 0:
		case r == 0xAD:
			if unicode.IsLetter(before) && unicode.IsLetter(next) && len(t.content) < 40 {
				what = "has a soft hyphen in a word"
			}
		default:
			what = "has an invisible character"
		}
		if what != "" {
			out = append(out, Finding{HiddenText, fmt.Sprintf("%s (U+%04X)", what, r), Place{t.field, i, i + size}, .9})
		}
		if r < 0xE0000 && (r < 0xFE00 || r > 0xFE0F) && r != 0x200D {
			before = r
		}
		i += size
	}
	return append(out, mixed(t)...)
}

// pictured reports whether a character is an emoji, or part of one.
func pictured(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2190 && r <= 0x2BFF || r == 0x200D || r == 0x3030 || r == 0xA9 || r == 0xAE || r == '#' || r == '*'
}

// joined reports whether a character is of a script that joins its letters.
func joined(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Gujarati, unicode.Gurmukhi, unicode.Kannada,
		unicode.Malayalam, unicode.Oriya, unicode.Sinhala, unicode.Tamil, unicode.Telugu, unicode.Khmer, unicode.Myanmar, unicode.Mongolian, unicode.Syriac)
}

// mixed finds words in which Latin letters stand with look-alikes.
func mixed(t text) []Finding {
	var out []Finding
	from, latin, other := -1, false, false
	flush := func(to int) {
		if from >= 0 && latin && other {
			out = append(out, Finding{HiddenText, "mixes look-alike letters of two scripts in a word", Place{t.field, from, to}, .8})
		}
		from, latin, other = -1, false, false
	}
	for i, r := range t.content {
		if !unicode.IsLetter(r) {
			flush(i)
			continue
		}
		if from < 0 {
			from = i
		}
		latin = latin || unicode.Is(unicode.Latin, r)
		other = other || unicode.In(r, unicode.Cyrillic, unicode.Greek) && r != 'µ' && r != 'μ' && r != 'Δ' && r != 'Ω' && r != 'π'
	}
	flush(len(t.content))
	return out
}
