package report

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ctx-sidecar/ctx/core/authority"
)

// mostText is how many characters of a name, path or sentence a page shows.
const mostText = 240

// plain is a text in which nothing is hidden or rearranged: what has no glyph of
// its own is written as an escape, and what is very long is cut.
func plain(text string) string {
	var b strings.Builder
	n := 0
	for i, r := range text {
		if n++; n > mostText {
			b.WriteString("…")
			break
		}
		switch _, size := utf8.DecodeRuneInString(text[i:]); {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatInt(int64(text[i]), 16))
		case strconv.IsPrint(r) && !authority.Invisible(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// fit cuts a text to a width in columns of a fixed-width font; "" where less
// than three characters would be left.
func fit(text string, columns int) string {
	used := 0
	for i, r := range text {
		w := 1
		if r >= 0x1100 {
			w = 2
		}
		if used+w > columns {
			head := text[:i]
			for used > columns-1 {
				last, size := utf8.DecodeLastRuneInString(head)
				head = head[:len(head)-size]
				used--
				if last >= 0x1100 {
					used--
				}
			}
			if used < 3 {
				return ""
			}
			return head + "…"
		}
		used += w
	}
	return text
}

// group is a number with a comma after every three digits.
func group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// counted is "1 record", "2 records".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return group(n) + " " + what + "s"
}
