package reconcile

import (
	"time"

	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// Over reports whether a session has ended, and has not been taken up again since
// as far as its calls tell.
func (ev Evidence) Over(session string) bool {
	if ev.Ended == nil {
		return false
	}
	at, ended := ev.Ended(session)
	for _, c := range ev.Of(session) {
		ended = ended && c.At.Before(at.Add(time.Second))
	}
	return ended
}

// Of are the calls of one session, in the order of the log.
func (ev Evidence) Of(session string) []usage.Call {
	var calls []usage.Call
	for _, c := range ev.Calls {
		if c.Session == session {
			calls = append(calls, c)
		}
	}
	return calls
}

// Generation is the number of the last plan of a session, 0 where there is none.
func (ev Evidence) Generation(session string) int {
	n := 0
	for _, e := range ev.Entries {
		if e.Session == session {
			n = max(n, e.Generation)
		}
	}
	return n
}

// Gather reads what there is to judge by in dir, a workspace's surface folder,
// and what of it could not be read.
func Gather(dir string, now time.Time) (Evidence, []usage.Problem) {
	log := usage.Open(dir)
	entries, problems := OpenLedger(dir).Read()
	calls, more := log.Read()
	ev := Evidence{Entries: entries, Calls: calls, Now: now}
	if log.Rotated() {
		ev.Since = now
		for _, c := range calls {
			if c.At.Before(ev.Since) {
				ev.Since = c.At
			}
		}
	}
	sessions := state.Open(dir)
	ev.Ended = func(id string) (time.Time, bool) {
		// Of one that cannot be read no end is known.
		s, err := sessions.Load(id)
		if err != nil || s.Ended == nil {
			return time.Time{}, false
		}
		return *s.Ended, true
	}
	return ev, append(problems, more...)
}
