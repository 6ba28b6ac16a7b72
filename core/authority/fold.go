package authority

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// script says in what letters a word is written.
type script uint8

const (
	latin script = 1 << iota
	cyrillic
	greek
	otherScript
)

// fold is a letter as the tables spell it: small, without accents, and an
// ordinary one where it is a look-alike from the fullwidth or mathematical
// blocks. Invisible characters are 0.
func fold(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	case r >= 0xFF01 && r <= 0xFF5E:
		return fold(r - 0xFEE0)
	case r >= 0x1D400 && r <= 0x1D6A3: // mathematical letters, in runs of two alphabets
		return 'a' + (r-0x1D400)%26
	case Invisible(r):
		return 0
	case r < 0x250:
		if s := plainLatin(unicode.ToLower(r)); s != 0 {
			return s
		}
	case r >= 0x300 && r <= 0x36F: // combining accents
		return 0
	}
	return unicode.ToLower(r)
}

// Invisible reports whether a character has no shape of its own and can hide
// in a word: zero-width, bidirectional, tag and filler characters.
func Invisible(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x3164, r == 0xFEFF, r == 0xFFA0:
		return true
	case r >= 0x180B && r <= 0x180F, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F:
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}

const (
	accented = "àáâãäåāăąçćĉċčďđèéêëēĕėęěĝğġģĥħìíîïĩīĭįıĵķĺļľŀłñńņňòóôõöøōŏőŕŗřśŝşšţťŧùúûüũūŭůűųŵýÿŷźżž"
	plain    = "aaaaaaaaacccccddeeeeeeeeegggghhiiiiiiiiijklllllnnnnooooooooorrrsssstttuuuuuuuuuuwyyyzzz"
)

// plainLatin is a small letter without its accent; 0 where there is none.
func plainLatin(r rune) rune {
	i := 0
	for _, a := range accented {
		if a == r {
			return rune(plain[i])
		}
		i++
	}
	return 0
}

const (
	lookalikes = "аеорсухіјѕԁɡӏοαινρτυκһԛԝ"
	looksLike  = "aeopcyxijsdgloaivptukhqw"
)

// resemble replaces the letters of other scripts that look like Latin ones.
func resemble(word string) string {
	return strings.Map(func(r rune) rune {
		i := 0
		for _, l := range lookalikes {
			if l == r {
				return rune(looksLike[i])
			}
			i++
		}
		return r
	}, word)
}

func scriptOf(r rune) script {
	switch {
	case r < utf8.RuneSelf, r < 0x250, r >= 0x1E00 && r <= 0x1EFF:
		return latin
	case r >= 0x400 && r <= 0x52F:
		return cyrillic
	case r >= 0x370 && r <= 0x3FF:
		return greek
	}
	return otherScript
}
