package eval

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/eval"
)

func newAuthority(f *cmdutil.Factory) *cobra.Command {
	var tools string
	cmd := &cobra.Command{
		Use:   "authority --tools FILE",
		Short: "Measure how well tools are judged by what they can do",
		Long: `Measure how well tools are judged by what they can do. FILE holds labelled tool
definitions {"server", "name", "description", "inputSchema", "annotations",
"authority"}; authority is one of read, local-write, remote-write, destructive.`,
		Example: "  ctx eval authority --tools tools.jsonl\n  ctx eval authority --tools tools.jsonl --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if tools == "" {
				return cmdutil.BadUsage("usage: "+cmd.UseLine(), "%s needs --tools", cmd.CommandPath())
			}
			rows, err := eval.ReadTools(abs(f.Dir, tools))
			if err != nil {
				const hint = `a row is {"server", "name", "description", "inputSchema", "annotations", "authority"} on a line of its own`
				if errors.Is(err, fs.ErrNotExist) {
					return cmdutil.NotThere(hint, "%w", err)
				}
				return cmdutil.Fail(hint, "%w", err)
			}
			result := eval.MeasureAuthority(rows)
			return f.Print("eval.authority", result, func(s *streams) { authorityText(s, result) })
		},
	}
	cmd.Flags().StringVar(&tools, "tools", "", "file of labelled tool definitions, JSON lines")
	return cmd
}

// mostReasons is how many claims of a wrong row are worth reading.
const mostReasons = 4

func authorityText(s *streams, a eval.Authority) {
	fmt.Fprintf(s.Out, "%d tools, accuracy %s\n\n", a.Rows, rate(a.Accuracy))
	t := iostreams.NewTable("AUTHORITY", ">ROWS", ">PRECISION", ">RECALL")
	for _, tier := range authority.Tiers() {
		r := a.Tiers[tier.String()]
		t.Row(tier.String(), r.Rows, rate(r.Precision), rate(r.Recall))
	}
	t.Write(s)
	if len(a.Confusions) == 0 {
		return
	}
	fmt.Fprintf(s.Out, "\n%s\n", s.Bold("taken for another"))
	t = iostreams.NewTable("IS", "JUDGED", ">ROWS")
	for _, c := range a.Confusions {
		t.Row(c.Is.String(), c.Got.String(), c.Rows)
	}
	t.Write(s)
	fmt.Fprintf(s.Out, "\n%s\n", s.Bold("wrong rows, with what was found"))
	for _, w := range a.Wrong {
		fmt.Fprintf(s.Out, "line %d: %s:%s is %s, judged %s (%.2f)\n", w.Line, iostreams.Clean(w.Server), iostreams.Clean(w.Name), w.Is, w.Tier, w.Confidence)
		for _, c := range w.Evidence[:min(len(w.Evidence), mostReasons)] {
			fmt.Fprintf(s.Out, "  %-12s %-12s %.2f  %s\n", c.Tier, c.Source, c.Confidence, iostreams.Clean(c.Words))
		}
	}
}
