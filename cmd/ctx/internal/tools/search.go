package tools

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
)

func newSearch(f *cmdutil.Factory) *cobra.Command {
	s := &session{f: f}
	limit := 0
	cmd := &cobra.Command{
		Use:     "search QUERY",
		Short:   "Find tools by what they do",
		Example: "  ctx tools search \"create a pull request\" --limit 3",
		Args:    cmdutil.Args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			query := map[string]any{"query": strings.Join(args, " ")}
			if limit > 0 {
				query["limit"] = limit
			}
			a, err := s.ask(cmd.Context(), "tool_search", query)
			if err != nil {
				return err
			}
			return s.print("tools-search", a)
		},
	}
	s.flag(cmd)
	cmd.Flags().IntVar(&limit, "limit", 0, "how many tools at most (default: the gateway's own)")
	return cmd
}
