package trust

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Decided is what ctx trust approve and reject print with --json.
type Decided struct {
	Servers []trust.Entry    `json:"servers"`
	Tools   []baseline.Entry `json:"tools"`
}

func newDecide(f *cmdutil.Factory, verb, short string, to trust.Status) *cobra.Command {
	return &cobra.Command{
		Use:               verb + " ID...",
		Short:             short,
		Long:              short + ".\n" + idHelp,
		Example:           "  ctx trust " + verb + " github",
		Args:              cmdutil.Args(1, -1),
		ValidArgsFunction: complete(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			t := open(f)
			refresh(cmd.Context(), f, t)
			tools := openTools(f)
			held, problems := tools.Entries()
			warnTools(f, problems)
			done := Decided{Servers: []trust.Entry{}, Tools: []baseline.Entry{}}
			var chosen []trust.Entry
			var changed []baseline.Entry
			for _, arg := range args {
				those, err := findTools(f, held, arg)
				if err != nil {
					return err
				}
				if len(those) > 0 {
					changed = append(changed, those...)
					continue
				}
				found, err := find(f, t, arg)
				if err != nil {
					warn(f, t)
					return err
				}
				e := choose(found, to)
				if to == trust.Approved && e.Swapped() {
					return cmdutil.Fail("see it, then approve it: ctx trust diff "+e.ID, "%s was changed after it was shown to you", e.ID)
				}
				chosen = append(chosen, e)
			}
			for i := range chosen {
				e := &chosen[i]
				if err := decide(t, *e, to); err != nil {
					return err
				}
				e.Status, e.By = to, "user"
				done.Servers = append(done.Servers, *e)
			}
			if err := keepLocal(f, t, done.Servers); err != nil {
				return err
			}
			warn(f, t)
			decided, err := decideTools(tools, changed, to)
			if err != nil {
				return err
			}
			done.Tools = append(done.Tools, decided...)
			return f.Print("trust", done, done.print)
		},
	}
}

// choose takes the declaration that the decision is about: the one that waits,
// else the only one, else the last that stands otherwise.
func choose(found []trust.Entry, to trust.Status) trust.Entry {
	for _, e := range found {
		if e.Waits() {
			return e
		}
	}
	for i := len(found) - 1; i >= 0; i-- {
		if found[i].Status != to {
			return found[i]
		}
	}
	return found[len(found)-1]
}

func decide(t *trust.Store, e trust.Entry, to trust.Status) error {
	if to == trust.Rejected {
		return t.Reject(e.ID, e.Fingerprint)
	}
	return t.Approve(e.ID, trust.Approval{Fingerprint: e.Fingerprint, By: "user", Server: e.Server})
}

func (d Decided) print(s *iostreams.Streams) {
	for _, e := range d.Servers {
		fmt.Fprintf(s.Out, "%s %s\n    %s\n", e.Status, iostreams.Clean(e.ID), cmdutil.Start(e.Server))
		for _, line := range cmdutil.Details(e.Server) {
			fmt.Fprintf(s.Out, "    %s\n", line)
		}
	}
	for _, e := range d.Tools {
		fmt.Fprintf(s.Out, "%s %s\n", e.Status, iostreams.Clean(e.ID))
	}
}
