package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/eval"
)

func newRetrieval(f *cmdutil.Factory) *cobra.Command {
	var tools, queries string
	cmd := &cobra.Command{
		Use:   "retrieval --tools FILE --queries FILE",
		Short: "Measure how well tools are found",
		Long: `Measure how well tools are found. --tools holds definitions {"server", "name",
"description", "inputSchema", "annotations"}, --queries rows {"id", "query",
"labels": [{"tool": "server:name", "relevance": 2}]}, where more is better and 0
is not at all.

  lexical    words: what ctx does without a model
  semantic   the sentence model alone: the nearest tool
  default    what ctx does`,
		Example: "  ctx eval retrieval --tools tools.jsonl --queries queries.jsonl\n  ctx eval retrieval --tools tools.jsonl --queries queries.jsonl --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if tools == "" || queries == "" {
				return cmdutil.BadUsage("usage: "+cmd.UseLine(), "%s needs --tools and --queries", cmd.CommandPath())
			}
			catalogue, twice, err := eval.ReadCatalogue(abs(f.Dir, tools))
			rows, also := eval.ReadQueries(abs(f.Dir, queries))
			if err := badRetrieval(err, also); err != nil {
				return err
			}
			defer f.IO.Step("")
			rankers, model, warnings, done, err := finders(cmd.Context(), f, catalogue)
			if err != nil {
				return err
			}
			defer done()
			result, err := eval.MeasureRetrieval(cmd.Context(), catalogue, rows, rankers, func(name string, query int) {
				if query%20 == 0 {
					f.IO.Step("%s: query %d of %d", name, query, len(rows))
				}
			})
			if err != nil {
				return err
			}
			f.IO.Step("")
			result.Model = model
			result.Warnings = slices.Concat(warnings, twice, eval.QueryFaults(rows, catalogue))
			if result.Queries == 0 {
				return cmdutil.Fail(`"tool" is "server:name" of a tool in --tools`, "no query in %s names a tool of %s as relevant", queries, tools)
			}
			return f.Print("eval.retrieval", result, func(s *streams) { retrievalText(s, result) })
		},
	}
	cmd.Flags().StringVar(&tools, "tools", "", "file of tool definitions, JSON lines")
	cmd.Flags().StringVar(&queries, "queries", "", "file of labelled queries, JSON lines")
	return cmd
}

// badRetrieval is what is wrong with the two files, each with a hint of its own
// where only one is.
func badRetrieval(tools, queries error) error {
	const (
		ofTools   = `a tool is {"server", "name", "description", "inputSchema", "annotations"} on a line of its own`
		ofQueries = `a query is {"id", "query", "labels": [{"tool": "server:name", "relevance": 2}]} on a line of its own`
	)
	hint := ofTools
	switch {
	case tools == nil && queries == nil:
		return nil
	case tools == nil:
		hint = ofQueries
	case queries != nil:
		hint = fmt.Sprintf("%s; %s", ofTools, ofQueries)
	}
	err := errors.Join(tools, queries)
	if errors.Is(err, fs.ErrNotExist) {
		return cmdutil.NotThere(hint, "%w", err)
	}
	return cmdutil.Fail(hint, "%w", err)
}
