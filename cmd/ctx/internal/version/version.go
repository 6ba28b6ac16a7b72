// Package version is the command ctx version.
package version

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/internal/buildinfo"
)

// Result is what ctx version --json prints.
type Result struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of ctx",
		Example: "  ctx version --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			r := Result{buildinfo.Version, buildinfo.Revision, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return f.Print("version", r, func(s *iostreams.Streams) {
				fmt.Fprintf(s.Out, "ctx %s (%s, %s)\n", buildinfo.String(), r.Go, r.Platform)
			})
		},
	}
}
