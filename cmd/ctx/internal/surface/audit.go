package surface

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// Audit is what ctx surface audit --json prints.
type Audit struct {
	Workspace string      `json:"workspace"`
	Budget    int         `json:"budget"` // tokens; surface.max_static_tokens
	Hosts     []HostAudit `json:"hosts"`
}

// HostAudit is what stands out in what one host loads.
type HostAudit struct {
	Host     string             `json:"host"`
	Title    string             `json:"title"`
	Total    surface.Cost       `json:"total"`
	Kinds    []surface.KindCost `json:"kinds"`
	Findings []Finding          `json:"findings"`
}

// Finding is one thing that could be better.
type Finding struct {
	ID   string `json:"id"` // "over_budget", "never_used", "not_measured"
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
	Hint string `json:"hint"`
}

func newAudit(f *cmdutil.Factory) *cobra.Command {
	var names []string
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Say what is heavy, unused or unknown in what a host loads",
		Long: `Say what is heavy, unused or unknown in what a host loads in this workspace. The
exit code is 1 when there is a finding.`,
		Example: "  ctx surface audit --host claude",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, done, err := survey(cmd.Context(), f, names)
			if err != nil {
				return err
			}
			defer done()
			a := audit(f, all)
			if err := f.Print("audit", a, a.print); err != nil {
				return err
			}
			if n := a.findings(); n > 0 {
				return cmdutil.Fail("what to do is said with each", "%s", plural(n))
			}
			return nil
		},
	}
	hosts.Flag(cmd, f, &names, "host to look at (repeatable; default: every one found)")
	return cmd
}

func audit(f *cmdutil.Factory, all []priced) Audit {
	l, ws := f.Layout(), f.Workspace()
	cfg, _ := config.Load(l, ws, f.Env)
	dir, _ := state.SafeDir(l, ws)
	calls, _ := usage.Open(dir).Read()
	a := Audit{Workspace: ws, Budget: cfg.Surface.MaxStaticTokens, Hosts: []HostAudit{}}
	for _, p := range all {
		used := map[string]bool{}
		for _, c := range calls {
			if c.Host == p.host.Name() {
				used[c.Server] = true
			}
		}
		h := HostAudit{Host: p.host.Name(), Title: p.host.Title(), Total: p.Total(), Kinds: p.Kinds(), Findings: []Finding{}}
		if h.Total.Resident > a.Budget {
			h.Findings = append(h.Findings, Finding{
				ID: "over_budget", Hint: "hold servers back: ctx wrap setup --gateway",
				Text: fmt.Sprintf("%d tokens are in every request; the budget is %d", h.Total.Resident, a.Budget),
			})
		}
		for _, srv := range p.Heaviest(surface.Loaded) {
			// Without a single call on record nothing was measured yet, and
			// unmeasured is not unused.
			if len(used) == 0 || used[srv.Name] || srv.Own || srv.Cost.Resident == 0 {
				continue
			}
			h.Findings = append(h.Findings, Finding{
				ID: "never_used", Name: srv.Name, Hint: "hold it back, or switch it off in the host",
				Text: fmt.Sprintf("%d tokens in every request, and no call on record", srv.Cost.Resident),
			})
		}
		for _, srv := range p.Unmeasured() {
			h.Findings = append(h.Findings, Finding{
				ID: "not_measured", Name: srv.Name, Hint: "ctx wrap setup --gateway asks for its tools, or says why it cannot",
				Text: "its price is not known: " + srv.Unmeasured,
			})
		}
		a.Hosts = append(a.Hosts, h)
	}
	return a
}

func plural(findings int) string {
	if findings == 1 {
		return "1 finding"
	}
	return fmt.Sprintf("%d findings", findings)
}

func (a Audit) findings() int {
	n := 0
	for _, h := range a.Hosts {
		n += len(h.Findings)
	}
	return n
}

func (a Audit) print(s *iostreams.Streams) {
	for _, h := range a.Hosts {
		fmt.Fprintf(s.Out, "%s in %s, in tokens (budget in every request: %d)\n", s.Bold(h.Title), a.Workspace, a.Budget)
		t := iostreams.NewTable("KIND", ">COUNT", ">RESIDENT", ">DEFERRED", ">ON DEMAND")
		for _, k := range h.Kinds {
			t.Row(k.Kind, k.Count, k.Cost.Resident, k.Cost.Deferred, k.Cost.OnDemand)
		}
		t.Row("total", "", h.Total.Resident, h.Total.Deferred, h.Total.OnDemand)
		t.Write(s)
		for _, x := range h.Findings {
			fmt.Fprintf(s.Out, "  %s %s\n      hint: %s\n", s.Yellow(strings.TrimSpace(x.ID+" "+iostreams.Clean(x.Name))+":"), iostreams.Clean(x.Text), x.Hint)
		}
		fmt.Fprintln(s.Out)
	}
}
