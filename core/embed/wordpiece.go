package embed

import (
	"strings"
	"unicode/utf8"
)

// Tokenizer turns text into the ids of a BERT vocabulary, as the tokenizer that
// the model was trained with does. It is safe for concurrent use.
//
// It is written here because no kept Go library does it: the pure one
// (sugarme/tokenizer) differs from the reference in control characters and
// late accents and has had no release since 2023, the exact one
// (daulet/tokenizers) links a Rust archive of 30 MB per platform. WordPiece
// itself is a page.
type Tokenizer struct {
	normalizer
	vocab   map[string]int32
	special []specialToken // found in the raw text before anything else
	prefix  string         // what a piece that continues a word starts with
	unknown int32
	longest int // characters; a longer word is unknown as a whole
	start   int32
	end     int32
	limit   int // tokens, start and end included
}

type specialToken struct {
	text           string
	id             int32
	lstrip, rstrip bool // takes the white space before or after it along
}

// Encode returns the ids of text between the start and the end token, cut to
// the limit.
func (t *Tokenizer) Encode(text string) []int32 { return t.encode(text, t.limit) }

func (t *Tokenizer) encode(text string, limit int) []int32 {
	ids := append(make([]int32, 0, 2+len(text)/4), t.start)
	full := func() bool { return len(ids) >= limit-1 }
	for text != "" && !full() {
		at, sp := t.nextSpecial(text)
		before := text[:at]
		if sp != nil && sp.lstrip {
			before = strings.TrimRightFunc(before, space)
		}
		t.words(before, func(word string) bool {
			ids = t.pieces(ids, word)
			return !full()
		})
		if sp == nil {
			break
		}
		ids = append(ids, sp.id)
		if text = text[at+len(sp.text):]; sp.rstrip {
			text = strings.TrimLeftFunc(text, space)
		}
	}
	if full() {
		ids = ids[:limit-1]
	}
	return append(ids, t.end)
}

// nextSpecial finds the first special token in text, the longest of those that
// start there; without one it returns the end of text.
func (t *Tokenizer) nextSpecial(text string) (at int, found *specialToken) {
	at = len(text)
	for i := range t.special {
		sp := &t.special[i]
		n := strings.Index(text, sp.text)
		if n >= 0 && (n < at || n == at && len(sp.text) > len(found.text)) {
			at, found = n, sp
		}
	}
	return at, found
}

// words calls yield with the words of text, normalised, and every punctuation
// character as a word, until yield returns false.
func (t *Tokenizer) words(text string, yield func(string) bool) {
	text = t.normalize(text)
	start := -1
	for i, r := range text {
		isSpace, isPunctuation := space(r), punctuation(r)
		if !isSpace && !isPunctuation {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && !yield(text[start:i]) {
			return
		}
		start = -1
		if isPunctuation && !yield(text[i:i+utf8.RuneLen(r)]) {
			return
		}
	}
	if start >= 0 {
		yield(text[start:])
	}
}

// pieces appends the longest known pieces of word, from left to right, or the
// unknown token if some part of it is in no piece.
func (t *Tokenizer) pieces(ids []int32, word string) []int32 {
	if len(word) > t.longest && utf8.RuneCountInString(word) > t.longest {
		return append(ids, t.unknown)
	}
	known := len(ids)
	buf := make([]byte, 0, 64)
	for rest := word; rest != ""; {
		buf = buf[:0]
		if len(rest) < len(word) {
			buf = append(buf, t.prefix...)
		}
		head := len(buf)
		buf = append(buf, rest...)
		for len(buf) > head {
			if id, ok := t.vocab[string(buf)]; ok {
				ids = append(ids, id)
				break
			}
			_, size := utf8.DecodeLastRune(buf)
			buf = buf[:len(buf)-size]
		}
		if len(buf) == head {
			return append(ids[:known], t.unknown)
		}
		rest = rest[len(buf)-head:]
	}
	return ids
}
