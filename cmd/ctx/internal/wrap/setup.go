package wrap

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// options are the flags of ctx wrap.
type options struct {
	hosts   []string
	gateway bool
	profile string
	scope   string
	include []string
	dryRun  bool
	yes     bool
	launch  bool // the host is started afterwards
}

// job is one host on its way to being wired.
type job struct {
	host     *hosts.Host
	sources  surface.Sources
	profile  string // that the gateway works under, "" for none
	servers  []Server
	listings map[string]listing.Listing // by server; those that could be had
	before   surface.Inventory
	after    surface.Inventory
	kernel   *listing.Listing // what the gateway will list, nil without one
	plan     plugins.WrapPlan
	diff     string
	files    []string // that change
	notes    []string // on the change
	fronted  bool     // the wrap before put the gateway in place of its servers
}

// wrapper carries one run of ctx wrap.
type wrapper struct {
	*options
	same      bool // the profile of the wrap before
	f         *cmdutil.Factory
	layout    paths.Layout
	workspace string
	trust     *trust.Store
	store     *wiring.Store
	skipped   []hosts.Skipped
	jobs      []*job
}

// Workspace is the workspace that a wrap in the working folder is for: the
// wrapped one that the folder is in, else the folder itself.
func Workspace(f *cmdutil.Factory) string {
	l := f.Layout()
	if ws := l.Workspace(f.Dir); l.Wrapped(ws) {
		return ws
	}
	return paths.Real(f.Dir)
}

func (o *options) run(cmd *cobra.Command, f *cmdutil.Factory) error {
	ctx := cmd.Context()
	switch o.scope {
	case "", string(surface.ScopeProject), string(surface.ScopeUser):
	default:
		return cmdutil.BadUsage("--scope project or --scope user", "unknown scope %q", o.scope)
	}
	cfg, _ := config.Load(f.Layout(), Workspace(f), f.Env) // what is wrong with it is for ctx doctor to say
	if o.profile != "" {
		o.gateway = true
		if _, err := cmdutil.Profile(cfg.Surface, o.profile); err != nil {
			return err
		}
	}
	// Of the user's own records: what is wrong with a copy is of no use to anybody.
	if err := wiring.Open(f.Layout().Wraps()).Intact(); err != nil {
		return err
	}
	if o.dryRun {
		scratch, done, err := f.Scratch()
		if err != nil {
			return err
		}
		defer done()
		f = scratch
	}
	l := f.Layout()
	w := &wrapper{
		options: o, same: !cmd.Flags().Changed("profile"), f: f, layout: l, workspace: Workspace(f),
		trust: trust.Open(l.Trust()), store: wiring.Open(l.Wraps()),
	}
	set, err := hosts.Open(ctx, f, o.hosts)
	if err != nil {
		return err
	}
	defer set.Close()
	if len(set.Hosts) == 0 {
		return nobody(set)
	}
	w.skipped = set.Skipped
	// Everything is decided, priced and planned before the first write. The first
	// check is for files that cannot be edited: nobody is asked and nothing is
	// started for them.
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return w.read(ctx, set.Hosts) },
		w.check, w.approve, w.probe, w.price, w.check, w.apply,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return w.print()
}

// nobody says why there is nothing to wire.
func nobody(set *hosts.Set) error {
	hint := "install one, or name it: --host claude"
	if len(set.Skipped) > 0 {
		hint = set.Skipped[0].Name + ": " + set.Skipped[0].Hint
	}
	return cmdutil.NotThere(hint, "no host was found on this machine")
}

// read asks the hosts what they load and decides what could be fronted.
func (w *wrapper) read(ctx context.Context, open []*hosts.Host) error {
	for _, h := range open {
		w.f.IO.Step("reading what %s loads ...", h.Title())
		fronted := w.store.Fronted(w.workspace, h.Name())
		src, err := h.Sources(ctx, w.workspace, fronted)
		if err != nil {
			return err
		}
		servers := survey(src.Servers, w.include, func(s surface.Server) trust.Status {
			return w.trust.Check(s, w.workspace)
		})
		if err := included(h, servers, w.include, len(open)); err != nil {
			return err
		}
		profile := w.profile
		if w.same && w.gateway {
			profile = w.store.Profile(w.workspace, h.Name())
		}
		w.jobs = append(w.jobs, &job{
			host: h, sources: src, profile: profile, servers: servers, listings: map[string]listing.Listing{}, fronted: len(fronted) > 0,
		})
	}
	w.f.IO.Step("")
	return nil
}

// included refuses an --include that names no server of the only host.
func included(h *hosts.Host, servers []Server, include []string, of int) error {
	for _, name := range include {
		if of > 1 || slices.ContainsFunc(servers, func(s Server) bool { return s.Name == name }) {
			continue
		}
		var all []string
		for _, s := range servers {
			all = append(all, s.Name)
		}
		return cmdutil.Fail("its servers: "+strings.Join(all, ", "), "%s has no server %q", h.Title(), name)
	}
	return nil
}

// approve finds who lets each server be started, asking the user for the rest.
// The answer is put on record; without one the server is left to its host.
func (w *wrapper) approve(ctx context.Context) error {
	if w.gateway {
		if err := w.ask(ctx); err != nil {
			return err
		}
	}
	for _, j := range w.jobs {
		for i := range j.servers {
			s := &j.servers[i]
			switch {
			case s.Verdict != Front:
			case s.Approval == "" && !w.gateway:
			case s.Approval == "":
				s.leave(notApproved)
				if err := w.note(s.Server); err != nil {
					return err
				}
			case w.dryRun:
			default:
				by := s.Approval
				if by != approvedByUser && by != approvedBefore {
					by = j.host.Name() + ": " + by
				}
				if err := w.pin(*s, by); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (w *wrapper) note(s surface.Server) error {
	if w.dryRun {
		return nil
	}
	return w.trust.Note(trust.ServerID(s, w.workspace), s)
}

func (w *wrapper) pin(s Server, by string) error {
	if s.Approval == approvedBefore {
		return nil
	}
	return w.trust.Approve(trust.ServerID(s.Server, w.workspace), trust.Approval{
		Fingerprint: s.Fingerprint(), By: by, At: time.Now().UTC(), Server: s.Server,
	})
}

// ask prints what would be started and takes the user's word for those that
// nobody has approved yet.
func (w *wrapper) ask(ctx context.Context) error {
	open := 0
	for _, j := range w.jobs {
		open += len(waiting(j.servers))
	}
	if open == 0 {
		return nil
	}
	switch {
	case w.yes:
		w.show()
	case w.f.IO.Interactive && !w.dryRun:
		w.show()
		yes, err := w.f.IO.Confirm(ctx, fmt.Sprintf("Approve %s? (no: left to the host, and the rest is wired)", count(open, "new server")))
		if err != nil || !yes {
			return err
		}
	default:
		return nil
	}
	for _, j := range w.jobs {
		for i := range j.servers {
			if s := &j.servers[i]; s.Verdict == Front && s.Approval == "" {
				s.Approval = approvedByUser
			}
		}
	}
	return nil
}

// front are the names of the servers of a job that go behind the gateway.
func (j *job) front() []string {
	names := []string{}
	for _, s := range j.servers {
		if s.Verdict == Front {
			names = append(names, s.Name)
		}
	}
	return names
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
