package tap

import (
	"fmt"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/eval"
)

func (r Calibrations) print(s *iostreams.Streams) {
	s.Warn(s.Err, r.Warnings)
	verb := "calibrated"
	if !r.Kept {
		verb = "would calibrate"
	}
	for _, c := range r.Of {
		fmt.Fprintf(s.Out, "%s %s for %s, on %d rows that expect a capability and %d that expect none\n", verb, r.Tap, c.Ranker, c.Set.Positives, c.Set.Abstain)
		fmt.Fprintf(s.Out, "activate at %.4f, suggest at %.4f, discover at %.4f; scale %.2f, bias %+.2f\n\n", c.ActivateAt, c.SuggestAt, c.DiscoverAt, c.Scale, c.Bias)
		t := iostreams.NewTable("", ">FIRED CORRECT", ">FALSE FIRES", ">COVERED", ">NOISE")
		row := func(name string, x eval.Rates) {
			t.Row(name, rate(x.FiredCorrect), rate(x.FalseFires), rate(x.Covered), rate(x.Noise))
		}
		row("as ctx comes", c.Before)
		row("expected", c.Expected)
		i := c.Intervals
		t.Row("95 %", between(i.FiredCorrect), between(i.FalseFires), between(i.Covered), between(i.Noise))
		t.Write(s)
		fmt.Fprintln(s.Out)
	}
	if r.Kept {
		fmt.Fprintf(s.Out, "kept in %s; used from the next session on, until the texts of the tap change\n", r.File)
	}
}

func rate(x float64) string { return fmt.Sprintf("%.3f", x) }

func between(i eval.Interval) string { return fmt.Sprintf("%.2f-%.2f", i[0], i[1]) }
