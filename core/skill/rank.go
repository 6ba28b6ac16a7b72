package skill

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// What a word counts by where a skill has it.
const (
	inName        = 3
	inTitle       = 2
	inDescription = 1
)

// leastShare is how much of a query, by the weight of its words, a skill has to
// speak of to be an answer to it.
const leastShare = 0.5

// Rank finds the skills that speak of a query, best first, at most n.
func Rank(list []Skill, query string, n int) []Skill {
	words := stems(query)
	if len(words) == 0 {
		return nil
	}
	docs := make([]map[string]int, len(list))
	have := map[string]int{} // how many skills have a word
	for i, s := range list {
		docs[i] = map[string]int{}
		for _, part := range []struct {
			text   string
			weight int
		}{{s.Description, inDescription}, {s.Title, inTitle}, {s.Name, inName}} {
			for _, w := range stems(part.text) {
				docs[i][w] = max(docs[i][w], part.weight)
			}
		}
		for w := range docs[i] {
			have[w]++
		}
	}
	weight := func(w string) float64 { return math.Log(1 + float64(len(list))/(0.5+float64(have[w]))) }
	whole := 0.0
	for _, w := range words {
		whole += weight(w)
	}
	type hit struct {
		Skill
		score float64
	}
	var hits []hit
	for i, s := range list {
		share, score := 0.0, 0.0
		for _, w := range words {
			if in := docs[i][w]; in > 0 {
				share += weight(w)
				score += weight(w) * float64(in)
			}
		}
		if share >= leastShare*whole {
			hits = append(hits, hit{s, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var best []Skill
	for _, h := range hits[:min(n, len(hits))] {
		best = append(best, h.Skill)
	}
	return best
}

// stems are the different stemmed words of a text that say what it is about.
func stems(text string) []string {
	var list []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if common[w] {
			continue
		}
		if w = english.Stem(w, true); !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list
}

var common = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`a about all also an and any are as at be been by can could do does for from had has have
		how i if in into is it its me my no not of on or our please should so some such than that the their them then there
		these they this those to too us use using want was we were what when where which who why will with would you your skill`) {
		m[w] = true
	}
	return m
}()
