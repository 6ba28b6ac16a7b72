package wrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// check plans every host's edits and the changes they come to, and fails before
// anything is written if one of them cannot be made.
func (w *wrapper) check(ctx context.Context) error {
	hook, err := w.f.Program("ctx-hook")
	if err != nil {
		return err
	}
	gateway, err := w.f.Program("ctx-gateway")
	if err != nil {
		return err
	}
	for _, j := range w.jobs {
		j.plan, err = j.host.PlanWrap(ctx, plugins.WrapRequest{
			Machine: j.host.Machine(), Workspace: w.workspace, Scope: surface.Scope(w.scope),
			Gateway: w.gateway, Front: j.front(), Hook: hook, GatewayBin: gateway, Profile: j.profile,
		})
		if hinted := plugins.Hinter(nil); err != nil && !errors.As(err, &hinted) {
			return cmdutil.Fail("mend what is named, then run the command again; nothing was changed", "%w", err)
		}
		if err != nil {
			return err
		}
		change, err := w.store.Plan(w.owner(j), j.plan.Edits)
		if err != nil {
			return fmt.Errorf("nothing was changed: %w", err)
		}
		j.diff, j.files, j.notes = change.Diff(), nil, change.Notes()
		for _, fc := range change.Files() {
			if fc.Action != wiring.Keep {
				j.files = append(j.files, fc.Path)
			}
		}
	}
	return nil
}

func (w *wrapper) owner(j *job) wiring.Owner {
	return wiring.Owner{Workspace: w.workspace, Host: j.host.Name()}
}

// apply writes host by host. If one fails, those before it get back what they
// had: what an earlier wrap put in, or nothing of ours. The record is written
// ahead of the files: files without a record would pass for the user's own.
func (w *wrapper) apply(context.Context) error {
	if w.dryRun {
		return nil
	}
	before, _, err := w.store.Record(w.workspace)
	if err != nil {
		return err
	}
	after := w.record(before)
	takeBack, err := w.store.Announce(w.workspace, after...)
	if err != nil {
		return err
	}
	undo := []func() error{takeBack}
	for _, j := range w.jobs {
		// Planned again: another host's change may have touched the same file.
		change, err := w.store.Plan(w.owner(j), j.plan.Edits)
		if err == nil {
			err = change.Apply()
		}
		if err != nil {
			return back(undo, fmt.Errorf("wire %s: %w", j.host.Title(), err))
		}
		undo = append(undo, change.Revert)
	}
	if err := w.store.PutHosts(w.workspace, after...); err != nil {
		return back(undo, err)
	}
	return w.keep()
}

// back undoes what was done before a failure, the last first. The first, the
// record, goes on naming what could not be put back.
func back(undo []func() error, failure error) error {
	var failed error
	for i, u := range slices.Backward(undo) {
		if i > 0 || failed == nil {
			failed = errors.Join(failed, u())
		}
	}
	return errors.Join(failure, failed)
}

// record says what this wrap comes to for each of its hosts.
func (w *wrapper) record(before wiring.Record) []wiring.HostRecord {
	var hosts []wiring.HostRecord
	for _, j := range w.jobs {
		was := slices.IndexFunc(before.Hosts, func(h wiring.HostRecord) bool { return h.Host == j.host.Name() })
		h := wiring.HostRecord{
			Host: j.host.Name(), Scope: w.scope, Gateway: w.gateway, Profile: j.profile, At: time.Now().UTC(),
		}
		for _, s := range j.servers {
			switch {
			case s.Verdict == Front && w.gateway:
				h.Fronted = append(h.Fronted, wiring.Fronted{Name: s.Name, Scope: string(s.Scope), Fingerprint: s.Fingerprint()})
			case s.Verdict == Direct:
				h.Direct = append(h.Direct, wiring.Direct{Name: s.Name, Reason: cmp.Or(s.Kept, s.Reason)})
			}
		}
		h.Everywhere = w.gateway && j.everywhere()
		// The same wrap again leaves the record as it is.
		if was >= 0 {
			h.At = before.Hosts[was].At
			if !reflect.DeepEqual(h, before.Hosts[was]) {
				h.At = time.Now().UTC()
			}
		}
		hosts = append(hosts, h)
	}
	return hosts
}

// everywhere reports whether the plan switches a server off in the user's own
// file that declares it, which holds for every workspace.
func (j *job) everywhere() bool {
	return slices.ContainsFunc(j.plan.Edits, func(e wiring.Edit) bool {
		return slices.ContainsFunc(e.Ops, func(op wiring.Op) bool { return op.Existing }) &&
			slices.ContainsFunc(j.servers, func(s Server) bool {
				return s.Verdict == Front && s.Scope == surface.ScopeUser && s.Place.File == e.Path
			})
	})
}
