package trust

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Diff is what ctx trust diff --json prints.
type Diff struct {
	ID     string       `json:"id"`
	Status trust.Status `json:"status"`
	Lines  []string     `json:"lines"`
}

func newDiff(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "diff ID",
		Short: "Show how a server or tool that waits differs from what was approved",
		Long: `Show how a server that waits, as its configuration declares it now, or a tool
that waits, as its server defines it now, differs from what was approved last.
Of a tool of the workspace's own, local:NAME, that is its text.
` + idHelp,
		Example:           "  ctx trust diff github",
		Args:              cmdutil.Args(1, 1),
		ValidArgsFunction: complete(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			t := open(f)
			tools := openTools(f)
			held, problems := tools.Entries()
			those, err := findTools(f, held, args[0])
			if err != nil {
				return err
			}
			if len(those) > 0 {
				ds := Diffs(differences(those))
				if err := f.Print("trust-diff", ds.json(), ds.print); err != nil {
					return err
				}
				return tools.Shown(those)
			}
			warnTools(f, problems)
			refresh(cmd.Context(), f, t)
			found, err := find(f, t, args[0])
			warn(f, t)
			if err != nil {
				return err
			}
			// What waits comes last; else the last decision is shown against itself.
			e := found[len(found)-1]
			for _, x := range found {
				if x.Waits() {
					e = x
				}
			}
			d := Diff{e.ID, e.Status, append([]string{}, t.Diff(e.ID, e.Server)...)}
			if lines, ok := diffLocal(f, found, e); ok {
				d.Lines = lines
			}
			if err := f.Print("trust-diff", d, d.print); err != nil {
				return err
			}
			shown(f, t, []trust.Entry{e})
			return nil
		},
	}
}

func (d Diff) print(s *iostreams.Streams) {
	fmt.Fprintln(s.Out, s.Bold(iostreams.Clean(d.ID)))
	if len(d.Lines) == 0 || d.Status == trust.Rejected {
		fmt.Fprintf(s.Out, "  %s\n", map[trust.Status]string{
			trust.Approved: "nothing has changed since it was approved",
			trust.Rejected: "you rejected it as it is declared now",
			trust.Unknown:  "nobody has decided about it yet",
		}[d.Status])
	}
	for _, l := range d.Lines {
		l = iostreams.Clean(l)
		switch {
		case strings.HasPrefix(l, "- "):
			l = s.Red(l)
		case strings.HasPrefix(l, "+ "):
			l = s.Green(l)
		}
		fmt.Fprintln(s.Out, "  "+l)
	}
}
