package trust

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// Status is what the user has said of a server as it is declared now.
type Status string

const (
	Unknown  Status = "unknown"  // nobody was asked
	Approved Status = "approved" // exactly this declaration
	Changed  Status = "changed"  // another declaration of this server, not this one
	Rejected Status = "rejected" // exactly this declaration
)

// Approval is one decision of the user's about one declaration of a server.
type Approval struct {
	Fingerprint string         `json:"fingerprint"`
	By          string         `json:"by"` // "user", or the host and the place that says so: "claude: FILE:LINE"
	At          time.Time      `json:"at"`
	Server      surface.Server `json:"server"` // as the user saw it, unexpanded
}

// record is all that was decided about a server. Several declarations can be
// approved at once: two hosts may reach a server of one name in two ways.
type record struct {
	Decisions []decision `json:"decisions"` // oldest first, one for each fingerprint
}

type decision struct {
	Verdict Status `json:"verdict"` // Approved or Rejected
	Approval
}

// mostDecisions bounds a record. What falls out is merely unknown again.
const mostDecisions = 16

// Approve lets the declaration with a.Fingerprint be started. A zero a.At is
// now.
func (s *Store) Approve(id string, a Approval) error {
	if got := a.Server.Fingerprint(); got != a.Fingerprint {
		return fmt.Errorf("trust: %s: the fingerprint %s is not that of the declaration (%s)", id, a.Fingerprint, got)
	}
	return s.decide(id, decision{Approved, a})
}

// Reject records that the declaration with this fingerprint must not be
// started, whatever was said before.
func (s *Store) Reject(id, fingerprint string) error {
	return s.decide(id, decision{Rejected, Approval{Fingerprint: fingerprint, By: "user"}})
}

// ApproveAll is Approve for several declarations at once, by their IDs: all are
// approved, or none is.
func (s *Store) ApproveAll(list map[string][]Approval) error {
	return s.update(func(d *document) error {
		changed := false
		for _, id := range slices.Sorted(maps.Keys(list)) {
			for _, a := range list[id] {
				if got := a.Server.Fingerprint(); got != a.Fingerprint {
					return fmt.Errorf("trust: %s: the fingerprint %s is not that of the declaration (%s)", id, a.Fingerprint, got)
				}
				switch err := s.take(d, id, decision{Approved, a}); {
				case err == nil:
					changed = true
				case !errors.Is(err, errUnchanged):
					return err
				}
			}
		}
		if !changed {
			return errUnchanged
		}
		return nil
	})
}

// ForgetTap takes back all that was decided about what a tap would start.
func (s *Store) ForgetTap(tap string) error {
	prefix := TapID(tap, "", "")
	prefix = prefix[:len(prefix)-1]
	of := func(id string) bool { return strings.HasPrefix(id, prefix) }
	return s.update(func(d *document) error {
		before := len(d.Servers) + len(d.Pending)
		maps.DeleteFunc(d.Servers, func(id string, _ *record) bool { return of(id) })
		maps.DeleteFunc(d.Pending, func(id string, _ waiting) bool { return of(id) })
		if before == len(d.Servers)+len(d.Pending) {
			return errUnchanged
		}
		return nil
	})
}

func (s *Store) decide(id string, new decision) error {
	return s.update(func(d *document) error { return s.take(d, id, new) })
}

// take takes a decision down.
func (s *Store) take(d *document, id string, new decision) error {
	if new.At.IsZero() {
		new.At = s.now().UTC()
	}
	r := d.Servers[id]
	if r == nil {
		r = &record{}
		put(&d.Servers, id, r)
	}
	if i := r.index(new.Fingerprint); i >= 0 {
		old := r.Decisions[i]
		if old.Verdict == new.Verdict && old.By == new.By && d.Pending[id].Fingerprint != new.Fingerprint {
			return errUnchanged
		}
		if new.Server.Name == "" {
			new.Server = old.Server // a rejection need not say it again
		}
		r.Decisions = slices.Delete(r.Decisions, i, i+1)
	}
	if w, ok := d.Pending[id]; ok && w.Fingerprint == new.Fingerprint {
		if new.Server.Name == "" {
			new.Server = w.Server
		}
		delete(d.Pending, id)
	}
	r.Decisions = append(r.Decisions, new)
	if over := len(r.Decisions) - mostDecisions; over > 0 {
		r.Decisions = slices.Delete(r.Decisions, 0, over)
	}
	return nil
}

// Check says whether a server may be started as it is declared.
func (s *Store) Check(srv surface.Server, workspace string) Status {
	return s.CheckID(ServerID(srv, workspace), srv)
}

// CheckID is [Store.Check] for a declaration that is known by an ID of its own.
func (s *Store) CheckID(id string, srv surface.Server) Status {
	return s.view().check(id, srv.Fingerprint())
}

func (d document) check(id, fingerprint string) Status {
	r := d.Servers[id]
	if r == nil {
		return Unknown
	}
	if i := r.index(fingerprint); i >= 0 {
		return r.Decisions[i].Verdict
	}
	if r.approved() != nil {
		return Changed
	}
	return Unknown
}

func (r *record) index(fingerprint string) int {
	return slices.IndexFunc(r.Decisions, func(d decision) bool { return d.Fingerprint == fingerprint })
}

// approved is the last declaration that was approved, nil when there is none.
func (r *record) approved() *decision {
	for i := len(r.Decisions) - 1; i >= 0; i-- {
		if r.Decisions[i].Verdict == Approved {
			return &r.Decisions[i]
		}
	}
	return nil
}
