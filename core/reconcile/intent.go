package reconcile

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// Mention is a family that a text speaks of, and the word by which.
type Mention struct {
	Family surface.Family
	Word   string
}

const (
	mostIntent = 4 << 10 // bytes of a text that are read: the rest is seldom the wish
	reach      = 6       // words, within its clause, that a negation covers
)

var (
	negators = []string{"not", "don't", "dont", "won't", "shouldn't", "mustn't", "needn't", "never", "no", "without", "neither", "nor", "except", "avoid", "skip"}
	// "It does not deploy" complains of what is wanted.
	stating = []string{"does", "did", "is", "are", "was", "were", "can", "could", "has", "have", "had", "am", "why"}
	// "Do not forget to deploy", "not only the tests".
	undoing  = []string{"forget", "hesitate", "only", "just", "fail"}
	breaking = []string{"but", "then", "however", "only", "just", "although", "because"}
)

// Intent tells which families a wish speaks of, in the order of
// [surface.Families]: by whole words, and not by those that it negates unless
// it speaks of the same family elsewhere.
func Intent(text string) []Mention {
	by := make(map[surface.Family]string)
	covered := 0
	var before, last string // the word before, and what it was spelled like for a pair
	for _, token := range clauses(text) {
		if token == "" { // a clause ends
			covered, before, last = 0, "", ""
			continue
		}
		switch {
		case slices.Contains(breaking, token):
			covered = 0
		case slices.Contains(negators, token) && !slices.Contains(stating, before),
			token == "of" && before == "instead", token == "than" && before == "rather":
			covered = reach + 1
		case slices.Contains(undoing, token):
			covered = 0
		}
		for _, w := range surface.Words(token) {
			for _, spelled := range []string{w, strings.TrimSuffix(w, "s"), last + "_" + w} {
				for _, f := range surface.FamiliesOf(spelled) {
					if covered == 0 && by[f] == "" {
						by[f] = spelled
					}
				}
			}
			last = w
		}
		covered = max(0, covered-1)
		before = token
	}
	var spoken []Mention
	for _, f := range surface.Families() {
		if by[f] != "" {
			spoken = append(spoken, Mention{f, by[f]})
		}
	}
	return spoken
}

// clauses are the words of a text in lower case, with "" where a clause ends.
func clauses(text string) []string {
	if len(text) > mostIntent {
		text = strings.ToValidUTF8(text[:mostIntent], "")
	}
	text = strings.NewReplacer("\u2019", "'", "\u2018", "'").Replace(text)
	var tokens []string
	for _, field := range strings.FieldsFunc(text, unicode.IsSpace) {
		bare := strings.TrimLeft(field, `("'[{<`)
		if bare != field {
			tokens = append(tokens, "")
		}
		word := strings.TrimRight(bare, `.,;:!?)"']}>`)
		if word != "" {
			tokens = append(tokens, strings.ToLower(word))
		}
		if word != bare {
			tokens = append(tokens, "")
		}
	}
	return tokens
}
