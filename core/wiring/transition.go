package wiring

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/wiring/splice"
)

// turn is one file on its way from what it is to what is wanted in it.
type turn struct {
	journal // how it is on record; Wants and Placed become what they will be
	had     []placed
	owner   Owner
	asked   []Op // what the owner asks for now
	notes   []string
}

// next is the file as it has to become.
func (t *turn) next(now *snapshot) (*snapshot, error) {
	ops := effective(t.Wants)
	if t.Format == Whole {
		return t.whole(now, ops)
	}
	next, err := t.spliced(now, ops)
	if err != nil {
		return nil, err
	}
	for _, p := range t.Placed {
		if why := t.gone(next.text(), p); why != "" && t.mine(p.Op) {
			return nil, fmt.Errorf("%s: %s %s by another edit of the same plan", t.Path, strings.Join(p.Path, "."), why)
		}
	}
	return next, nil
}

// spliced is next for a file that is not ours alone.
func (t *turn) spliced(now *snapshot, ops []Op) (*snapshot, error) {
	untouched := now.sum() == t.Written
	if untouched {
		// Nobody came between: what is wanted is built upon the user's own text.
		if len(ops) == 0 {
			t.Placed = nil
			return t.Base, nil
		}
		again, err := t.build(t.Base, t.had, func(Op) bool { return true })
		if err == nil && again.same(now) {
			return t.build(t.Base, fresh(ops), t.mine)
		}
	}
	return t.amend(now, ops)
}

// fresh makes ops that stand nowhere yet.
func fresh(ops []Op) []placed {
	out := make([]placed, len(ops))
	for i, op := range ops {
		out[i].Op = op
	}
	return out
}

// mine reports whether the owner asks for the op; what others asked for is not
// worth a failure.
func (t *turn) mine(op Op) bool { return slices.ContainsFunc(t.asked, op.equal) }

// build puts ops into a base, one after the other.
func (t *turn) build(base *snapshot, ops []placed, must func(Op) bool) (*snapshot, error) {
	text := base.text()
	t.Placed = nil
	for _, p := range ops {
		out, undo, err := put(t.Format, text, p.Op)
		if err != nil && must(p.Op) {
			return nil, inFile(t.Path, text, err)
		}
		if err != nil {
			t.lost(p.Op, "no longer fits into the file: "+err.Error())
			continue
		}
		text = out
		t.Placed = append(t.Placed, placed{p.Op, undo})
	}
	return t.hold(base, text), nil
}

// hold is a file with the text, as much a file as before.
func (t *turn) hold(before *snapshot, text []byte) *snapshot {
	if before == nil {
		if len(text) == 0 {
			return nil
		}
		return &snapshot{text, t.Mode}
	}
	return &snapshot{text, before.Mode}
}

// amend changes a file that somebody else changed since we did: what is not
// wanted any more is taken out of the text as it is, what is new is put in, and
// the rest stays where it stands.
func (t *turn) amend(now *snapshot, ops []Op) (*snapshot, error) {
	text := now.text()
	stays := []placed{}
	for i := len(t.had) - 1; i >= 0; i-- {
		p := t.had[i]
		if slices.ContainsFunc(ops, p.equal) {
			stays = slices.Insert(stays, 0, p)
			continue
		}
		out, err := t.out(now, text, p)
		if err != nil {
			return nil, err
		}
		text = out
		inherit(p, t.had[:i])
		inherit(p, stays)
	}
	t.Placed = nil
	for _, op := range ops {
		i := slices.IndexFunc(stays, func(p placed) bool { return p.equal(op) })
		if i >= 0 {
			gone := t.gone(text, stays[i])
			if gone == "" {
				t.Placed = append(t.Placed, stays[i])
				continue
			}
			if !t.mine(op) {
				t.lost(op, gone)
				t.forget(op)
				continue
			}
		}
		out, undo, err := put(t.Format, text, op)
		if err != nil && t.mine(op) {
			return nil, inFile(t.Path, text, err)
		}
		if err != nil {
			t.lost(op, "no longer fits into the file: "+err.Error())
			t.forget(op)
			continue
		}
		text = out
		t.Placed = append(t.Placed, placed{op, undo})
	}
	next := t.hold(now, text)
	if len(t.Placed) == 0 {
		next = t.emptied(next)
	}
	return next, t.rebase(now, text)
}

// gone says why an op that was put into a text stands in it no more, "" where it
// does. What was added to a value of ours does not make it another's.
func (t *turn) gone(text []byte, p placed) string {
	if p.Undo.Kept {
		if _, undo, err := put(t.Format, text, p.Op); err != nil || !undo.Kept {
			return splice.Gone
		}
		return ""
	}
	_, note, err := take(t.Format, text, p)
	if err != nil {
		return err.Error()
	}
	if note == splice.Grown {
		return ""
	}
	return note
}

// out takes one op out of a text.
func (t *turn) out(now *snapshot, text []byte, p placed) ([]byte, error) {
	if now == nil {
		t.lost(p.Op, "went with the file, which was removed since")
		return text, nil
	}
	out, note, err := take(t.Format, text, p)
	if err != nil {
		return nil, inFile(t.Path, text, err)
	}
	if note != "" {
		t.lost(p.Op, note)
	}
	return out, nil
}

// rebase finds the user's own text in a file that we and they have changed.
func (t *turn) rebase(now *snapshot, text []byte) error {
	for i := len(t.Placed) - 1; i >= 0; i-- {
		out, _, err := take(t.Format, text, t.Placed[i])
		if err != nil {
			return inFile(t.Path, text, err)
		}
		text = out
	}
	t.Base = t.emptied(t.hold(now, text))
	return nil
}

// emptied is what a file that we took everything out of should be: if nothing
// is left in it, what it was when there was nothing in it.
func (t *turn) emptied(s *snapshot) *snapshot {
	if s != nil && blank(t.Format, s.Bytes) && (t.Base == nil || blank(t.Format, t.Base.Bytes)) {
		return t.Base
	}
	return s
}

// whole is the file when it is ours from the first byte to the last.
func (t *turn) whole(now *snapshot, ops []Op) (*snapshot, error) {
	untouched := now.sum() == t.Written
	if len(ops) == 0 {
		t.Placed = nil
		switch {
		case untouched:
			return t.Base, nil
		case now == nil:
			t.notes = append(t.notes, "was removed since")
		default:
			t.notes = append(t.notes, splice.Changed)
		}
		return now, nil
	}
	if !untouched {
		t.Base = now
	}
	var b []byte
	if err := json.Unmarshal(ops[len(ops)-1].Value, &b); err != nil {
		return nil, err
	}
	t.Placed = fresh(ops)
	if now != nil {
		return &snapshot{b, now.Mode}, nil
	}
	return &snapshot{b, t.Mode}, nil
}

// lost notes what became of an op.
func (t *turn) lost(op Op, note string) {
	name := strings.Join(op.Path, ".")
	if op.Kind == Line {
		name = string(op.Value)
	}
	t.notes = append(t.notes, name+" "+note)
}

// forget drops an op that the user took out from what others are known to want.
func (t *turn) forget(op Op) {
	for i := range t.Wants {
		t.Wants[i].Ops = slices.DeleteFunc(slices.Clone(t.Wants[i].Ops), op.equal)
	}
	t.Wants = slices.DeleteFunc(t.Wants, func(w want) bool { return len(w.Ops) == 0 })
}

// inherit hands the duty to clear away a container that was made for one op on
// to the ops that have moved in.
func inherit(from placed, to []placed) {
	container := from.container()
	outermost := len(container) - from.Undo.Made + 1
	for i := range to {
		p := &to[i]
		own := p.container()
		shared := 0
		for shared < min(len(container), len(own)) && container[shared] == own[shared] {
			shared++
		}
		if from.Undo.Made > 0 && shared >= outermost && !p.Undo.Kept {
			p.Undo.Made = max(p.Undo.Made, len(own)-outermost+1)
			p.Undo.Inner, p.Undo.Blank = from.Undo.Inner, from.Undo.Blank
		}
	}
}

// container is the path of the object, table or array that an op puts its value
// into.
func (p placed) container() []string {
	if p.Kind == Append {
		return p.Path
	}
	return p.Path[:max(len(p.Path)-1, 0)]
}
