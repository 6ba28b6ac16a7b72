package activate

import (
	"context"
	"slices"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// The raw features of a candidate, in the order of the scorer's weights. The
// first group needs a model, the second does not.
var (
	SemanticFeatures = []string{
		"trigger best", "trigger top3", "trigger mean", "card",
		"token cover best", "token cover top3", "token fit best", "token fit top3", "token fit all", "token fit all top5",
	}
	LexicalFeatures = []string{"word best", "word top3", "word card", "word cover", "gram best", "gram top3", "gram card", "named", "negated"}
)

// field is what is known of a set of candidates before a prompt comes.
type field struct {
	first        []int // per candidate: its first trigger; one more for the end
	owner        []int // per text of words and grams: its candidate
	words, grams *lexicon
	triggers     []encoded // none without a model
	cards        []encoded
	dims         int
	tuned        map[string]*tuned // by candidate, those of taps with a calibration
}

func newField(ctx context.Context, candidates []Candidate, cache *embed.Cache, p packer) (*field, error) {
	f := &field{}
	var triggers, cards, lexicalCards []string
	for _, c := range candidates {
		f.first = append(f.first, len(triggers))
		triggers = append(triggers, c.Triggers...)
		cards = append(cards, c.card())
		lexicalCards = append(lexicalCards, c.Title+" "+c.Description+" "+c.Name)
	}
	f.first = append(f.first, len(triggers))
	for i, c := range candidates {
		f.owner = append(f.owner, slices.Repeat([]int{i}, len(c.Triggers))...)
	}
	for i := range candidates {
		f.owner = append(f.owner, i)
	}
	texts := slices.Concat(triggers, lexicalCards)
	f.words, f.grams = newLexicon(texts, stems), newLexicon(texts, grams)
	if cache == nil {
		return f, nil
	}
	f.dims = p.dims
	rows, err := cache.Embed(ctx, slices.Concat(triggers, cards))
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		if i < len(triggers) {
			f.triggers = append(f.triggers, p.unpack(row))
		} else {
			f.cards = append(f.cards, p.unpack(row))
		}
	}
	return f, nil
}

func (f *field) size() int { return len(f.first) - 1 }

// features returns the raw features of every candidate for a prompt; e is nil
// without a model.
func (f *field) features(prompt string, e *encoded) [][]float64 {
	rows := make([][]float64, f.size())
	if e != nil {
		f.semantic(rows, *e)
	}
	f.lexical(rows, prompt)
	return rows
}

func (f *field) lexical(rows [][]float64, prompt string) {
	word, cover := f.words.match(prompt)
	gram, _ := f.grams.match(prompt)
	card := f.first[f.size()]
	names, nots := mentions(prompt)
	named, negated := f.shares(names), f.shares(nots)
	for i := range rows {
		own := func(scores []float64) []float64 { return scores[f.first[i]:f.first[i+1]] }
		rows[i] = append(rows[i],
			slices.Max(own(word)), top(own(word), 3), word[card+i], slices.Max(own(cover)),
			slices.Max(own(gram)), top(own(gram), 3), gram[card+i], named[i], negated[i])
	}
}

func (f *field) semantic(rows [][]float64, prompt encoded) {
	for i := range rows {
		triggers := f.triggers[f.first[i]:f.first[i+1]]
		var cosine, cover, fit []float64
		all := make([]float64, len(prompt.tokens)/f.dims)
		for j := range all {
			all[j] = -1
		}
		for _, t := range triggers {
			cosine = append(cosine, float64(dot(t.vector, prompt.vector)))
			c, p := compare(t.tokens, prompt.tokens, f.dims, all)
			cover, fit = append(cover, c), append(fit, p)
		}
		compare(f.cards[i].tokens, prompt.tokens, f.dims, all)
		rows[i] = append(rows[i],
			slices.Max(cosine), top(cosine, 3), top(cosine, len(cosine)),
			float64(dot(f.cards[i].vector, prompt.vector)),
			slices.Max(cover), top(cover, 3), slices.Max(fit), top(fit, 3),
			top(all, len(all)), top(all, 5))
	}
}

// compare matches every token of a text with the nearest of the prompt's, and
// the other way round, and returns both mean cosines. In all it keeps the best
// that any text gave each token of the prompt.
func compare(text, prompt []float32, dims int, all []float64) (cover, fit float64) {
	nText, nPrompt := len(text)/dims, len(prompt)/dims
	if nText == 0 || nPrompt == 0 {
		return 0, 0
	}
	var covered [maxTokens]float32
	for i := range nText {
		covered[i] = -1
	}
	for j := range nPrompt {
		token := prompt[j*dims:][:dims]
		best := float32(-1)
		for i := range nText {
			s := dot(token, text[i*dims:])
			best = max(best, s)
			covered[i] = max(covered[i], s)
		}
		fit += float64(best)
		all[j] = max(all[j], float64(best))
	}
	for _, c := range covered[:nText] {
		cover += float64(c)
	}
	return cover / float64(nText), fit / float64(nPrompt)
}

// top is the mean of the n largest, or of all if there are fewer; 0 of none.
func top(scores []float64, n int) float64 {
	n = min(n, len(scores))
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(scores))
	sum := 0.0
	for _, s := range sorted[len(sorted)-n:] {
		sum += s
	}
	return sum / float64(n)
}
