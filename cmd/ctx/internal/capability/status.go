package capability

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/capability"
)

// Status is what ctx capability status --json prints.
type Status struct {
	Session      string             `json:"session"`
	Capabilities []capability.State `json:"capabilities"`
	Warnings     []string           `json:"warnings,omitempty"`
}

func newStatus(f *cmdutil.Factory) *cobra.Command {
	s := &session{f: f}
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Say what is effective in a session, and what is blocked and why",
		Example: "  ctx capability status --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			s.open()
			st := Status{Session: s.id, Capabilities: append([]capability.State{}, s.Status()...), Warnings: append(s.degraded(), s.Warnings()...)}
			return f.Print("capability-status", st, st.print)
		},
	}
	s.flag(cmd)
	return cmd
}

func (st Status) print(s *iostreams.Streams) {
	warn(s, st.Warnings)
	if len(st.Capabilities) == 0 {
		fmt.Fprintln(s.Out, "There is no capability. Add a tap: ctx tap add ORG/NAME PATH")
		return
	}
	t := iostreams.NewTable("CAPABILITY", "EFFECTIVE", "BLOCKED")
	for _, one := range st.Capabilities {
		effective := "no"
		if one.Effective {
			effective = "yes"
		}
		// The row says already what it is about.
		blocked := strings.TrimPrefix(one.Blocked, one.Name+" cannot be enabled: ")
		t.Row(one.Name, effective, iostreams.Clean(blocked))
	}
	t.Write(s)
}
