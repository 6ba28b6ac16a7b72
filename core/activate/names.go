package activate

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

var (
	wordOrStop = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[\p{L}\p{N}](?:[\p{L}\p{N}'’_-]|\.[\p{L}\p{N}])*|[.?!,;:\n]`)
	})
	negations = set(`not no never nor neither without don't doesn't didn't isn't aren't wasn't won't can't
		cannot couldn't wouldn't shouldn't haven't hasn't hadn't instead rather`)
)

// negationReach is how many words a negation is taken to reach, as far as its
// clause goes.
const negationReach = 5

// mentions returns the stems of what a prompt names, which is what is written
// with a capital where no sentence begins, and of what it negates. They tell
// "put it in Jira" from "it is in Trello, not Jira".
func mentions(prompt string) (named, negated []string) {
	begins, left := true, 0
	for _, token := range wordOrStop().FindAllString(prompt, -1) {
		first, size := utf8.DecodeRuneInString(token)
		if !unicode.IsLetter(first) && !unicode.IsDigit(first) {
			begins = begins || !strings.Contains(",;:", token)
			left = 0
			continue
		}
		lower := strings.ReplaceAll(strings.ToLower(token), "’", "'")
		if !stopWords[lower] {
			stem := english.Stem(lower, true)
			inner := strings.ToLower(token[size:]) != token[size:]
			if unicode.IsUpper(first) && !begins || inner {
				named = append(named, stem)
			}
			if left > 0 {
				negated = append(negated, stem)
			}
		}
		begins, left = false, max(left-1, 0)
		if negations[lower] {
			left = negationReach
		}
	}
	return named, negated
}

// shares returns of each candidate which share of the stems is in its texts.
func (f *field) shares(stems []string) []float64 {
	out := make([]float64, f.size())
	terms := count(stems)
	counted := make([]int, f.size()) // the last term that was, from 1
	for i, t := range terms {
		for _, p := range f.words.postings[t.text] {
			if c := f.owner[p.text]; counted[c] <= i {
				counted[c] = i + 1
				out[c] += 1 / float64(len(terms))
			}
		}
	}
	return out
}
