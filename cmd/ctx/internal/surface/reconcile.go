package surface

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/reconcile"
	"github.com/ctx-sidecar/ctx/core/state"
)

// reconcileOptions are the flags of ctx surface reconcile.
type reconcileOptions struct {
	hosts   []string
	intent  string
	phase   string
	session string
	enforce bool
}

func newReconcile(f *cmdutil.Factory) *cobra.Command {
	var o reconcileOptions
	cmd := &cobra.Command{
		Use:   "reconcile",
		Short: "Say which families of tools a session should see now, and which not",
		Long: `Say which families of tools a session should see now, and which not: what the
intent speaks of comes; what the phase of the work does not need and the session
has not used goes, the heaviest first. Pinned families, and those that a text of
the host's refers to, stay.

Without --enforce nothing changes: the plan is noted, and ctx surface referee
judges it by what the same session uses afterwards. With --enforce the session's
gateway follows, but hides only what the referee has promoted. A hidden tool is
not listed; tool_search finds it and call_tool reaches it as before, and a call
brings its family back.`,
		Example: "  ctx surface reconcile --intent \"open a pull request\"\n  ctx surface reconcile --phase verify --enforce",
		Args:    cmdutil.Args(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd, f) },
	}
	hosts.Flag(cmd, f, &o.hosts, "host to look at (repeatable; default: the session's, else every one found)")
	cmd.Flags().StringVar(&o.intent, "intent", "", "what the user wants, in a few words")
	cmd.Flags().StringVar(&o.phase, "phase", "", "explore, edit, verify or deliver (default: as the session's calls tell)")
	cmd.Flags().StringVar(&o.session, "session", "", "id of the session (default: the latest that has not ended)")
	cmd.Flags().BoolVar(&o.enforce, "enforce", false, "have the session's gateway follow")
	// Only a flag that does not exist fails here.
	_ = cmd.RegisterFlagCompletionFunc("phase", cobra.FixedCompletions(phases(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("intent", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("session", cobra.NoFileCompletions)
	return cmd
}

func phases() []string {
	all := make([]string, len(reconcile.Phases))
	for i, p := range reconcile.Phases {
		all[i] = string(p)
	}
	return all
}

func (o reconcileOptions) run(cmd *cobra.Command, f *cmdutil.Factory) error {
	var phase reconcile.Phase
	if cmd.Flags().Changed("phase") {
		var err error
		if phase, err = reconcile.ParsePhase(o.phase); err != nil {
			return cmdutil.BadUsage("see: ctx surface reconcile --help", "%w", err)
		}
	}
	l, ws := f.Layout(), f.Workspace()
	dir := state.FindDir(l, ws)
	ev, problems := reconcile.Gather(dir, time.Now().UTC())
	at, err := o.find(dir, ev)
	if err != nil {
		return err
	}
	names := o.hosts
	if len(names) == 0 && at.host != "" {
		names = []string{at.host}
	}
	s, err := survey.Take(cmd.Context(), f, survey.Options{Hosts: names})
	if err != nil {
		return err
	}
	defer s.Close()

	rules := reconcile.Judge(ev)
	out := Reconciled{Workspace: ws, Session: at.id, Enforce: o.enforce, Hosts: []HostPlan{}, Warnings: warnings(problems)}
	for _, h := range s.Hosts {
		in := reconcile.Input{Surface: reconcile.Of(h.Inventory, s.Config.Gateway), Intent: reconcile.Intent(o.intent), Phase: phase}
		by := "no session"
		if at.isOf(h.Name(), len(s.Hosts)) {
			in.Calls, in.Hidden = ev.Of(at.id), at.hidden
			by = "the session's calls"
		}
		if phase != "" {
			by = "--phase"
		}
		plan := reconcile.Make(in)
		hp := planned(h, plan, by, rules)
		if at.isOf(h.Name(), len(s.Hosts)) {
			if err := o.note(f, &hp, plan, rules, at, ev); err != nil {
				return err
			}
			out.Noted = !at.over
		}
		out.Hosts = append(out.Hosts, hp)
	}
	if err := f.Print("reconcile", out, out.print); err != nil {
		return err
	}
	if refused := out.refused(); o.enforce && refused != "" {
		return cmdutil.Fail("ctx surface referee says what a rule lacks", "nothing was hidden: %s", refused)
	}
	return nil
}

// subject is the session that a plan is made for; its zero value is none.
type subject struct {
	id, host string
	hidden   []family
	over     bool
}

// isOf reports whether the session is one of a host's. Of a session whose host
// nobody noted it can only be the one that there is.
func (s subject) isOf(host string, of int) bool {
	return s.id != "" && (s.host == host || s.host == "" && of == 1)
}

// find is the session that is meant.
func (o reconcileOptions) find(dir string, ev reconcile.Evidence) (subject, error) {
	store := state.Open(dir)
	known, found := state.Session{}, false
	if o.session == "" {
		known, found = store.Latest()
		if !found && o.enforce {
			return subject{}, cmdutil.NotThere("it begins with the host's first event: start the host here, or name one with --session", "no session runs here")
		}
	} else {
		var err error
		if known, err = store.Load(o.session); err != nil {
			return subject{}, err
		}
		found = !known.Started.IsZero() || len(ev.Of(o.session)) > 0
		if !found {
			return subject{}, cmdutil.UnknownSession(store, o.session)
		}
	}
	if !found {
		return subject{}, nil
	}
	s := subject{id: known.ID, host: known.Host, over: ev.Over(known.ID)}
	for _, h := range known.Hidden {
		s.hidden = append(s.hidden, family(h))
	}
	if calls := ev.Of(s.id); s.host == "" && len(calls) > 0 {
		s.host = calls[len(calls)-1].Host
	}
	if s.over && o.enforce {
		return subject{}, cmdutil.Fail("without --session the latest is taken that has not", "session %s has ended", s.id)
	}
	return s, nil
}

// note carries the plan out as far as that is wanted, and writes it into the
// ledger. Of a session that is over nothing can follow, so nothing is noted.
func (o reconcileOptions) note(f *cmdutil.Factory, hp *HostPlan, plan reconcile.Plan, rules []reconcile.Rule, at subject, ev reconcile.Evidence) error {
	hp.Generation = ev.Generation(at.id)
	if at.over {
		return nil
	}
	hp.Generation++
	dir, _ := state.SafeDir(f.Layout(), f.Workspace())
	var done reconcile.Enforced
	if o.enforce {
		var err error
		if done, err = reconcile.Enforce(plan, rules, state.Open(dir), at.id); err != nil {
			return fmt.Errorf("have the gateway follow: %w", err)
		}
		hp.carriedOut(done)
	}
	common := reconcile.Entry{At: ev.Now, Host: hp.Host, Session: at.id, Generation: hp.Generation}
	entries := plan.Entries(common)
	for i, e := range entries {
		for _, c := range append(done.Reveals, done.Hides...) {
			entries[i].Enforced = entries[i].Enforced || c.Family == e.Family
		}
	}
	if err := reconcile.OpenLedger(dir).Append(entries...); err != nil {
		return fmt.Errorf("note the plan: %w", err)
	}
	return nil
}

func (r Reconciled) refused() string {
	hides, why := 0, ""
	for _, h := range r.Hosts {
		for _, p := range h.Hides {
			if p.Enforced {
				return ""
			}
			if hides++; why == "" {
				why = fmt.Sprintf("%s is %s", p.Family, p.Refused)
			}
		}
	}
	if hides > 1 {
		why += fmt.Sprintf(", and %d more", hides-1)
	}
	return strings.Replace(why, "is it is", "is", 1)
}
