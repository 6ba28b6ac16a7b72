package backend

import "time"

// State is where a server is in its life.
type State string

const (
	Idle     State = "idle"     // not started; it starts when it is used
	Starting State = "starting" // or waiting for its turn to
	Ready    State = "ready"
	Failed   State = "failed" // it did not start, or has ended by itself
)

// Status is what is known of a server now. It holds names and sizes, never the
// value of a variable.
type Status struct {
	Server     string    `json:"server"`
	State      State     `json:"state"`
	PID        int       `json:"pid,omitempty"`
	Error      string    `json:"error,omitempty"`       // why it failed, or why its lists could not be read
	Failure    string    `json:"-"`                     // Error without the server's words, for what is kept on disk
	NeedsOAuth bool      `json:"needs_oauth,omitempty"` // it answered 401: only the host can log in
	Hung       bool      `json:"hung,omitempty"`        // it failed by taking too long
	RetryAt    time.Time `json:"retry_at,omitzero"`     // no use starts it before
	Listed     time.Time `json:"listed,omitzero"`       // when what is known of it was listed
	Cached     bool      `json:"cached,omitempty"`      // that was not in this session
	Tools      int       `json:"tools"`
	Warnings   []string  `json:"warnings,omitempty"` // variables that are not set, odd lists
}

func (b *backend) status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Status{Server: b.srv.Name, State: Idle, Warnings: b.warnings}
	if b.lastErr != nil {
		s.Error, s.Failure = b.lastErr.Error(), withoutWords(b.lastErr)
		s.NeedsOAuth, s.Hung = needsOAuth(b.lastErr), isHung(b.lastErr)
	}
	switch {
	case b.session != nil:
		s.State, s.PID = Ready, b.session.link.pid()
	case b.attempt != nil:
		s.State = Starting
	case b.lastErr != nil:
		s.State, s.RetryAt = Failed, b.retryAt
	}
	if b.listing != nil {
		s.Listed, s.Cached, s.Tools = b.listing.At, !b.fresh, len(b.listing.Tools)
		s.Warnings = append(s.Warnings[:len(s.Warnings):len(s.Warnings)], b.listing.Notes...)
	}
	return s
}
