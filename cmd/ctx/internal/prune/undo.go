package prune

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// Undone is what ctx prune --undo --json prints.
type Undone struct {
	DryRun     bool              `json:"dry_run"`
	Workspaces []UndoneWorkspace `json:"workspaces"`
}

// UndoneWorkspace is one workspace and what was put back there.
type UndoneWorkspace struct {
	Workspace string       `json:"workspace"`
	Hosts     []UndoneHost `json:"hosts"`
}

// UndoneHost is one host, what it has back, and the files that were changed.
type UndoneHost struct {
	Host  string              `json:"host"`
	IDs   []string            `json:"ids"`
	Files []wiring.FileChange `json:"files"`
	Diff  string              `json:"diff,omitempty"`
}

func (o *options) runUndo(f *cmdutil.Factory) error {
	store := wiring.Open(f.Layout().Wraps())
	if err := store.Recover(); err != nil {
		return err
	}
	owners, err := store.Owners(wiring.Prune)
	if err != nil {
		fmt.Fprintf(f.IO.Err, "warning: %v\n", err)
	}
	workspaces := []string{f.Workspace()}
	if o.all {
		known, err := prune.Workspaces(f.Layout())
		if err != nil {
			return err
		}
		for _, owner := range owners {
			known = append(known, owner.Workspace)
		}
		wrapped, err := store.Workspaces()
		if err != nil {
			return err
		}
		workspaces = append(known, wrapped...)
		slices.Sort(workspaces)
		workspaces = slices.Compact(workspaces)
	}
	u := Undone{DryRun: o.dryRun, Workspaces: []UndoneWorkspace{}}
	var failed error
	for _, ws := range workspaces {
		done, err := o.undoIn(f, store, ws, owners)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", ws, err))
		}
		if len(done.Hosts) > 0 {
			u.Workspaces = append(u.Workspaces, done)
		}
	}
	if len(u.Workspaces) == 0 && len(o.survey.Hosts) > 0 && failed == nil {
		failed = cmdutil.Fail("see: ctx prune --undo --all --dry-run", "nothing of %s is pruned in any workspace", strings.Join(o.survey.Hosts, ", "))
	}
	if len(u.Workspaces) == 0 && failed != nil {
		return failed
	}
	return errors.Join(f.Print(noun, u, u.print), failed)
}

// undoIn puts back what was pruned in one workspace. With --all, hosts that are
// chosen and have nothing pruned there are passed over.
func (o *options) undoIn(f *cmdutil.Factory, store *wiring.Store, ws string, owners []wiring.Owner) (UndoneWorkspace, error) {
	done := UndoneWorkspace{Workspace: ws, Hosts: []UndoneHost{}}
	receipt, _, err := prune.Load(f.Layout(), ws)
	if err != nil {
		// The files are put back from another record than this one.
		fmt.Fprintf(f.IO.Err, "warning: %v\n", err)
	}
	var names []string
	for _, h := range receipt.Hosts {
		names = append(names, h.Host)
	}
	for _, owner := range owners {
		if owner.Workspace == ws && !slices.Contains(names, owner.Host) {
			names = append(names, owner.Host)
		}
	}
	chosen := names
	if len(o.survey.Hosts) > 0 {
		chosen = slices.Compact(slices.Sorted(slices.Values(o.survey.Hosts)))
		if o.all {
			chosen = slices.DeleteFunc(chosen, func(name string) bool { return !slices.Contains(names, name) })
		}
	}
	changes := make([]*wiring.Change, len(chosen))
	for i, name := range chosen { // everything is checked before the first write
		if !slices.Contains(names, name) {
			return done, cmdutil.Fail("pruned here: "+none(names), "nothing of %s is pruned", name)
		}
		if changes[i], err = store.Unplan(wiring.Owner{Workspace: ws, Host: name, For: wiring.Prune}); err != nil {
			return done, err
		}
	}
	for i, name := range chosen {
		h := UndoneHost{Host: name, IDs: []string{}, Files: []wiring.FileChange{}}
		for _, d := range receipt.Pruned(name) {
			h.IDs = append(h.IDs, d.ID)
		}
		change := changes[i]
		if i > 0 { // another host's change may have touched the same file
			if change, err = store.Unplan(wiring.Owner{Workspace: ws, Host: name, For: wiring.Prune}); err != nil {
				return done, err
			}
		}
		h.Files = append(h.Files, change.Files()...)
		if o.dryRun {
			h.Diff = change.Diff()
		} else if err := change.Apply(); err != nil {
			return done, err
		}
		done.Hosts = append(done.Hosts, h)
	}
	if o.dryRun || len(chosen) == 0 {
		return done, nil
	}
	_, err = prune.Update(f.Layout(), ws, func(now *prune.Receipt) {
		now.Hosts = slices.DeleteFunc(now.Hosts, func(h prune.HostReceipt) bool { return slices.Contains(chosen, h.Host) })
	})
	return done, err
}

func none(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

func (u Undone) print(s *iostreams.Streams) {
	if len(u.Workspaces) == 0 {
		fmt.Fprintln(s.Out, "Nothing is pruned.")
	}
	for _, ws := range u.Workspaces {
		for _, h := range ws.Hosts {
			verb := "back"
			if u.DryRun {
				verb = "would be back"
			}
			fmt.Fprintf(s.Out, "%s in %s: %s %s\n", s.Bold(h.Host), ws.Workspace, plural(len(h.IDs), "thing"), verb)
			for _, fc := range h.Files {
				text := fc.Note
				if text == "" {
					text = "what was pruned is out of it"
				}
				fmt.Fprintf(s.Out, "  %s: %s\n", fc.Path, iostreams.Clean(text))
			}
			if h.Diff != "" {
				fmt.Fprintf(s.Out, "\n%s\n", iostreams.CleanLines(strings.TrimRight(h.Diff, "\n")))
			}
		}
	}
}
