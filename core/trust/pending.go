package trust

import (
	"cmp"
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// waiting is a declaration that was met and that nobody has decided about.
type waiting struct {
	Fingerprint string         `json:"fingerprint"`
	At          time.Time      `json:"at"`
	Server      surface.Server `json:"server"`
	// Shown is the fingerprint of the declaration of this ID that the user was
	// shown last, "" where none was.
	Shown string `json:"shown,omitempty"`
}

const (
	// mostPending bounds what a repository full of servers can write here.
	mostPending = 200
	// mostShown bounds those among what waits that the user was shown. They have
	// a bound of their own: a repository that could push one out with others would
	// have it forgotten what the user saw, and put another in its place.
	mostShown = 2000
)

// Note remembers a server that was not started for want of an approval, so that
// the user can be shown it. The same declaration is noted once.
func (s *Store) Note(id string, srv surface.Server) error {
	fp := srv.Fingerprint()
	known := func(d document) bool {
		st := d.check(id, fp)
		return d.Pending[id].Fingerprint == fp || st == Approved || st == Rejected
	}
	if known(s.view()) {
		return nil // without the lock, as at every start but the first
	}
	return s.update(func(d *document) error {
		if known(*d) {
			return errUnchanged
		}
		put(&d.Pending, id, waiting{fp, s.now().UTC(), srv, d.Pending[id].Shown})
		d.boundPending()
		return nil
	})
}

// NoteAll is Note for several declarations at once, by their IDs.
func (s *Store) NoteAll(list map[string]surface.Server) error {
	return s.update(func(d *document) error {
		changed := false
		for id, srv := range list {
			fp := srv.Fingerprint()
			st := d.check(id, fp)
			if d.Pending[id].Fingerprint == fp || st == Approved || st == Rejected {
				continue
			}
			changed = true
			put(&d.Pending, id, waiting{fp, s.now().UTC(), srv, d.Pending[id].Shown})
		}
		if !changed {
			return errUnchanged
		}
		d.boundPending()
		return nil
	})
}

// boundPending drops the oldest of what waits: of what the user was shown and of
// the rest, each by its own bound.
func (d *document) boundPending() {
	d.dropOldest(mostPending, func(w waiting) bool { return w.Shown == "" })
	d.dropOldest(mostShown, func(w waiting) bool { return w.Shown != "" })
}

// dropOldest leaves the newest of those that wait and are of a kind.
func (d *document) dropOldest(most int, of func(waiting) bool) {
	var ids []string
	for id, w := range d.Pending {
		if of(w) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(d.Pending[a].At.Compare(d.Pending[b].At), cmp.Compare(a, b))
	})
	for _, id := range ids[:max(0, len(ids)-most)] {
		delete(d.Pending, id)
	}
}

// Entry is one line of what is known about servers.
type Entry struct {
	ID          string         `json:"id"`
	Status      Status         `json:"status"` // Approved, Rejected; for what waits: Unknown, or Changed where another declaration is approved
	Fingerprint string         `json:"fingerprint"`
	By          string         `json:"by,omitempty"` // "" while it waits
	At          time.Time      `json:"at"`
	Server      surface.Server `json:"server"`

	shown string // see [waiting]
}

// Swapped reports whether the user was shown another declaration than the one
// that waits now, and so cannot mean this one.
func (e Entry) Swapped() bool { return e.Waits() && e.shown != "" && e.shown != e.Fingerprint }

// Shown remembers what of the entries waits and was shown to the user.
func (s *Store) Shown(entries []Entry) error {
	var news []Entry
	for _, e := range entries {
		if e.Waits() && e.shown != e.Fingerprint {
			news = append(news, e)
		}
	}
	if len(news) == 0 {
		return nil
	}
	return s.update(func(d *document) error {
		for _, e := range news {
			if w, ok := d.Pending[e.ID]; ok {
				w.Shown = e.Fingerprint
				d.Pending[e.ID] = w
			}
		}
		return nil
	})
}

// Waits reports whether the user has yet to decide.
func (e Entry) Waits() bool { return e.Status == Unknown || e.Status == Changed }

// Entries lists every decision and all that waits for one, by ID and then by
// time.
func (s *Store) Entries() []Entry {
	d := s.view()
	var out []Entry
	for id, r := range d.Servers {
		for _, x := range r.Decisions {
			out = append(out, Entry{id, x.Verdict, x.Fingerprint, x.By, x.At, x.Server, ""})
		}
	}
	for id, w := range d.Pending {
		if st := d.check(id, w.Fingerprint); st == Unknown || st == Changed {
			out = append(out, Entry{id, st, w.Fingerprint, "", w.At, w.Server, w.Shown})
		}
	}
	slices.SortFunc(out, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), a.At.Compare(b.At), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	return out
}
