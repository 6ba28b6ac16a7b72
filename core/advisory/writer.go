package advisory

import (
	"fmt"
	"strconv"
	"strings"
)

// Most and MostTokens are the longest advisory, in bytes, all of them ASCII, and
// in tokens. What a prompt brings in may stand below it, within the limit of
// 1,200 bytes and 300 tokens for both.
const (
	Most       = 1000
	MostTokens = 240
)

// writer takes lines as long as they fit. A name, which anybody may have chosen,
// is counted at the worst.
type writer struct {
	b          strings.Builder
	spent      int // tokens
	kept       int // tokens that are promised to a line to come
	keptLength int // bytes likewise
}

// piece is a part of a line.
type piece struct {
	text string
	cost int // tokens
}

// own are words of the advisory's, which tokenizers know; of numbers every three
// digits count, and so does every sign.
func own(text string) piece {
	p := piece{text: text}
	letters, digits := 0, 0
	for _, c := range []byte(text) {
		switch {
		case c == ' ':
			letters, digits = 0, 0
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			if letters%8 == 0 {
				p.cost++
			}
			letters, digits = letters+1, 0
		case c >= '0' && c <= '9':
			if digits%3 == 0 {
				p.cost++
			}
			letters, digits = 0, digits+1
		default:
			p.cost++
			letters, digits = 0, 0
		}
	}
	return p
}

// name is a name that anybody may have chosen.
func name(n string) piece {
	n = Name(n)
	return piece{n, worst(n)}
}

func (p piece) plus(q piece) piece { return piece{p.text + q.text, p.cost + q.cost} }

func (p piece) and(text string) piece { return p.plus(own(text)) }

// line writes a line of the advisory's own words, unless it does not fit.
func (w *writer) line(format string, args ...any) { w.take(own(fmt.Sprintf(format, args...))) }

// list writes a line with as many of the parts as fit, at most four, and how many
// there are beyond; more says that there are even more. Without a part it writes
// nothing.
func (w *writer) list(format string, parts []piece, more bool) {
	before, after, _ := strings.Cut(format, "%s")
	for most := min(len(parts), 4); most > 0; most-- {
		if w.take(own(before).plus(some(parts, most, more)).and(after)) {
			return
		}
	}
}

func some(parts []piece, most int, more bool) piece {
	var all piece
	for i, p := range parts[:most] {
		if i > 0 {
			all = all.and(", ")
		}
		all = all.plus(p)
	}
	switch left := len(parts) - most; {
	case more:
		return all.and(" and more")
	case left > 0:
		return all.and(fmt.Sprintf(" and %d more", left))
	}
	return all
}

// take writes a line that fits.
func (w *writer) take(p piece) bool {
	if w.b.Len() > 0 {
		p = own("\n").plus(p)
	}
	if w.b.Len()+len(p.text)+w.keptLength > Most || w.spent+p.cost+w.kept > MostTokens {
		return false
	}
	w.b.WriteString(p.text)
	w.spent += p.cost
	return true
}

// reserve keeps room for a line of the advisory's own words until release.
func (w *writer) reserve(line string) { w.kept, w.keptLength = own("\n"+line).cost, len("\n"+line) }

func (w *writer) release() { w.kept, w.keptLength = 0, 0 }

func (w *writer) String() string { return w.b.String() }

// worst is the most tokens that a name made by [Name] takes: of letters that are
// often together tokenizers have at least most pairs.
func worst(name string) int {
	thirds := 0
	for _, c := range []byte(name) {
		if thirds += 3; c >= 'a' && c <= 'z' && !strings.ContainsRune("jkqvwxz", rune(c)) {
			thirds--
		}
	}
	return (thirds + 2) / 3
}

// Name makes a name fit for a sentence: ASCII, short, and nothing in it that
// could end the sentence or start another.
func Name(s string) string {
	const most = 32
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		case strings.ContainsRune("._:/@+-", r):
			return r
		}
		return '_'
	}, s)
	if len(s) > most {
		s = s[:most-3] + "..."
	}
	if s == "" {
		return "_"
	}
	return s
}

func named(all []string) []piece {
	parts := make([]piece, len(all))
	for i, n := range all {
		parts[i] = name(n)
	}
	return parts
}

// number groups thousands: 12,345.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
