package authority

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is one word of a text, folded.
type word struct {
	text   string
	after  byte // what ends before it: 's' a sentence, 'c' a clause, 'l' a line, 0 nothing
	proper bool // begins with a capital
	hidden bool // mixes scripts, or has invisible characters inside
	from   int  // bytes in the text
	to     int

	entry entry
	verb  inflected
}

// inflected is what find says of a word.
type inflected struct {
	verb  verb
	lemma string
	form  form
	known bool
}

func (w *word) asVerb() (verb, string, form, bool) {
	return w.verb.verb, w.verb.lemma, w.verb.form, w.verb.known
}

// hides reports whether a word is written so that a reader takes it for another.
func hides(scripts script, invisible bool) bool {
	return invisible && scripts&(latin|cyrillic|greek) != 0 || scripts&latin != 0 && scripts&(cyrillic|greek) != 0
}

// scan splits a text into words. Letters that are written without spaces
// (Chinese, Japanese, Thai) come as one word for each run; see languages.go.
func scan(text string) []word {
	words := make([]word, 0, len(text)/6+1)
	known := lexicon()
	var (
		b         [64]byte
		n         int
		start     = -1
		scripts   script
		invisible bool // one has been passed in this word
		inside    bool // and a letter came after it
		upper     bool
		after     byte = 's'
	)
	flush := func(end int) {
		if start < 0 {
			return
		}
		w := word{after: after, proper: upper, from: start, to: end, hidden: hides(scripts, inside)}
		if src := text[start:end]; n == len(src) && string(b[:n]) == src {
			w.text = src
		} else {
			w.text = string(b[:n])
		}
		if w.hidden {
			w.text = resemble(w.text)
		}
		w.entry = known[w.text]
		w.verb.verb, w.verb.lemma, w.verb.form, w.verb.known = find(w.text)
		words = append(words, w)
		start, n, scripts, invisible, inside, after = -1, 0, 0, false, false, 0
	}
	for i, r := range text {
		if r >= 0x300 && r <= 0x36F && start >= 0 {
			continue
		}
		f := r
		if r >= utf8.RuneSelf || 'A' <= r && r <= 'Z' {
			f = fold(r)
		}
		switch {
		case f == 0:
			invisible = invisible || start >= 0
			continue
		case 'a' <= f && f <= 'z', '0' <= f && f <= '9', f >= utf8.RuneSelf && (unicode.IsLetter(f) || unicode.IsDigit(f) || unicode.Is(unicode.Mn, f)):
		case (f == '\'' || f == '’') && start >= 0 && i+utf8.RuneLen(r) < len(text) && letterFollows(text[i+utf8.RuneLen(r):]):
			f = '\''
		case f == '_' && start >= 0:
		default:
			flush(i)
			after = separates(after, r, text[i:])
			continue
		}
		if start < 0 {
			start, upper = i, r != f && r < utf8.RuneSelf
		}
		inside = inside || invisible
		if f >= utf8.RuneSelf || f >= 'a' {
			if r >= 0xFF01 && r <= 0xFF5E {
				scripts |= latin
			} else {
				scripts |= scriptOf(r)
			}
		}
		if n+utf8.UTFMax <= len(b) {
			n += utf8.EncodeRune(b[n:], f)
		}
	}
	flush(len(text))
	return words
}

// separates is what a mark adds to what stands between two words.
func separates(before byte, r rune, rest string) byte {
	var is byte
	switch r {
	case '!', '?', '。', '！', '？', '؟', '।':
		is = 's'
	case '.':
		if len(rest) < 2 || rest[1] <= ' ' || rest[1] >= utf8.RuneSelf || rest[1] == '"' || rest[1] == ')' {
			is = 's'
		}
	case ':', ';', '—', '–', '：', '；', '•':
		is = 's'
		if r == ':' || r == '：' {
			is = 'c'
		}
	case ',', '(', ')', '，', '、', '،', '[', ']':
		is = 'c'
	case '\n':
		is = 'l'
		if len(rest) > 1 && (rest[1] == '\n' || rest[1] == '-' || rest[1] == '*' || rest[1] == '\r') {
			is = 's'
		}
	}
	if before == 's' || is == 0 {
		return before
	}
	if is == 'c' && before == 'l' {
		return before
	}
	return is
}

func letterFollows(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLetter(r)
}

// nameTokens splits an identifier into its words: at marks, at digits, and
// where a capital begins one. Hidden reports whether it is written so that a
// reader takes it for another name.
func nameTokens(name string) (tokens []string, hidden bool) {
	const longest = 256 // bytes; hosts allow 64
	if len(name) > longest {
		name = name[:longest]
	}
	var b strings.Builder
	var scripts script
	invisible, inside := false, false
	flush := func() {
		if b.Len() > 0 {
			t := b.String()
			if hides(scripts, inside) {
				hidden = true
				t = resemble(t)
			}
			tokens = append(tokens, t)
		}
		b.Reset()
		scripts, invisible, inside = 0, false, false
	}
	var last, lastCased rune
	for i, r := range name {
		f := fold(r)
		if f == 0 {
			invisible = b.Len() > 0
			hidden = true
			continue
		}
		if !unicode.IsLetter(f) {
			flush()
			last = 0
			continue
		}
		upper := unicode.IsUpper(r)
		if upper && last != 0 {
			next, _ := utf8.DecodeRuneInString(name[i+utf8.RuneLen(r):])
			if !unicode.IsUpper(lastCased) || unicode.IsLower(next) && b.Len() > 0 {
				flush()
			}
		}
		inside = inside || invisible
		scripts |= scriptOf(r)
		b.WriteRune(f)
		last, lastCased = f, r
	}
	flush()
	return tokens, hidden
}
