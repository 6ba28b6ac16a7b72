package activate

import (
	"slices"
	"strings"
	"unicode"
)

// certain is the least probability of a capability that has the prompt among its
// triggers. How sure the scorer is depends on what else there is; what such a
// prompt means, the author of the trigger has said.
const certain = 0.99

// verbatim raises the capability of which the prompt is a trigger, word for word,
// and lowers all else to match. Where it is a trigger of several, nobody has
// said which of them it means.
func (d *Decision) verbatim(candidates []Candidate) {
	said := words(d.Prompt)
	meant := -1
	for i, c := range candidates {
		if !slices.ContainsFunc(c.Triggers, func(t string) bool { return slices.Equal(words(t), said) }) {
			continue
		}
		if meant >= 0 {
			return
		}
		meant = i
	}
	if len(said) == 0 || meant < 0 {
		return
	}
	d.said = d.Scores[meant].Name
	d.raise()
}

// raise makes the capability certain that has the prompt among its triggers.
func (d *Decision) raise() {
	meant := slices.IndexFunc(d.Scores, func(s Score) bool { return s.Name == d.said })
	if meant < 0 {
		return
	}
	rest := (1 - certain) / max(1-d.Scores[meant].Probability, leastProbability)
	if rest >= 1 {
		return // it is surer already
	}
	d.None *= rest
	for i := range d.Scores {
		d.Scores[i].Probability *= rest
	}
	d.Scores[meant].Probability = certain
}

// words are the words of a text, in order and lower-cased.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
