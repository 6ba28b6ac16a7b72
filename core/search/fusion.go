package search

import "math"

// How the words of a query and its meaning come together: a tool's score is the
// cosine of its vector with the query's, plus what [Index.Search] gives it, so
// that a name or another rare word in the query decides among tools that mean
// about the same.
const (
	// wordsWeight is that of the score by words, of which the sum over a query's
	// terms is divided by the root of their number: else a long message would be
	// searched by its words alone. TestTheWeightOfWords prints what others would do.
	wordsWeight = 0.04

	// outdatedCosines is what counts of an outdated document's cosine. It is less
	// of a cut than [outdatedShare], for what does not fit at all has a cosine too.
	outdatedCosines = 0.9
)

// fused is the score of a document by its cosine and its score by words, for a
// query of so many terms.
func fused(cosine float32, words float64, terms int, weight float64) float64 {
	return float64(cosine) + weight*words/math.Sqrt(float64(max(terms, 1)))
}

// fuse returns the best documents by their cosines, which it changes, and their
// scores by words.
func (x *Index) fuse(cosines []float32, words []float64, terms int, weight float64, limit int) []Hit {
	for _, i := range x.outdated {
		cosines[i] *= outdatedCosines
	}
	found := top{limit: limit}
	for i, cosine := range cosines {
		found.add(Hit{i, fused(cosine, words[i], terms, weight)})
	}
	return found.best()
}
