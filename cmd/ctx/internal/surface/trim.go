package surface

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Trims is what ctx surface trim --json prints.
type Trims struct {
	Command   string     `json:"command"`
	Workspace string     `json:"workspace"`
	Tokenizer string     `json:"tokenizer"`
	Hosts     []HostTrim `json:"hosts"`
}

// HostTrim is what could be left out of one host.
type HostTrim struct {
	Host     string             `json:"host"`
	Title    string             `json:"title"`
	Proposed []inventory.Record `json:"proposed"` // level L2 and above
	Saved    surface.Cost       `json:"saved"`
	Unseen   []string           `json:"unseen"`
	Warnings []string           `json:"warnings"`
}

func newTrim(f *cmdutil.Factory) *cobra.Command {
	var o survey.Options
	cmd := &cobra.Command{
		Use:   "trim",
		Short: "Preview what could be left out; nothing is changed",
		Long: `Preview what could be left out: tools of level L2 and above, which are writes
that nobody was seen to use and everything destructive. What nothing could see
used does not count as unused. Nothing is changed.`,
		Example: "  ctx surface trim --host claude",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := survey.Take(cmd.Context(), f, o)
			if err != nil {
				return err
			}
			defer s.Close()
			t := Trims{Command: "trim", Workspace: s.Workspace, Tokenizer: s.Tokenizer, Hosts: []HostTrim{}}
			for _, h := range s.Hosts {
				ht := HostTrim{Host: h.Name(), Title: h.Title(), Proposed: []inventory.Record{}, Unseen: h.Inventory.Unseen, Warnings: h.Inventory.Warnings}
				for _, r := range h.Inventory.Records {
					if r.Trimmable() {
						ht.Proposed = append(ht.Proposed, r)
						ht.Saved = ht.Saved.Plus(r.Cost)
					}
				}
				t.Hosts = append(t.Hosts, ht)
			}
			return f.Print(noun, t, t.print)
		},
	}
	o.Flags(cmd, f)
	return cmd
}

func (t Trims) print(s *iostreams.Streams) {
	for _, h := range t.Hosts {
		fmt.Fprintf(s.Out, "%s in %s, in tokens (%s)\n", s.Bold(h.Title), t.Workspace, t.Tokenizer)
		if len(h.Proposed) == 0 {
			fmt.Fprintln(s.Out, "  Nothing could be left out of a request.")
		} else {
			h.table(s)
		}
		blind(s, inventory.Inventory{Unseen: h.Unseen, Warnings: h.Warnings})
		fmt.Fprintln(s.Out)
	}
}

func (h HostTrim) table(s *iostreams.Streams) {
	table := iostreams.NewTable(">RESIDENT", ">DEFERRED", "LEVEL", "AUTHORITY", ">USED", "ID")
	for _, r := range h.Proposed {
		table.Row(r.Cost.Resident, r.Cost.Deferred, r.Level, authorityOf(r), usedOf(r), r.ID)
	}
	table.Row(h.Saved.Resident, h.Saved.Deferred, "", "", "", "could be left out of every request; nothing was changed")
	table.Write(s)
}
