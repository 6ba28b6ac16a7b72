package search

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/ctx-sidecar/ctx/core/listing"
)

// TextVersion tells texts of [Text] apart from those of another version of it,
// and so do the vectors that are made of them.
const TextVersion = 1

// mostText is how many bytes of a description a sentence model gets to see: what
// follows tells how to use a tool and not what for.
const mostText = 300

// mostQuery is how many bytes of a query it gets to see. Longer ones take it
// longer than an answer may.
const mostQuery = 600

var (
	separators = strings.NewReplacer("_", " ", "-", " ", ".", " ")
	humps      = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)
)

// Text is what a sentence model gets to see of a tool. Parameters are left out,
// for with them it finds fewer.
func Text(t listing.Tool) string {
	return t.Server + " " + spelt(t.Name) + ": " + cut(t.Description, mostText)
}

// spelt is a name in words.
func spelt(name string) string {
	return separators.Replace(humps.ReplaceAllString(name, "$1 $2"))
}

// cut is the beginning of text, at most n bytes, in whole characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
