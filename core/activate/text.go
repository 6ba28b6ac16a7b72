package activate

import (
	"math"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// stopWords carry no hint about which capability is meant.
var stopWords = set(`a about all also am an and any are as at be been being but by can could did do does
	for from had has have he her here him his how i if in into is it its just me my no not of off on once only
	or our out own please she should so some such than that the their them then there these they this those to
	too us very want was we were what when where which while who why will with would you your`)

// content returns the words of text that say what it is about, lower-cased.
func content(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	kept := words[:0]
	for _, w := range words {
		if !stopWords[w] {
			kept = append(kept, w)
		}
	}
	return kept
}

// stems are the stemmed words of text: "deploying" is found by "deploys".
func stems(text string) []string {
	words := content(text)
	for i, w := range words {
		words[i] = english.Stem(w, true)
	}
	return words
}

// grams are the pieces of three to five characters of the words of text: they
// find "postgres" in "postgresql", and forgive a typing error.
func grams(text string) []string {
	var out []string
	for _, w := range content(text) {
		r := []rune("<" + w + ">")
		for n := 3; n <= 5; n++ {
			for i := 0; i+n <= len(r); i++ {
				out = append(out, string(r[i:i+n]))
			}
		}
	}
	return out
}

// lexicon is an index of short texts by TF-IDF: 1+ln(tf) times a smoothed idf,
// every text scaled to length 1.
type lexicon struct {
	split    func(string) []string
	postings map[string][]posting
	idf      map[string]float64
	texts    int
	mass     []float64 // per text: the sum of the idf of its terms
}

type posting struct {
	text   int
	weight float64
}

func newLexicon(texts []string, split func(string) []string) *lexicon {
	x := &lexicon{
		split: split, postings: map[string][]posting{}, idf: map[string]float64{},
		texts: len(texts), mass: make([]float64, len(texts)),
	}
	terms := make([][]term, len(texts))
	for i, text := range texts {
		terms[i] = count(split(text))
		for _, t := range terms[i] {
			x.idf[t.text]++
		}
	}
	for text, df := range x.idf {
		x.idf[text] = math.Log((1+float64(len(texts)))/(1+df)) + 1
	}
	for i := range terms {
		for _, t := range x.weigh(terms[i]) {
			x.postings[t.text] = append(x.postings[t.text], posting{i, t.weight})
			x.mass[i] += x.idf[t.text]
		}
	}
	return x
}

type term struct {
	text   string
	weight float64
}

// count returns the different terms with how often they come, in the order in
// which they first do: sums over them have to come out the same every time.
func count(words []string) []term {
	at := map[string]int{}
	var terms []term
	for _, w := range words {
		i, seen := at[w]
		if !seen {
			i = len(terms)
			at[w] = i
			terms = append(terms, term{text: w})
		}
		terms[i].weight++
	}
	return terms
}

// weigh turns counts into a vector of length 1 over the terms that are known.
func (x *lexicon) weigh(counts []term) []term {
	weights := make([]term, 0, len(counts))
	norm := 0.0
	for _, t := range counts {
		if idf, known := x.idf[t.text]; known {
			w := (1 + math.Log(t.weight)) * idf
			weights = append(weights, term{t.text, w})
			norm += w * w
		}
	}
	for i := range weights {
		weights[i].weight /= math.Sqrt(norm)
	}
	return weights
}

// match compares text with every indexed one: cosine, and the share of the
// indexed text's terms, weighed by idf, that text has.
func (x *lexicon) match(text string) (cosine, coverage []float64) {
	cosine, coverage = make([]float64, x.texts), make([]float64, x.texts)
	for _, t := range x.weigh(count(x.split(text))) {
		idf := x.idf[t.text]
		for _, p := range x.postings[t.text] {
			cosine[p.text] += t.weight * p.weight
			coverage[p.text] += idf
		}
	}
	for i, mass := range x.mass {
		if mass > 0 {
			coverage[i] /= mass
		}
	}
	return cosine, coverage
}
