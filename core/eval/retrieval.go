package eval

import (
	"context"
	"fmt"
	"time"

	"github.com/ctx-sidecar/ctx/core/listing"
)

// Retrieval is how well each ranker finds the tools that queries ask for.
type Retrieval struct {
	Tools    int               `json:"tools"`
	Queries  int               `json:"queries"` // that were measured
	Skipped  int               `json:"skipped"` // that no tool of the file is relevant to
	Model    string            `json:"model,omitempty"`
	Rankers  []ScoredRetrieval `json:"rankers"`
	Warnings []string          `json:"warnings,omitempty"`
}

// ScoredRetrieval is a ranker with its means over the queries.
type ScoredRetrieval struct {
	Name string `json:"name"`
	RetrievalMeans
	Intervals RetrievalIntervals `json:"intervals"`
	Found     []Found            `json:"-"` // one for each query that was measured
}

// RetrievalMeans are means over queries, from 0 to 1, and the median time.
type RetrievalMeans struct {
	Recall RecallAt[float64] `json:"recall"`
	MRR    float64           `json:"mrr"`
	NDCG10 float64           `json:"ndcg10"`
	P50    float64           `json:"p50_ms"` // of one query in milliseconds, its embedding included
}

// RetrievalIntervals are those of the means of the same names.
type RetrievalIntervals struct {
	Recall RecallAt[Interval] `json:"recall"`
	MRR    Interval           `json:"mrr"`
	NDCG10 Interval           `json:"ndcg10"`
	P50    Interval           `json:"p50_ms"`
}

// RecallAt is something about the share of the relevant tools that stand among
// the first 1, 3, 5 and 10.
type RecallAt[T any] struct {
	At1  T `json:"1"`
	At3  T `json:"3"`
	At5  T `json:"5"`
	At10 T `json:"10"`
}

// Found is how well one query was answered.
type Found struct {
	ID     string
	Recall RecallAt[float64]
	RR     float64 // 1 / the rank of the first relevant tool, 0 when there is none
	NDCG10 float64
	Time   time.Duration
}

// MeasureRetrieval asks every ranker every query. Labels that name no tool are
// left out, and so are queries that are left without a relevant one. progress is
// told of each query before it is asked, counted from 0; nil is fine.
func MeasureRetrieval(ctx context.Context, tools []listing.Tool, queries []Query, rankers []ToolRanker, progress func(ranker string, query int)) (Retrieval, error) {
	out := Retrieval{Tools: len(tools), Rankers: []ScoredRetrieval{}}
	asked, relevances := judged(tools, queries)
	out.Queries, out.Skipped = len(asked), len(queries)-len(asked)
	for _, ranker := range rankers {
		s := ScoredRetrieval{Name: ranker.Name}
		for i, q := range asked {
			if progress != nil {
				progress(ranker.Name, i)
			}
			if err := ctx.Err(); err != nil {
				return out, err
			}
			start := time.Now()
			order, err := ranker.Rank(ctx, q.Text)
			took := time.Since(start)
			if err != nil {
				return out, fmt.Errorf("%s on query %s: %w", ranker.Name, q.ID, err)
			}
			f := found(order, relevances[i])
			f.ID, f.Time = q.ID, took
			s.Found = append(s.Found, f)
		}
		s.RetrievalMeans, s.Intervals = retrievalMeans(s.Found), retrievalIntervals(s.Found)
		out.Rankers = append(out.Rankers, s)
	}
	return out, nil
}

// judged returns the queries that a tool is relevant to, each with the relevance
// of tools by their position.
func judged(tools []listing.Tool, queries []Query) (asked []Query, relevances []map[int]float64) {
	at := make(map[string]int, len(tools))
	for i, t := range tools {
		at[t.ID()] = i
	}
	for _, q := range queries {
		relevance := map[int]float64{}
		for _, l := range q.Labels {
			if i, known := at[l.Tool]; known && l.Relevance > 0 {
				relevance[i] = l.Relevance
			}
		}
		if len(relevance) > 0 {
			asked, relevances = append(asked, q), append(relevances, relevance)
		}
	}
	return asked, relevances
}
