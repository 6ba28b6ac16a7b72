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
			words := strings.TrimSpace(strings.Join(args, " "))
			if words == "" {
				return cmdutil.BadUsage(`for example: ctx tools search "read a file"`, "the query is empty")
			}
			// The gateway is this search's own, and has loaded no model yet.
			query := map[string]any{"query": words, "wait": true}
			if cmd.Flags().Changed("limit") {
				if limit < 1 {
					return cmdutil.BadUsage("1 or more", "--limit %d finds nothing", limit)
				}
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
