// Package eval is ctx eval: how well ctx chooses, on labelled data.
package eval

import (
	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
)

// New makes the command ctx eval.
func New(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.Group(&cobra.Command{
		Use:   "eval",
		Short: "Measure how well ctx chooses, on labelled data",
		Long: `Measure how well ctx chooses, on labelled data: JSON lines, one row each. Nothing
is started and nothing leaves the machine.`,
		Example: "  ctx eval routing --tap ./my-tap --set rows.jsonl\n  ctx eval retrieval --tools tools.jsonl --queries queries.jsonl\n  ctx eval authority --tools tools.jsonl",
	}, newRouting(f), newRetrieval(f), newAuthority(f))
}
