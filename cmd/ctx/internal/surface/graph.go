package surface

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/inventory"
)

// Graphs is what ctx surface graph --json prints.
type Graphs struct {
	Command   string      `json:"command"`
	Workspace string      `json:"workspace"`
	Hosts     []HostGraph `json:"hosts"`
}

// HostGraph is how what one host loads hangs together.
type HostGraph struct {
	Host    string `json:"host"`
	Title   string `json:"title"`
	Version int    `json:"families_version"`
	inventory.Graph
	Unseen   []string `json:"unseen"`
	Warnings []string `json:"warnings"`
}

func newGraph(f *cmdutil.Factory) *cobra.Command {
	var o survey.Options
	cmd := &cobra.Command{
		Use:     "graph",
		Short:   "Show families of tools, who needs whom, what overlaps and what is broken",
		Example: "  ctx surface graph --host claude",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := survey.Take(cmd.Context(), f, o)
			if err != nil {
				return err
			}
			defer s.Close()
			g := Graphs{Command: "graph", Workspace: s.Workspace, Hosts: []HostGraph{}}
			for _, h := range s.Hosts {
				inv := h.Inventory
				g.Hosts = append(g.Hosts, HostGraph{h.Name(), h.Title(), inv.Families, inv.Graph(), inv.Unseen, inv.Warnings})
			}
			return f.Print(noun, g, g.print)
		},
	}
	o.Flags(cmd, f)
	return cmd
}

func (g Graphs) print(s *iostreams.Streams) {
	for _, h := range g.Hosts {
		fmt.Fprintf(s.Out, "%s in %s\n", s.Bold(h.Title), g.Workspace)
		t := iostreams.NewTable("FAMILY", ">TOOLS", ">RESIDENT", ">DEFERRED")
		for _, f := range h.Families {
			t.Row(f.Family, f.Count, f.Cost.Resident, f.Cost.Deferred)
		}
		t.Write(s)
		for _, c := range h.Clusters {
			fmt.Fprintf(s.Out, "  say they do the same (%s), which is no proof: %s\n", iostreams.Clean(c.Provides), iostreams.Clean(fmt.Sprint(c.IDs)))
		}
		for _, e := range h.Needs {
			state := "needs"
			if e.Broken != "" {
				state = s.Yellow("broken")
			}
			fmt.Fprintf(s.Out, "  %s: %s -> %s %s\n", state, iostreams.Clean(e.From), iostreams.Clean(e.Text), iostreams.Clean(e.Broken))
		}
		blind(s, inventory.Inventory{Unseen: h.Unseen, Warnings: h.Warnings})
		fmt.Fprintln(s.Out)
	}
}
