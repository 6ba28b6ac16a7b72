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
	for _, w := range r.Warnings {
		fmt.Fprintf(s.Out, "%s %s\n", s.Yellow("warning:"), iostreams.Clean(string(w)))
	}
	t := iostreams.NewTable("RANKER", ">TOP 1", ">FIRED CORRECT", ">FALSE FIRES", ">COVERED", ">NOISE")
	for _, x := range r.Rankers {
		t.Row(x.Name, rate(x.Top1), rate(x.FiredCorrect), rate(x.FalseFires), rate(x.Covered), rate(x.Noise))
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
	for _, k := range x.ByKind() {
		if k.Positives > 0 {
			t.Row(k.Kind, k.Rows, rate(k.Top1), rate(k.FiredCorrect), "", rate(k.Covered), "")
		} else {
			t.Row(k.Kind, k.Rows, "", "", rate(k.FalseFires), "", rate(k.Noise))
		}
	}
	t.Write(s)

	fmt.Fprintf(s.Out, "\n%s\n", s.Bold("default, what stood first in another one's place"))
	t = iostreams.NewTable("EXPECTED", "GOT", ">ROWS", ">ACTIVATED")
	all := x.Confusions()
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

	fmt.Fprintf(s.Out, "\n%s\n", s.Bold("default, with another activate_at"))
	t = iostreams.NewTable(">ACTIVATE AT", ">FIRED CORRECT", ">FALSE FIRES")
	for _, p := range x.Sweep(sweep) {
		t.Row(fmt.Sprintf("%.2f", p.ActivateAt), rate(p.FiredCorrect), rate(p.FalseFires))
	}
	t.Write(s)
}

func rate(x float64) string { return fmt.Sprintf("%.3f", x) }
