// Package surface is the command ctx surface: what hosts place before their
// models, and the gateway that keeps it small.
package surface

import (
	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
)

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.Group(&cobra.Command{
		Use:     "surface",
		Short:   "Show what hosts load, and run the gateway by hand",
		Example: "  ctx surface inventory\n  ctx surface audit --host claude\n  ctx surface explain mcp_tool:github:create_issue",
	}, newInventory(f), newAudit(f), newExplain(f), newTrim(f), newGraph(f), newReport(f), newReconcile(f), newReferee(f), newCompile(f), newGateway(f), newInstallGateway(f))
}
