package eval

import (
	"fmt"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/eval"
)

type streams = iostreams.Streams

// mostConfusions is how many pairs are worth reading at once.
const mostConfusions = 15

var sweep = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}

func text(s *streams, r eval.Routing) {
	fmt.Fprintf(s.Out, "%d rows that should lead to a capability, %d that should not\n\n", r.Positives, r.Abstain)
	s.Warn(s.Out, r.Warnings)
	t := iostreams.NewTable("RANKER", ">TOP 1", ">FIRED CORRECT", ">FALSE FIRES", ">COVERED", ">NOISE")
	for _, x := range r.Rankers {
		t.Row(x.Name, rate(x.Top1), rate(x.FiredCorrect), rate(x.FalseFires), rate(x.Covered), rate(x.Noise))
		i := x.Intervals
		t.Row("  95 %", between(i.Top1), between(i.FiredCorrect), between(i.FalseFires), between(i.Covered), between(i.Noise))
	}
	t.Write(s)
	for _, x := range r.Rankers {
		if x.Name == "default" {
			detail(s, x)
		}
	}
}

func detail(s *streams, x eval.Scored) {
	fmt.Fprintf(s.Out, "\n%s\n", s.Bold("default, by kind"))
	t := iostreams.NewTable("KIND", ">ROWS", ">TOP 1", ">FIRED CORRECT", ">FALSE FIRES", ">COVERED", ">NOISE")
	for _, k := range x.Kinds {
		if k.Positives > 0 {
			t.Row(k.Kind, k.Rows, rate(k.Top1), rate(k.FiredCorrect), "", rate(k.Covered), "")
		} else {
			t.Row(k.Kind, k.Rows, "", "", rate(k.FalseFires), "", rate(k.Noise))
		}
	}
	t.Write(s)

	fmt.Fprintf(s.Out, "\n%s\n", s.Bold("default, what stood first in another one's place"))
	t = iostreams.NewTable("EXPECTED", "GOT", ">ROWS", ">ACTIVATED")
	all := x.Confused
	for _, c := range all[:min(len(all), mostConfusions)] {
		expected, got := c.Expected, c.Got
		if expected == "" {
			expected = "(none)"
		}
		if got == "" {
			got = "(none)"
		}
		t.Row(expected, got, c.Rows, c.Fired)
	}
	t.Write(s)
	if more := len(all) - mostConfusions; more > 0 {
		fmt.Fprintf(s.Out, "and %d more pairs\n", more)
	}

	fmt.Fprintf(s.Out, "\n%s\n", s.Bold(fmt.Sprintf("default, with other thresholds than %.2f and %.2f", x.Thresholds.ActivateAt, x.Thresholds.SuggestAt)))
	t = iostreams.NewTable(">THRESHOLD", ">FIRED CORRECT", ">FALSE FIRES", ">COVERED", ">NOISE")
	for _, p := range x.Points {
		t.Row(fmt.Sprintf("%.2f", p.At), rate(p.FiredCorrect), rate(p.FalseFires), rate(p.Covered), rate(p.Noise))
	}
	t.Write(s)
	fmt.Fprintln(s.Out, "the first two as activate_at, the others as suggest_at")
}

func rate(x float64) string { return fmt.Sprintf("%.3f", x) }

func between(i eval.Interval) string { return fmt.Sprintf("%.2f-%.2f", i[0], i[1]) }
