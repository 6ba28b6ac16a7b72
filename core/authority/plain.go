package authority

import (
	"unicode"
	"unicode/utf8"
)

// Plain is a text as a reader may take it: in small letters, without accents
// and invisible characters, and with the letters of one word in one script. at
// holds, for every byte of it and one more, the byte of the text it came from.
func Plain(text string) (plain string, at []int) {
	out := make([]byte, 0, len(text))
	at = make([]int, 0, len(text)+1)
	put := func(r rune, from int) {
		n := len(out)
		out = utf8.AppendRune(out, r)
		for ; n < len(out); n++ {
			at = append(at, from)
		}
	}
	var (
		run     []rune
		runAt   []int
		scripts script
	)
	flush := func() {
		mixed := hides(scripts, false)
		for i, r := range run {
			if mixed {
				r, _ = utf8.DecodeRuneInString(resemble(string(r)))
			}
			put(r, runAt[i])
		}
		run, runAt, scripts = run[:0], runAt[:0], 0
	}
	for i, r := range text {
		f := fold(r)
		if f == 0 {
			continue
		}
		if !unicode.IsLetter(f) {
			flush()
			put(f, i)
			continue
		}
		run, runAt = append(run, f), append(runAt, i)
		scripts |= scriptOf(r)
	}
	flush()
	return string(out), append(at, len(text))
}
