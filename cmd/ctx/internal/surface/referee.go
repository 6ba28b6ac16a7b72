package surface

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/reconcile"
	"github.com/ctx-sidecar/ctx/core/state"
)

// Refereed is what ctx surface referee prints.
type Refereed struct {
	Workspace     string            `json:"workspace"`
	LeastSessions int               `json:"least_sessions"`
	MostBound     float64           `json:"most_bound"`
	Verdict       reconcile.Verdict `json:"verdict"` // of all: promote where no rule with data is held
	Rules         []reconcile.Rule  `json:"rules"`
	Warnings      []string          `json:"warnings"`
}

func newReferee(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "referee",
		Short: "Judge which families may be hidden in which phase of the work",
		Long: fmt.Sprintf(`Judge each rule "hide this family in this phase" by the sessions in which it was
proposed: a session misses it when it used the family afterwards. A rule is
promoted with at least %d sessions and at most %.2f for the upper end of the 95 %%
interval of the share of misses (Wilson's; 22 sessions without a miss have it). One
more miss demotes it, and it starts anew.

A session counts once, and when it is over: when its end was noted, or nothing was
heard of it for %.0f hours.

The exit code is 0 when every rule with data is promoted, 1 when one is held, 3
when there is no data.`, reconcile.LeastSessions, reconcile.MostBound, reconcile.Idle.Hours()),
		Example: "  ctx surface referee --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			ev, problems := reconcile.Gather(state.FindDir(f.Layout(), f.Workspace()), time.Now().UTC())
			out := Refereed{
				Workspace: f.Workspace(), LeastSessions: reconcile.LeastSessions, MostBound: reconcile.MostBound,
				Rules: reconcile.Judge(ev), Warnings: warnings(problems),
			}
			held := out.judge()
			if err := f.Print("referee", out, out.print); err != nil {
				return err
			}
			switch out.Verdict {
			case reconcile.Promote:
				return nil
			case reconcile.Hold:
				return cmdutil.Fail("what is held needs more sessions, or fewer misses", "%s on hold", count(held, "rule"))
			default:
				return cmdutil.NotThere("sessions behind ctx-gateway leave it by themselves; or run: ctx surface reconcile", "there is no session to judge by")
			}
		},
	}
}

// judge sums the rules up, and counts those on hold.
func (r *Refereed) judge() (held int) {
	r.Verdict = reconcile.NoData
	for _, rule := range r.Rules {
		switch rule.Verdict {
		case reconcile.Hold:
			held++
		case reconcile.Promote:
			r.Verdict = reconcile.Promote
		}
	}
	if held > 0 {
		r.Verdict = reconcile.Hold
	}
	return held
}

func (r Refereed) print(s *iostreams.Streams) {
	t := iostreams.NewTable("HIDE", "IN PHASE", ">TOKENS", ">SESSIONS", ">MISSES", ">BOUND", "VERDICT", "NOT JUDGED")
	for _, rule := range r.Rules {
		bound := ""
		if rule.Sessions > 0 {
			bound = fmt.Sprintf("%.3f", rule.Bound)
		}
		t.Row(rule.Family, rule.Phase, rule.Tokens, rule.Sessions, rule.Misses, bound, rule.Verdict, notJudged(rule))
	}
	t.Write(s)
	printWarnings(s, r.Warnings)
}

func notJudged(r reconcile.Rule) string {
	text := ""
	if r.Unfinished > 0 {
		text = fmt.Sprintf("%d not over", r.Unfinished)
	}
	if r.Unseen > 0 {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%d not seen to the end", r.Unseen)
	}
	if !r.Demoted.IsZero() {
		if text != "" {
			text += "; "
		}
		text += "demoted " + r.Demoted.Format(time.DateOnly)
	}
	return text
}
