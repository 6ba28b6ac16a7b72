package surface

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/inventory"
)

func newInventory(f *cmdutil.Factory) *cobra.Command {
	var o survey.Options
	cmd := &cobra.Command{
		Use:   "inventory",
		Short: "List everything that a host loads, with its price, authority and use",
		Long: `List everything that a host loads in this workspace, each with its price in
tokens (resident in every request, deferred until the host loads it, read on
demand), what it may do, and how often it was used. A server that was never
listed has no price; nothing is started here but with --probe-mcp, and then only
what you trust.`,
		Example: "  ctx surface inventory --host claude --json\n  ctx surface inventory --probe-mcp",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := survey.Take(cmd.Context(), f, o)
			if err != nil {
				return err
			}
			defer s.Close()
			r := report("inventory", s)
			return f.Print(noun, r, r.printInventory)
		},
	}
	o.Flags(cmd, f)
	return cmd
}

func (r Report) printInventory(s *iostreams.Streams) {
	for _, h := range r.Hosts {
		fmt.Fprintf(s.Out, "%s in %s, in tokens (%s)\n", s.Bold(h.Title), r.Workspace, r.Tokenizer)
		t := iostreams.NewTable(">RESIDENT", ">DEFERRED", ">ON DEMAND", "AUTHORITY", ">USED", "LEVEL", "ID", "")
		for _, rec := range h.Records {
			note := ""
			switch {
			case rec.Standing != inventory.Loaded:
				note = rec.Why
			case rec.Unmeasured != "":
				note = "unmeasured: " + rec.Unmeasured
			}
			resident, deferred, demand := cells(rec)
			t.Row(resident, deferred, demand, authorityOf(rec), usedOf(rec), rec.Level, rec.ID, note)
		}
		if around := aroundOf(h.Inventory); around > 0 {
			t.Row(around, 0, 0, "", "", "", "the host's own words around them", "")
		}
		t.Row(h.Total.Resident, h.Total.Deferred, h.Total.OnDemand, "", "", "", "total", "")
		t.Write(s)
		h.Probe.Print(s)
		blind(s, h.Inventory)
		fmt.Fprintln(s.Out)
	}
}

// cells are the prices of a record; "?" for what is not known.
func cells(r inventory.Record) (resident, deferred, demand any) {
	if r.Unmeasured != "" && r.Cost.Resident == 0 && r.Cost.Deferred == 0 {
		return "?", "?", demandOf(r)
	}
	return r.Cost.Resident, r.Cost.Deferred, r.Cost.OnDemand
}

func demandOf(r inventory.Record) any {
	if r.Cost.OnDemand == 0 {
		return "?"
	}
	return r.Cost.OnDemand
}

func authorityOf(r inventory.Record) string {
	switch {
	case r.Authority != nil:
		return r.Authority.Tier.String()
	case r.Prose():
		return "n/a"
	}
	return ""
}

func usedOf(r inventory.Record) any {
	switch {
	case r.Standing == inventory.NotLoaded:
		return ""
	case !r.Use.Measured:
		return "?"
	}
	return r.Use.Calls
}

func aroundOf(inv inventory.Inventory) int {
	n := 0
	for _, a := range inv.Around {
		n += a.Cost.Resident
	}
	return n
}
