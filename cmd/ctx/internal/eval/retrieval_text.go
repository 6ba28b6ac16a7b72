package eval

import (
	"fmt"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/eval"
)

func retrievalText(s *streams, r eval.Retrieval) {
	fmt.Fprintf(s.Out, "%d queries over %d tools", r.Queries, r.Tools)
	if r.Skipped > 0 {
		fmt.Fprintf(s.Out, "; %d more left out, which no tool is relevant to", r.Skipped)
	}
	fmt.Fprint(s.Out, "\n\n")
	s.Warn(s.Out, r.Warnings)
	t := iostreams.NewTable("RANKER", ">RECALL@1", ">@3", ">@5", ">@10", ">MRR", ">NDCG@10", ">P50 MS")
	for _, x := range r.Rankers {
		t.Row(x.Name, rate(x.Recall.At1), rate(x.Recall.At3), rate(x.Recall.At5), rate(x.Recall.At10), rate(x.MRR), rate(x.NDCG10), fmt.Sprintf("%.2f", x.P50))
		i := x.Intervals
		t.Row("  95 %", between(i.Recall.At1), between(i.Recall.At3), between(i.Recall.At5), between(i.Recall.At10), between(i.MRR), between(i.NDCG10), between(i.P50))
	}
	t.Write(s)
}
