package surface

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Inventory is what ctx surface inventory --json prints.
type Inventory struct {
	Workspace string          `json:"workspace"`
	Hosts     []HostInventory `json:"hosts"`
}

// HostInventory is what one host loads.
type HostInventory struct {
	surface.Inventory
	Title    string             `json:"title"`
	Total    surface.Cost       `json:"total"`
	Kinds    []surface.KindCost `json:"kinds"`
	Unseen   []string           `json:"unseen"`   // what the adapter cannot see of its host
	Warnings []string           `json:"warnings"` // what could not be read
}

func newInventory(f *cmdutil.Factory) *cobra.Command {
	var names []string
	cmd := &cobra.Command{
		Use:   "inventory",
		Short: "List everything that a host loads, with its price in tokens",
		Long: `List everything that a host loads in this workspace, with its price in tokens:
resident in every request, deferred until the host loads it, read on demand. A
server that was never listed has no price; nothing is started here.`,
		Example: "  ctx surface inventory --host claude --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, done, err := survey(cmd.Context(), f, names)
			if err != nil {
				return err
			}
			defer done()
			inv := Inventory{Workspace: f.Workspace(), Hosts: []HostInventory{}}
			for _, p := range all {
				inv.Hosts = append(inv.Hosts, p.inventory())
			}
			return f.Print("inventory", inv, inv.print)
		},
	}
	hosts.Flag(cmd, f, &names, "host to look at (repeatable; default: every one found)")
	return cmd
}

func (p priced) inventory() HostInventory {
	return HostInventory{
		Inventory: p.Inventory, Title: p.host.Title(), Total: p.Total(), Kinds: p.Kinds(),
		Unseen: append([]string{}, p.sources.Unseen...), Warnings: append([]string{}, p.sources.Warnings...),
	}
}

func (inv Inventory) print(s *iostreams.Streams) {
	for _, h := range inv.Hosts {
		fmt.Fprintf(s.Out, "%s in %s, in tokens\n", s.Bold(h.Title), inv.Workspace)
		t := iostreams.NewTable("KIND", "NAME", "FROM", ">RESIDENT", ">DEFERRED", ">ON DEMAND", "")
		for _, srv := range h.Servers {
			note := string(srv.Standing)
			if srv.Unmeasured != "" {
				t.Row(surface.KindServer, srv.Name, srv.Scope, "?", "?", "?", note+", not measured: "+srv.Unmeasured)
				continue
			}
			note += fmt.Sprintf(", %d tools", len(srv.Tools))
			t.Row(surface.KindServer, srv.Name, srv.Scope, srv.Cost.Resident, srv.Cost.Deferred, srv.Cost.OnDemand, note)
		}
		for _, it := range h.Items {
			t.Row(it.Kind, it.Name, it.Provider, it.Cost.Resident, it.Cost.Deferred, it.Cost.OnDemand, "")
		}
		t.Row("total", "", "", h.Total.Resident, h.Total.Deferred, h.Total.OnDemand, "")
		t.Write(s)
		for _, w := range h.Warnings {
			fmt.Fprintf(s.Out, "  %s: %s\n", s.Yellow("not read"), iostreams.Clean(w))
		}
		for _, u := range h.Unseen {
			fmt.Fprintf(s.Out, "  %s\n", s.Dim("not seen: "+iostreams.Clean(u)))
		}
		fmt.Fprintln(s.Out)
	}
}
