package surface

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/inventory"
)

func newAudit(f *cmdutil.Factory) *cobra.Command {
	var o survey.Options
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Say what is heavy, unused, dangerous or unknown in what a host loads",
		Long: `Say what is heavy, unused, dangerous or unknown in what a host loads in this
workspace: the price of each part of a request, what texts give away, hide or ask
of the model, and a line for each finding. The exit code is 1 when there is a
finding. What has a confidence under 0.5 is worth a look and no finding.`,
		Example: "  ctx surface audit --host claude",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := survey.Take(cmd.Context(), f, o)
			if err != nil {
				return err
			}
			defer s.Close()
			r := report("audit", s)
			n := 0
			for i := range r.Hosts {
				h := &r.Hosts[i]
				h.Findings = find(h.Inventory, r.Budget)
				n += len(h.Findings)
			}
			if err := f.Print(noun, r, r.printAudit); err != nil {
				return err
			}
			if n > 0 {
				return cmdutil.Fail("what to do is said with each; ctx surface explain ID says more", "%s", count(n, "finding"))
			}
			return nil
		},
	}
	o.Flags(cmd, f)
	return cmd
}

func (r Report) printAudit(s *iostreams.Streams) {
	for _, h := range r.Hosts {
		fmt.Fprintf(s.Out, "%s in %s, in tokens (%s; budget in every request: %d)\n", s.Bold(h.Title), r.Workspace, r.Tokenizer, r.Budget)
		t := iostreams.NewTable("KIND", ">COUNT", ">RESIDENT", ">DEFERRED", ">ON DEMAND", ">BYTES IN EVERY REQUEST")
		for _, k := range h.Kinds {
			t.Row(k.Kind, k.Count, k.Cost.Resident, k.Cost.Deferred, k.Cost.OnDemand, k.Cost.Bytes)
		}
		for _, a := range h.Around {
			t.Row("around "+string(a.Kind), "", a.Cost.Resident, 0, 0, a.Cost.Bytes)
		}
		t.Row("total", "", h.Total.Resident, h.Total.Deferred, h.Total.OnDemand, h.Total.Bytes)
		t.Write(s)
		printLeakage(s, h.Leakage)
		if h.Profile != "" {
			fmt.Fprintf(s.Out, "  the gateway works under the profile %s: ctx profile list\n", iostreams.Clean(h.Profile))
		}
		h.Probe.Print(s)
		const most = 10
		shown := map[string]int{}
		for _, x := range h.Findings {
			if shown[x.Kind]++; shown[x.Kind] <= most {
				fmt.Fprintf(s.Out, "  %s %s\n      hint: %s\n", s.Yellow(strings.TrimSpace(x.Kind+" "+iostreams.Clean(x.ID))+":"), iostreams.Clean(x.Text), iostreams.Clean(x.Hint))
			}
		}
		for _, kind := range findingKinds {
			if n := shown[kind]; n > most {
				fmt.Fprintf(s.Out, "  %s\n", s.Dim(fmt.Sprintf("and %d more of %s: --json lists them all", n-most, kind)))
			}
		}
		if h.Pruned > 0 {
			fmt.Fprintf(s.Out, "  %s pruned: ctx prune says what, ctx prune --undo puts it back\n", count(h.Pruned, "thing"))
		}
		blind(s, h.Inventory)
		fmt.Fprintln(s.Out)
	}
}

// printLeakage shows how much was found of each kind, and where most is to be
// seen. What is only worth a look is counted.
func printLeakage(s *iostreams.Streams, kinds []inventory.LeakKind) {
	if len(kinds) == 0 {
		return
	}
	const most = 3
	t := iostreams.NewTable("LEAKAGE", ">FINDINGS", ">WORTH A LOOK", "SUREST")
	for _, k := range kinds {
		first := strings.Join(k.IDs[:min(len(k.IDs), most)], ", ")
		if n := len(k.IDs) - most; n > 0 {
			first += fmt.Sprintf(", and %d more", n)
		}
		t.Row(k.Kind, k.Found, k.Look, iostreams.Clean(first))
	}
	t.Write(s)
}
