package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// found scores one order of tools, the best first, against the relevance of
// tools by their position. Every tool of a relevance above 0 is relevant; how
// much so counts for nDCG alone, whose gain is the relevance itself, as in
// trec_eval.
func found(order []int, relevance map[int]float64) Found {
	var f Found
	gains := make([]float64, len(order))
	for rank, tool := range order {
		gain := relevance[tool]
		if gain <= 0 {
			continue
		}
		gains[rank] = gain
		if f.RR == 0 {
			f.RR = 1 / float64(rank+1)
		}
		for k, recall := range f.Recall.cuts() {
			if rank < k {
				*recall++
			}
		}
	}
	for _, recall := range f.Recall.cuts() {
		*recall /= float64(len(relevance))
	}
	ideal := make([]float64, 0, len(relevance))
	for _, gain := range relevance {
		ideal = append(ideal, gain)
	}
	slices.Sort(ideal)
	slices.Reverse(ideal)
	f.NDCG10 = dcg(gains, 10) / dcg(ideal, 10)
	return f
}

// cuts are the members by how many of the first tools count.
func (r *RecallAt[T]) cuts() map[int]*T {
	return map[int]*T{1: &r.At1, 3: &r.At3, 5: &r.At5, 10: &r.At10}
}

// dcg is the discounted cumulative gain of the first k.
func dcg(gains []float64, k int) float64 {
	sum := 0.0
	for rank, gain := range gains[:min(k, len(gains))] {
		sum += gain / math.Log2(float64(rank+2))
	}
	return sum
}

func retrievalMeans(all []Found) RetrievalMeans {
	var m RetrievalMeans
	if len(all) == 0 {
		return m
	}
	times := make([]time.Duration, len(all))
	for i, f := range all {
		m.Recall.At1 += f.Recall.At1
		m.Recall.At3 += f.Recall.At3
		m.Recall.At5 += f.Recall.At5
		m.Recall.At10 += f.Recall.At10
		m.MRR += f.RR
		m.NDCG10 += f.NDCG10
		times[i] = f.Time
	}
	for _, sum := range []*float64{&m.Recall.At1, &m.Recall.At3, &m.Recall.At5, &m.Recall.At10, &m.MRR, &m.NDCG10} {
		*sum /= float64(len(all))
	}
	slices.Sort(times)
	middle := (times[(len(times)-1)/2] + times[len(times)/2]) / 2
	m.P50 = float64(middle) / float64(time.Millisecond)
	return m
}

// retrievalIntervals draws the queries again and again, as [Scored.Bootstrap]
// draws rows. The chance is the same for every ranker, so that they are compared
// on the same draws.
func retrievalIntervals(all []Found) RetrievalIntervals {
	var out RetrievalIntervals
	if len(all) == 0 {
		return out
	}
	chance := rand.New(rand.NewPCG(1, 2))
	drawn := make([]RetrievalMeans, resamples)
	sample := make([]Found, len(all))
	for k := range drawn {
		for i := range sample {
			sample[i] = all[chance.IntN(len(all))]
		}
		drawn[k] = retrievalMeans(sample)
	}
	within := func(of func(RetrievalMeans) float64) Interval {
		values := make([]float64, len(drawn))
		for k, m := range drawn {
			values[k] = of(m)
		}
		slices.Sort(values)
		return Interval{values[resamples*25/1000], values[resamples*975/1000-1]}
	}
	out.Recall.At1 = within(func(m RetrievalMeans) float64 { return m.Recall.At1 })
	out.Recall.At3 = within(func(m RetrievalMeans) float64 { return m.Recall.At3 })
	out.Recall.At5 = within(func(m RetrievalMeans) float64 { return m.Recall.At5 })
	out.Recall.At10 = within(func(m RetrievalMeans) float64 { return m.Recall.At10 })
	out.MRR = within(func(m RetrievalMeans) float64 { return m.MRR })
	out.NDCG10 = within(func(m RetrievalMeans) float64 { return m.NDCG10 })
	out.P50 = within(func(m RetrievalMeans) float64 { return m.P50 })
	return out
}
