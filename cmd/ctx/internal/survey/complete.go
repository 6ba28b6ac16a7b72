package survey

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// CompleteIDs completes the ids of what the hosts load here. Nothing is started
// for it, and what cannot be read completes to nothing.
func CompleteIDs(f *cmdutil.Factory) cobra.CompletionFunc {
	return complete(f, func(r inventory.Record) string { return r.ID })
}

// CompleteTools completes the tools of MCP servers, by the ids that the gateway
// knows them by, as far as they were listed.
func CompleteTools(f *cmdutil.Factory) cobra.CompletionFunc {
	return complete(f, func(r inventory.Record) string {
		if r.Kind != surface.KindTool || r.Standing != inventory.HeldBack {
			return ""
		}
		return r.Provider + ":" + r.Name
	})
}

func complete(f *cmdutil.Factory, name func(inventory.Record) string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		s, err := Take(cmd.Context(), f, Options{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer s.Close()
		var names []cobra.Completion
		for _, h := range s.Hosts {
			for _, r := range h.Inventory.Records {
				if n := name(r); n != "" {
					names = append(names, n)
				}
			}
		}
		slices.Sort(names)
		return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
	}
}
