package tap

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/calibration"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Removed is what ctx tap remove --json prints.
type Removed struct {
	Tap tap.Tap `json:"tap"`
}

func newRemove(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Take a tap off the list",
		Long: `Take a tap off the list, with all approvals of what it would run and your
calibration of it. A folder of yours is left as it is; the clone of a git tap goes.`,
		Example:           "  ctx tap remove acme/tools",
		Args:              cmdutil.Args(1, 1),
		ValidArgsFunction: complete(f),
		RunE: func(_ *cobra.Command, args []string) error {
			s := open(f)
			taps, err := s.store.List()
			if err != nil {
				return err
			}
			t, err := find(taps, args[0])
			if err != nil {
				return err
			}
			if err := s.store.Remove(t.Name); err != nil {
				return err
			}
			if err := s.trust.ForgetTap(t.Name); err != nil {
				return fmt.Errorf("take the approvals back: %w", err)
			}
			if err := calibration.Open(f.Layout()).Remove(t.Name); err != nil {
				return err
			}
			s.warn()
			r := Removed{t}
			return f.Print("tap-remove", r, func(s *iostreams.Streams) {
				fmt.Fprintf(s.Out, "removed %s\n", t.Name)
			})
		},
	}
}
