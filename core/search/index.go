// Package search ranks tools for a query: by the words that they share with it,
// BM25 over name, server, description and parameters, with terms that know how
// code spells words; and by what they mean, where there is a sentence model.
package search

import "math"

// BM25 parameters: the textbook values, which nothing measured here improved on.
const (
	k1 = 1.2
	b  = 0.75
)

// A tool must not win queries by an endless description or by repeating a word:
// only so many bytes of a field are read, and only so many occurrences in it
// count.
const (
	maxField = 4096
	maxTimes = 3
)

// Doc is what is indexed of one tool.
type Doc struct {
	Name        string
	Server      string
	Description string
	Params      string // parameter names and their descriptions
	Outdated    bool   // gives way to others that fit about as well
}

// Hit is one answer of a search.
type Hit struct {
	Doc   int     // position in the slice given to [New]
	Score float64 // comparable within one search only
}

// Index answers searches over a fixed set of documents. It is safe for
// concurrent use.
type Index struct {
	postings map[string][]posting
	norm     []float32 // per document: k1*(1-b+b*length/average)
	outdated []int
}

// outdatedShare is what counts of an outdated document's score.
const outdatedShare = 0.8

type posting struct {
	doc int32
	tf  float32
}

// New indexes docs.
func New(docs []Doc) *Index {
	x := &Index{postings: map[string][]posting{}, norm: make([]float32, len(docs))}
	t := newTokenizer()
	total := 0.0
	for i, d := range docs {
		tf := map[string]float32{}
		count := func(field string, weight float32) {
			times := map[string]float32{}
			t.terms(field[:min(len(field), maxField)], func(term string) {
				times[term]++
				x.norm[i] += weight
			})
			for term, n := range times {
				tf[term] += weight * min(n, maxTimes)
			}
		}
		count(d.Name, nameWeight)
		count(d.Server, 1)
		count(d.Description, 1)
		count(d.Params, paramsWeight)
		for term, n := range tf {
			x.postings[term] = append(x.postings[term], posting{int32(i), n})
		}
		total += float64(x.norm[i])
		if d.Outdated {
			x.outdated = append(x.outdated, i)
		}
	}
	average := max(total/float64(max(len(docs), 1)), 1)
	for i, length := range x.norm {
		x.norm[i] = float32(k1 * (1 - b + b*float64(length)/average))
	}
	return x
}

// Search returns the best documents for a query, best first, at most limit.
// Documents that share no term with it are left out; ties keep the order of the
// documents.
func (x *Index) Search(query string, limit int) []Hit {
	scores, _ := x.scores(query)
	return shared(scores, limit)
}

// shared are the best of the documents that share a term with the query.
func shared(scores []float64, limit int) []Hit {
	found := top{limit: limit}
	for i, s := range scores {
		if s > 0 {
			found.add(Hit{i, s})
		}
	}
	return found.best()
}

// scores are those of all documents, and how many different terms the query has.
func (x *Index) scores(query string) (scores []float64, terms int) {
	scores = make([]float64, len(x.norm))
	seen := map[string]bool{}
	newTokenizer().terms(query, func(term string) {
		if seen[term] {
			return
		}
		seen[term] = true
		list := x.postings[term]
		df := float64(len(list))
		idf := math.Log((float64(len(x.norm))-df+0.5)/(df+0.5) + 1)
		for _, p := range list {
			tf := float64(p.tf)
			scores[p.doc] += idf * tf * (k1 + 1) / (tf + float64(x.norm[p.doc]))
		}
	})
	for _, i := range x.outdated {
		scores[i] *= outdatedShare
	}
	return scores, len(seen)
}
