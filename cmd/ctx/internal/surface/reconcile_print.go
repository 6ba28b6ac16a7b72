package surface

import (
	"fmt"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/reconcile"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

type family = surface.Family

// Reconciled is what ctx surface reconcile prints.
type Reconciled struct {
	Workspace string     `json:"workspace"`
	Session   string     `json:"session"` // "" for none
	Noted     bool       `json:"noted"`   // the plan is in the ledger
	Enforce   bool       `json:"enforce"`
	Hosts     []HostPlan `json:"hosts"`
	Warnings  []string   `json:"warnings"`
}

// HostPlan is the plan for what one host loads.
type HostPlan struct {
	Host       string           `json:"host"`
	Title      string           `json:"title"`
	Phase      reconcile.Phase  `json:"phase"`
	PhaseBy    string           `json:"phase_by"`
	Generation int              `json:"generation"` // the how manieth plan of the session; 0 without one
	Reveals    []Planned        `json:"reveals"`
	Hides      []Planned        `json:"hides"`
	Kept       []reconcile.Kept `json:"kept"`
}

// Planned is one change, and what became of it.
type Planned struct {
	reconcile.Change
	Verdict  reconcile.Verdict `json:"verdict,omitempty"` // of the referee, on a hide
	Enforced bool              `json:"enforced"`
	Refused  string            `json:"refused,omitempty"` // why a hide would not be enforced
}

func planned(h survey.Host, p reconcile.Plan, by string, rules []reconcile.Rule) HostPlan {
	hp := HostPlan{
		Host: h.Name(), Title: h.Title(), Phase: p.Phase, PhaseBy: by,
		Reveals: []Planned{}, Hides: []Planned{}, Kept: append([]reconcile.Kept{}, p.Kept...),
	}
	for _, c := range p.Reveals {
		hp.Reveals = append(hp.Reveals, Planned{Change: c})
	}
	for _, c := range p.Hides {
		verdict := reconcile.NoData
		if r := reconcile.Find(rules, c.Family, p.Phase); r != nil {
			verdict = r.Verdict
		}
		hp.Hides = append(hp.Hides, Planned{Change: c, Verdict: verdict, Refused: reconcile.Refusal(c, p.Phase, rules)})
	}
	return hp
}

func (hp *HostPlan) carriedOut(done reconcile.Enforced) {
	mark := func(all []Planned, changes []reconcile.Change) {
		for i := range all {
			for _, c := range changes {
				all[i].Enforced = all[i].Enforced || all[i].Family == c.Family
			}
		}
	}
	mark(hp.Reveals, done.Reveals)
	mark(hp.Hides, done.Hides)
}

func warnings(problems []usage.Problem) []string {
	all := []string{}
	for _, p := range problems {
		place := p.File
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d", p.File, p.Line)
		}
		all = append(all, place+": "+p.Text)
	}
	return all
}

func (r Reconciled) print(s *iostreams.Streams) {
	for _, h := range r.Hosts {
		of := "no session"
		if h.Generation > 0 {
			of = "session " + iostreams.Clean(r.Session)
		}
		fmt.Fprintf(s.Out, "%s in %s, %s: phase %s (%s)\n", s.Bold(h.Title), r.Workspace, of, h.Phase, h.PhaseBy)
		t := iostreams.NewTable("", "FAMILY", ">TOOLS", ">TOKENS", "REFEREE", "WHY")
		add := func(op string, all []Planned) {
			for _, p := range all {
				word := op
				if p.Enforced {
					word += ", done"
				}
				t.Row(word, p.Family, len(p.Tools), p.Tokens, p.Verdict, p.Reason)
			}
		}
		add("reveal", h.Reveals)
		add("hide", h.Hides)
		for _, k := range h.Kept {
			t.Row("keep", k.Family, "", k.Tokens, "", k.Why)
		}
		t.Write(s)
		if len(h.Reveals)+len(h.Hides)+len(h.Kept) == 0 {
			fmt.Fprintln(s.Out, "  Nothing to change.")
		}
		if r.Enforce {
			for _, p := range h.Hides {
				if p.Refused != "" {
					fmt.Fprintf(s.Out, "  %s stays: %s\n", p.Family, p.Refused)
				}
			}
		}
	}
	switch {
	case r.Session == "":
		fmt.Fprintln(s.Out, "No session runs here, so nothing was noted.")
	case !r.Noted:
		fmt.Fprintln(s.Out, "The session has ended, so nothing was noted.")
	case !r.Enforce:
		fmt.Fprintln(s.Out, "Nothing was changed. The plan is noted: ctx surface referee judges it by what the session uses from now on.")
	}
	printWarnings(s, r.Warnings)
}

func printWarnings(s *iostreams.Streams, warnings []string) {
	for _, w := range warnings {
		fmt.Fprintf(s.Out, "  %s: %s\n", s.Yellow("not read"), iostreams.Clean(w))
	}
}
