package search

import (
	"cmp"
	"slices"
)

// top keeps the best hits of a search, at most limit of them: a heap whose first
// is the worst one that is kept.
type top struct {
	limit int
	hits  []Hit
}

// compare is negative where a stands before b. Ties keep the order of the
// documents.
func compare(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc))
}

func (t *top) add(h Hit) {
	switch {
	case len(t.hits) < t.limit:
		t.hits = append(t.hits, h)
		for i := len(t.hits) - 1; i > 0; {
			parent := (i - 1) / 2
			if compare(t.hits[i], t.hits[parent]) <= 0 {
				return
			}
			t.hits[i], t.hits[parent] = t.hits[parent], t.hits[i]
			i = parent
		}
	case t.limit > 0 && compare(h, t.hits[0]) < 0:
		t.hits[0] = h
		for i := 0; ; {
			worst := i
			for child := 2*i + 1; child <= 2*i+2 && child < len(t.hits); child++ {
				if compare(t.hits[child], t.hits[worst]) > 0 {
					worst = child
				}
			}
			if worst == i {
				return
			}
			t.hits[i], t.hits[worst] = t.hits[worst], t.hits[i]
			i = worst
		}
	}
}

// best are the hits that were kept, the best first.
func (t *top) best() []Hit {
	slices.SortFunc(t.hits, compare)
	return t.hits
}
