package survey

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
)

const (
	// probeTime is how long a probe may take, all servers of all hosts together.
	probeTime = time.Minute
	// probeFresh is how long a listing counts without asking again, while
	// everything that can be seen of its server stays the same.
	probeFresh = 24 * time.Hour
	// probeAgain is how long a server that did not list is left alone, once for
	// each time that it did not.
	probeAgain = time.Hour
	// probeAtOnce is how many servers may be starting at one time.
	probeAtOnce = 8
)

// Probed is what came of asking the servers of a host for their tools.
type Probed struct {
	Servers []ProbedServer `json:"servers"`
}

// ProbedServer is what came of asking one.
type ProbedServer struct {
	Name string `json:"name"`
	// Outcome is "listed", "cached", "failed", "failed before", "not trusted",
	// "off" or "not asked".
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
	Tools   int    `json:"tools"`
	Version string `json:"version,omitempty"`
	// Drift is what has changed since it was last listed, under whatever
	// declaration.
	Drift []listing.Change `json:"drift,omitempty"`
	// Widened are tools that may do more than before.
	Widened []string `json:"widened,omitempty"`
}

// job is a server that is to be asked.
type job struct {
	host    *Host
	at      int // in host.Probed.Servers
	server  surface.Server
	before  listing.Listing
	program string
}

// probe asks the servers that the user trusts, all at once and under one
// deadline. Nothing else is started.
func (s *Set) probe(ctx context.Context, f *cmdutil.Factory, o Options) error {
	l := f.Layout()
	dir, why := state.SafeDir(l, s.Workspace)
	if why != "" {
		fmt.Fprintf(f.IO.Err, "warning: %s; what ctx knows of this workspace is kept in %s\n", why, dir)
	}
	cache := listing.OpenCache(dir, listing.KeyFile(l))
	store := trust.Open(l.Trust())
	var jobs, open []job
	for i := range s.Hosts {
		h := &s.Hosts[i]
		h.Probed = &Probed{Servers: []ProbedServer{}}
		declared := listing.Canonical(client(h, s.Workspace).Capabilities())
		for _, srv := range h.Sources.Servers {
			if srv.Own {
				continue
			}
			j := job{host: h, at: len(h.Probed.Servers), server: srv, program: stamp(srv, f.Env, s.Workspace)}
			h.Probed.Servers = append(h.Probed.Servers, ProbedServer{Name: srv.Name})
			out := &h.Probed.Servers[j.at]
			last, known := cache.Any(srv.Name, srv.Fingerprint())
			if j.before = last; !known {
				j.before, _ = cache.Last(srv.Name)
			}
			failure, failed := cache.Failure(srv.Name, srv.Fingerprint(), declared)
			switch {
			case srv.Disabled:
				out.Outcome = "off"
			case srv.Transport != surface.Stdio && srv.Transport != surface.HTTP:
				out.Outcome, out.Reason = "not asked", "nobody here speaks "+string(srv.Transport)
			case !trusted(store, srv, s.Workspace):
				out.Outcome = "not trusted"
				open = append(open, j)
			case known && time.Since(last.At) < probeFresh && (last.Program == "" || last.Program == j.program):
				out.Outcome, out.Tools, out.Version = "cached", len(last.Parse()), last.Version
			case failed && time.Since(failure.At) < time.Duration(failure.Count)*probeAgain:
				out.Outcome, out.Reason = "failed before", failure.Reason+"; it is asked again "+
					time.Until(failure.At.Add(time.Duration(failure.Count)*probeAgain)).Round(time.Minute).String()+" from now"
			default:
				jobs = append(jobs, j)
			}
		}
	}
	approved, err := s.approve(ctx, f, store, open, o)
	if err != nil {
		return err
	}
	return s.ask(ctx, f, cache, append(jobs, approved...))
}

// trusted reports whether the user has approved exactly this declaration, or
// wrote it, or the word that lets the host start it, into a file of their own.
func trusted(store *trust.Store, srv surface.Server, workspace string) bool {
	switch store.Check(srv, workspace) {
	case trust.Approved:
		return true
	case trust.Unknown:
		return srv.ApprovedBy != nil
	case trust.Changed:
		return srv.ApprovedAsDeclared() // else a repository would approve its own change
	}
	return false
}

// approve shows the servers that nobody has approved, and takes the user's word
// where there is somebody to ask. What is not approved is put on record as
// waiting, so that ctx trust knows it in a workspace that is not wrapped, too.
func (s *Set) approve(ctx context.Context, f *cmdutil.Factory, store *trust.Store, open []job, o Options) ([]job, error) {
	open = slices.DeleteFunc(open, func(j job) bool { return store.Check(j.server, s.Workspace) == trust.Rejected })
	if len(open) == 0 {
		return nil, nil
	}
	fmt.Fprintln(f.IO.Err, "Not started, for nobody has approved it:")
	for _, j := range open {
		fmt.Fprintf(f.IO.Err, "  %s (%s): %s\n", iostreams.Clean(j.server.Name), j.host.Title(), cmdutil.Start(j.server))
		for _, d := range cmdutil.Details(j.server) {
			fmt.Fprintf(f.IO.Err, "      %s\n", d)
		}
	}
	yes := o.Yes
	if !yes && !o.Unasked && f.IO.Interactive {
		var err error
		if yes, err = f.IO.Confirm(ctx, "Approve and start them?"); err != nil {
			return nil, err
		}
	}
	if !yes {
		waiting := make(map[string]surface.Server)
		for _, j := range open {
			waiting[trust.ServerID(j.server, s.Workspace)] = j.server
		}
		if err := store.NoteAll(waiting); err != nil {
			return nil, err
		}
		fmt.Fprintln(f.IO.Err, "hint: ctx trust approve NAME approves one of them, ctx surface inventory --probe-mcp --yes all that it prints")
		return nil, nil
	}
	all := make(map[string][]trust.Approval)
	for _, j := range open {
		id := trust.ServerID(j.server, s.Workspace)
		all[id] = append(all[id], trust.Approval{Fingerprint: j.server.Fingerprint(), By: "user", Server: j.server})
	}
	return open, store.ApproveAll(all)
}

func client(h *Host, workspace string) backend.Lister {
	return backend.Lister{Workspace: workspace, Declares: h.Description.ClientCapabilities}
}

// ask starts the servers, those of each host as that host would.
func (s *Set) ask(ctx context.Context, f *cmdutil.Factory, cache *listing.Cache, jobs []job) error {
	if len(jobs) == 0 {
		return nil
	}
	f.IO.Step("asking %d servers for their tools ...", len(jobs))
	defer f.IO.Step("")
	limited, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	by := make(map[*Host][]job)
	for _, j := range jobs {
		by[j.host] = append(by[j.host], j)
	}
	tools := baseline.Open(f.Layout().Baselines(), s.Workspace, nil)
	var mu sync.Mutex
	var wg sync.WaitGroup
	var errs []error
	for h, of := range by {
		wg.Go(func() {
			found := s.list(limited, f, h, of)
			mu.Lock()
			defer mu.Unlock()
			for _, j := range of {
				l := found[j.server.Name]
				// Of one that the user did not wait for nobody knows that it hangs.
				if l.Failed != "" && ctx.Err() != nil {
					continue
				}
				errs = append(errs, j.keep(l, cache, tools))
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("ask the servers: %w", err)
	}
	return errors.Join(append(errs, tools.Flush())...)
}

// list asks the servers of one host. Of one that does not answer it says why: to
// the user all of it, and in the listing, which is kept, not in its own words.
func (s *Set) list(ctx context.Context, f *cmdutil.Factory, h *Host, jobs []job) map[string]listing.Listing {
	c := client(h, s.Workspace)
	servers := make([]surface.Server, len(jobs))
	for i, j := range jobs {
		servers[i] = j.server
	}
	m := backend.New(backend.Options{Servers: servers, Env: f.Env, Dir: s.Workspace, Client: c, MaxStarting: probeAtOnce})
	defer m.Close()
	m.Refresh(ctx)
	found := make(map[string]listing.Listing)
	for _, l := range m.Listings() {
		found[l.Server] = l
	}
	why := make(map[string]string)
	for _, st := range m.Status() {
		if _, ok := found[st.Server]; ok {
			continue
		}
		told, kept := st.Error, st.Failure
		switch {
		case st.NeedsOAuth:
			told = "it needs the host's own login"
			kept = told
		case told == "":
			told = fmt.Sprintf("no answer in %s", probeTime)
			kept = told
		}
		why[st.Server] = told
		found[st.Server] = listing.Listing{Server: st.Server, Failed: kept, Hung: st.Hung || st.Error == ""}
	}
	for _, j := range jobs {
		h.Probed.Servers[j.at].Reason = why[j.server.Name]
		l := found[j.server.Name]
		l.Server, l.Fingerprint, l.Program = j.server.Name, j.server.Fingerprint(), j.program
		l.Capabilities = listing.Canonical(c.Capabilities())
		found[j.server.Name] = l
	}
	return found
}

// keep writes down what a server answered, and what has changed.
func (j job) keep(l listing.Listing, cache *listing.Cache, tools *baseline.Store) error {
	out := &j.host.Probed.Servers[j.at]
	if err := cache.Put(l); err != nil {
		return fmt.Errorf("keep what %s lists: %w", l.Server, err)
	}
	if l.Failed != "" {
		out.Outcome = "failed"
		return nil
	}
	out.Outcome, out.Tools, out.Version = "listed", len(l.Parse()), l.Version
	tools.Observe(j.server, l)
	if !j.before.At.IsZero() {
		out.Drift = listing.Drift(j.before, l)
		out.Widened = widened(j.before, l)
	}
	return nil
}

// widened names the tools that may do more than they did.
func widened(before, after listing.Listing) []string {
	old := make(map[string]authority.Tier)
	for _, t := range before.Parse() {
		old[t.Name] = authority.JudgeRaw(before.Server, t.Raw).Tier
	}
	var names []string
	for _, t := range after.Parse() {
		if tier, ok := old[t.Name]; ok && authority.JudgeRaw(after.Server, t.Raw).Tier > tier {
			names = append(names, t.Name)
		}
	}
	return names
}

// Print says what came of it.
func (p *Probed) Print(s *iostreams.Streams) {
	if p == nil {
		return
	}
	for _, x := range p.Servers {
		text := x.Outcome
		if x.Outcome == "listed" || x.Outcome == "cached" {
			text += fmt.Sprintf(", %d tools", x.Tools)
		}
		if x.Reason != "" {
			text += ": " + iostreams.Clean(x.Reason)
		}
		fmt.Fprintf(s.Out, "  asked %s: %s\n", iostreams.Clean(x.Name), text)
		for _, c := range x.Drift {
			fmt.Fprintf(s.Out, "      changed since: %s\n", iostreams.Clean(fmt.Sprintf("%s %s %s %s", c.What, c.Tool, c.Old, c.New)))
		}
		for _, name := range x.Widened {
			fmt.Fprintf(s.Out, "      %s may do more than before\n", s.Yellow(iostreams.Clean(name)))
		}
	}
}
