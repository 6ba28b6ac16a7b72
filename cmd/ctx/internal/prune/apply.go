package prune

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/core/prune"
)

// apply writes all hosts' files and the receipt, or nothing.
func (p *pruner) apply(r *Result) error {
	for _, j := range p.jobs {
		if j.refused != nil {
			return fmt.Errorf("nothing was changed: %w", j.refused)
		}
	}
	var undo []func() error
	back := func(err error) error {
		for _, u := range slices.Backward(undo) {
			err = errors.Join(err, u())
		}
		return err
	}
	for _, j := range p.jobs {
		// Planned again: another host's change may have touched the same file.
		change, err := p.store.Plan(j.owner(p.set.Workspace), j.edits)
		if err == nil {
			err = change.Apply()
		}
		if err != nil {
			return back(fmt.Errorf("prune %s: %w", j.host.Title(), err))
		}
		undo = append(undo, change.Revert)
		r.Changed = r.Changed || !change.Empty()
	}
	// Another host may have been pruned while the user was asked.
	place, err := prune.Update(p.f.Layout(), p.set.Workspace, func(now *prune.Receipt) {
		for _, j := range p.jobs {
			r.Changed = j.enter(now, r.Interactive) || r.Changed
		}
	})
	if err != nil {
		return back(err)
	}
	r.Applied, r.Receipt = true, place
	return nil
}

// enter puts what was decided for a host into a receipt, and reports whether that
// is otherwise than what the receipt says.
func (j *job) enter(r *prune.Receipt, interactive bool) bool {
	notable, before := prune.Notable(j.decisions), r.Of(j.host.Name())
	if before != nil && slices.EqualFunc(notable, before.Decisions, same) || before == nil && len(notable) == 0 {
		return false
	}
	made := prune.HostReceipt{
		Host: j.host.Name(), At: time.Now().UTC().Truncate(time.Second), Interactive: interactive, Decisions: notable,
		Tokens: prune.Tokens{Before: j.total.Resident, After: j.after.Resident, Saved: j.total.Resident - j.after.Resident},
	}
	r.Hosts = append(slices.DeleteFunc(r.Hosts, func(h prune.HostReceipt) bool { return h.Host == made.Host }), made)
	return true
}

// same reports whether two decisions say the same, whenever they were made.
func same(a, b prune.Decision) bool {
	return a.ID == b.ID && a.Keep == b.Keep && a.By == b.By && a.Where == b.Where && (!a.Keep || a.Why == b.Why)
}
