package reconcile

import (
	"slices"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// session is what is known of one session.
type session struct {
	hides  map[ruleKey]hide
	calls  []usage.Call
	called time.Time // the last call
	active time.Time // the last call or plan
	ended  time.Time // the last end that was noted, zero for none
}

// hide is the first time that a rule hid, or would have hidden, its family.
type hide struct {
	at      time.Time
	tools   []string // of the family; nil where they were too many to note
	servers []string
}

// sessions brings together what the ledger and the usage log have of each session
// that is in the ledger. Trials of the wiring are none.
func (ev Evidence) sessions() map[string]*session {
	all := make(map[string]*session)
	for _, e := range ev.Entries {
		if strings.HasPrefix(e.Session, state.ScratchPrefix) {
			continue
		}
		s := all[e.Session]
		if s == nil {
			s = &session{hides: make(map[ruleKey]hide)}
			all[e.Session] = s
		}
		if e.Op == End {
			s.ended = later(s.ended, e.At)
			continue
		}
		s.active = later(s.active, e.At)
		if e.Op != Hide {
			continue
		}
		k := ruleKey{e.Family, e.Phase}
		if h, known := s.hides[k]; !known || e.At.Before(h.at) {
			s.hides[k] = hide{e.At, e.Tools, e.Servers}
		}
	}
	for _, c := range ev.Calls {
		if s := all[c.Session]; s != nil {
			s.calls = append(s.calls, c)
			s.called, s.active = later(s.called, c.At), later(s.active, c.At)
		}
	}
	for id, s := range all {
		if ev.Ended == nil {
			break
		}
		if at, ok := ev.Ended(id); ok {
			s.ended = later(s.ended, at.Add(time.Second-1)) // it is noted in whole seconds
		}
	}
	return all
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

type outcome int

const (
	judged     outcome = iota
	unfinished         // it may still use the family
	unseen             // nobody knows whether it did
)

// outcome judges a rule in one session. A miss is certain at once; that there was
// none, only when the session is over and its calls are all on record.
func (ev Evidence) outcome(id string, s *session, k ruleKey) (trial, outcome) {
	h := s.hides[k]
	missed := trial{session: id, miss: true}
	for _, c := range s.calls {
		if !c.At.Before(h.at) && h.covers(k.family, c) && (missed.at.IsZero() || c.At.Before(missed.at)) {
			missed.at = c.At
		}
	}
	if !missed.at.IsZero() {
		return missed, judged
	}
	over := s.ended
	byEnd := !s.ended.IsZero() && !s.ended.Before(s.active)
	if !byEnd { // none was noted, or it was taken up again since
		over = later(s.active, s.ended)
		if ev.Now.Sub(over) < Idle {
			return trial{}, unfinished
		}
	}
	switch {
	case ev.Since.After(h.at): // the calls that followed are not all there
		return trial{}, unseen
	case !byEnd && !s.called.After(h.at): // it went no further, as far as is known
		return trial{}, unseen
	}
	return trial{session: id, at: over}, judged
}

// covers reports whether a call is one of a tool that was hidden. Where that
// cannot be told it is taken for one.
func (h hide) covers(f surface.Family, c usage.Call) bool {
	known := slices.Contains(h.servers, c.Server)
	if known && h.tools != nil {
		return slices.Contains(h.tools, c.Server+":"+c.Tool)
	}
	by := surface.FamilyOf(c.Server, c.Tool, "")
	return by == f || known && by == surface.Other
}
