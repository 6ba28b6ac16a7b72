// Package unwrap is the command ctx unwrap: it takes out of a host's files what
// ctx wrap put in.
package unwrap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/wrap"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// Result is what ctx unwrap --json prints.
type Result struct {
	DryRun     bool        `json:"dry_run"`
	Workspaces []Workspace `json:"workspaces"`
}

// Workspace is one workspace and what was put back there.
type Workspace struct {
	Workspace string   `json:"workspace"`
	Hosts     []Host   `json:"hosts"`
	Removed   string   `json:"removed,omitempty"` // the folder of ctx in a workspace that is not wrapped
	Left      []string `json:"left"`              // what of ours stays, and why
}

// Host is one host and its files.
type Host struct {
	Host  string   `json:"host"`
	Files []File   `json:"files"`
	Diff  string   `json:"diff,omitempty"`
	Notes []string `json:"notes,omitempty"` // what else is to be known
}

// File is a file that was changed back.
type File struct {
	Path string `json:"path"`
	Note string `json:"note,omitempty"` // what stays in it, and why
}

type options struct {
	hosts  []string
	dryRun bool
	all    bool
}

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	o := new(options)
	cmd := &cobra.Command{
		Use:   "unwrap",
		Short: "Take out of the hosts' files what wrap put in",
		Long: `Take out of the hosts' files what wrap put in. A file that nobody has changed
since becomes what it was, byte for byte; of any other, what was put in goes and
everything else stays. While ctx's record of a file cannot be read, nothing is
changed: the record is named, and what to do about it.`,
		Example: "  ctx unwrap\n  ctx unwrap --host codex --dry-run",
		Args:    cmdutil.Args(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&o.hosts, "host", nil, "host to unwire (repeatable; default: every one that is wired)")
	fl.BoolVar(&o.dryRun, "dry-run", false, "print what would change and change nothing")
	fl.BoolVar(&o.all, "all", false, "every workspace that is wrapped or has a folder of ctx; with --host, every one that it is wired in")
	// Only a flag that does not exist fails here.
	_ = cmd.RegisterFlagCompletionFunc("host", completeWired(f))
	return cmd
}

// completeWired completes the hosts that are wired here.
func completeWired(f *cmdutil.Factory) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var names []cobra.Completion
		// A record that cannot be read completes to nothing.
		rec, _, _ := wiring.Open(f.Layout().Wraps()).Record(wrap.Workspace(f))
		for _, h := range rec.Hosts {
			names = append(names, h.Host)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func (o *options) run(_ context.Context, f *cmdutil.Factory) error {
	store := wiring.Open(f.Layout().Wraps())
	if err := store.Recover(); err != nil {
		return err
	}
	if err := store.Intact(); err != nil {
		return err
	}
	workspaces := []string{wrap.Workspace(f)}
	if o.all {
		var err error
		if workspaces, err = store.Workspaces(); err != nil {
			return err
		}
		compiled, err := state.Compiled(f.Layout())
		if err != nil {
			return err
		}
		for _, ws := range compiled {
			if !slices.Contains(workspaces, ws) {
				workspaces = append(workspaces, ws)
			}
		}
	}
	r := Result{DryRun: o.dryRun, Workspaces: []Workspace{}}
	var failed error
	for _, ws := range workspaces {
		done, err := o.unwrap(f, store, ws)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", ws, err))
		}
		if len(done.Hosts) > 0 || done.Removed != "" {
			r.Workspaces = append(r.Workspaces, done)
		}
	}
	if len(r.Workspaces) == 0 && len(o.hosts) > 0 && failed == nil {
		failed = cmdutil.Fail("see: ctx unwrap --all --dry-run", "%s is not wired in any workspace", strings.Join(o.hosts, ", "))
	}
	if len(r.Workspaces) == 0 && failed != nil {
		return failed
	}
	return errors.Join(f.Print("unwrap", r, r.print), failed)
}

// unwrap puts back what wrap changed for one workspace. With --all, hosts that
// are chosen and not wired there are passed over.
func (o *options) unwrap(f *cmdutil.Factory, store *wiring.Store, ws string) (Workspace, error) {
	done := Workspace{Workspace: ws, Hosts: []Host{}, Left: []string{}}
	rec, ok, err := store.Record(ws)
	if err != nil {
		return done, err
	}
	if !ok && o.all && len(o.hosts) > 0 {
		return done, nil
	}
	if !ok {
		return o.clean(f, store, ws)
	}
	wired := []string{}
	for _, h := range rec.Hosts {
		wired = append(wired, h.Host)
	}
	chosen := wired
	if len(o.hosts) > 0 {
		chosen = slices.Compact(slices.Sorted(slices.Values(o.hosts)))
		if o.all {
			chosen = slices.DeleteFunc(chosen, func(host string) bool { return !slices.Contains(wired, host) })
		}
		if len(chosen) == 0 {
			return done, nil
		}
	}
	// Everything is checked before the first write.
	for _, host := range chosen {
		if !slices.Contains(wired, host) {
			return done, cmdutil.Fail("wired here: "+strings.Join(wired, ", "), "%s is not wired", host)
		}
		if _, err := store.Unplan(wiring.Owner{Workspace: ws, Host: host}); err != nil {
			return done, err
		}
	}
	// What was pruned stays pruned until that is undone, but for what the gateway
	// alone held back.
	pruned, _, err := prune.Load(f.Layout(), ws)
	if err != nil {
		fmt.Fprintf(f.IO.Err, "warning: %v\n", err)
	}
	unwire := func() (err error) {
		done.Hosts, err = o.unwire(store, ws, chosen)
		return err
	}
	last := len(chosen) == len(wired)
	if last && !o.dryRun {
		err = prune.Across(f.Layout(), ws, unwire)
	} else {
		err = unwire()
	}
	if err != nil || o.dryRun {
		return done, err
	}
	if last {
		done.Left = tidy(f.Layout(), ws, hosts.Names(f))
	}
	for _, host := range chosen {
		if n := pruned.Behind(host); n > 0 {
			fmt.Fprintf(f.IO.Err, "hint: what was pruned behind the gateway (%d) is loaded by %s again; ctx prune --host %s --apply switches it off there\n", n, host, host)
		}
	}
	return done, nil
}

// unwire takes what wrap put in out of the files of hosts.
func (o *options) unwire(store *wiring.Store, ws string, chosen []string) ([]Host, error) {
	done := []Host{}
	for _, host := range chosen {
		change, err := store.Unplan(wiring.Owner{Workspace: ws, Host: host})
		if err != nil {
			return done, err
		}
		h := Host{Host: host, Files: []File{}, Notes: change.Notes()}
		for _, fc := range change.Files() {
			if fc.Action == wiring.Keep && fc.Note == "" {
				fc.Note = "stays as it is, for another workspace is wrapped with it"
			}
			h.Files = append(h.Files, File{fc.Path, fc.Note})
		}
		if o.dryRun {
			h.Diff = change.Diff()
			done = append(done, h)
			continue
		}
		if err := change.Apply(); err != nil {
			return done, err
		}
		if err := store.DropHost(ws, host); err != nil {
			return done, err
		}
		done = append(done, h)
	}
	return done, nil
}

// clean takes the folder of ctx out of a workspace that is not wrapped: a
// compiled profile needs no wrap.
func (o *options) clean(f *cmdutil.Factory, store *wiring.Store, ws string) (Workspace, error) {
	done := Workspace{Workspace: ws, Hosts: []Host{}, Left: []string{}}
	compiled, err := state.Compiled(f.Layout())
	if err != nil {
		return done, err
	}
	if !slices.Contains(compiled, ws) || len(o.hosts) > 0 {
		return done, cmdutil.Fail(others(store), "not wrapped")
	}
	done.Removed = state.CompiledDir(ws)
	if o.dryRun {
		return done, nil
	}
	done.Left = tidy(f.Layout(), ws, hosts.Names(f))
	return done, nil
}

// others is a hint that names the workspaces that are wrapped.
func others(store *wiring.Store) string {
	all, err := store.Workspaces()
	if err != nil || len(all) == 0 {
		return "no workspace is; ctx wrap setup --gateway wraps one"
	}
	return "go to one that is: " + strings.Join(all, ", ")
}

func (r Result) print(s *iostreams.Streams) {
	if len(r.Workspaces) == 0 {
		fmt.Fprintln(s.Out, "No workspace is wrapped.")
	}
	for _, ws := range r.Workspaces {
		for _, h := range ws.Hosts {
			fmt.Fprintf(s.Out, "%s in %s\n", s.Bold(h.Host), ws.Workspace)
			for _, n := range h.Notes {
				fmt.Fprintf(s.Out, "  %s: %s\n", s.Yellow("note"), iostreams.Clean(n))
			}
			if r.DryRun {
				fmt.Fprintf(s.Out, "  would change:\n\n%s\n", iostreams.CleanLines(strings.TrimRight(h.Diff, "\n")))
				continue
			}
			for _, file := range h.Files {
				fmt.Fprintf(s.Out, "  %s: ", file.Path)
				if file.Note == "" {
					fmt.Fprintln(s.Out, "what ctx put in is out")
				} else {
					fmt.Fprintln(s.Out, file.Note)
				}
			}
		}
		if ws.Removed != "" && len(ws.Left) == 0 {
			fmt.Fprintf(s.Out, "%s: %s\n", ws.Removed, map[bool]string{true: "would be removed", false: "removed; the workspace is not wrapped"}[r.DryRun])
		}
		for _, left := range ws.Left {
			fmt.Fprintf(s.Out, "  left: %s\n", left)
		}
	}
}
