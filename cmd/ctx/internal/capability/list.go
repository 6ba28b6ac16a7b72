package capability

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/capability"
)

// List is what ctx capability list --json prints.
type List struct {
	Session      string             `json:"session"` // "" where none is known
	Capabilities []capability.Entry `json:"capabilities"`
	Warnings     []string           `json:"warnings,omitempty"`
}

func newList(f *cmdutil.Factory) *cobra.Command {
	s := &session{f: f}
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the capabilities of your taps, with what they are in a session",
		Example: "  ctx capability list --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			s.open()
			l := List{Session: s.id, Capabilities: append([]capability.Entry{}, s.List()...), Warnings: append(s.degraded(), s.Warnings()...)}
			return f.Print("capabilities", l, l.print)
		},
	}
	s.flag(cmd)
	return cmd
}

func (l List) print(s *iostreams.Streams) {
	warn(s, l.Warnings)
	if len(l.Capabilities) == 0 {
		fmt.Fprintln(s.Out, "There is no capability. Add a tap: ctx tap add ORG/NAME PATH")
		return
	}
	table(s, l.Capabilities, false)
}

func warn(s *iostreams.Streams, lines []string) {
	for _, w := range lines {
		fmt.Fprintf(s.Err, "warning: %s\n", iostreams.Clean(w))
	}
}

func table(s *iostreams.Streams, list []capability.Entry, scores bool) {
	head := []string{"CAPABILITY", "TITLE", "STATE"}
	if scores {
		head = append([]string{">SCORE"}, head...)
	}
	t := iostreams.NewTable(head...)
	for _, e := range list {
		row := []any{e.Name, iostreams.Clean(e.Title), iostreams.Clean(mark(e))}
		if scores {
			row = append([]any{fmt.Sprintf("%.2f", e.Score)}, row...)
		}
		t.Row(row...)
	}
	t.Write(s)
}

// mark says what a capability is in the session.
func mark(e capability.Entry) string {
	switch {
	case e.Static:
		return "static"
	case e.Active:
		return "active"
	case e.OutOfDomain:
		return "other domain"
	}
	var why []string
	for _, r := range e.Unready {
		why = append(why, r.Text)
	}
	if len(why) > 0 {
		return "unready: " + strings.Join(why, "; ")
	}
	return "ready"
}
