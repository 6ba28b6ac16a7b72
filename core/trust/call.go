package trust

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Call is a tool call that needs the user's own word.
type Call struct {
	Session   string `json:"session"`
	Server    string `json:"server"`
	Tool      string `json:"tool"`
	ArgsHash  string `json:"args_hash"`           // of the arguments as canonical JSON
	Summary   string `json:"summary"`             // one line that shows the user what would happen
	Arguments string `json:"arguments,omitempty"` // all that would be sent, a line for each
}

func (c Call) same(o Call) bool {
	return c.Session == o.Session && c.Server == o.Server && c.Tool == o.Tool && c.ArgsHash == o.ArgsHash
}

// PendingCall is a call that waits for its approval.
type PendingCall struct {
	Call
	Code    string    `json:"code"`
	At      time.Time `json:"at"`      // when it was asked for
	Expires time.Time `json:"expires"` // after that it must be asked for again
}

type call struct {
	Call
	At       time.Time `json:"at"`
	Approved time.Time `json:"approved,omitzero"`
}

const (
	callLifetime = 10 * time.Minute // from the request, and again from the approval
	mostCalls    = 50
	mostText     = 512 << 10 // bytes of all arguments together: every hook reads the file
)

func (c call) expires() time.Time {
	if c.Approved.IsZero() {
		return c.At.Add(callLifetime)
	}
	return c.Approved.Add(callLifetime)
}

// UnknownCodeError says that no call waits under a code.
type UnknownCodeError struct{ Code string }

func (e *UnknownCodeError) Error() string {
	return fmt.Sprintf("no call waits under the code %q", e.Code)
}

// Hint says what may have happened.
func (e *UnknownCodeError) Hint() string {
	return fmt.Sprintf("a code is good once and for %d minutes; ctx approve lists those that wait", callLifetime/time.Minute)
}

// RequestCall asks for the user's word on a call and returns the code under
// which it is given. The code is for the user's eyes in a terminal of the
// user's; whatever a model reads must not contain it. A call that waits already
// keeps its code and its time.
func (s *Store) RequestCall(c Call) (code string, err error) {
	err = s.update(func(d *document) error {
		d.expire(s.now())
		for k, old := range d.Calls {
			if old.same(c) && old.Approved.IsZero() {
				code = k
				return errUnchanged
			}
		}
		for len(d.Calls) >= mostCalls || len(d.Calls) > 0 && d.callText()+len(c.Arguments) > mostText {
			delete(d.Calls, d.oldestCall())
		}
		code = newCode()
		put(&d.Calls, code, call{Call: c, At: s.now().UTC()})
		return nil
	})
	return code, err
}

// ListCalls lists the calls that wait, oldest first.
func (s *Store) ListCalls() []PendingCall {
	now := s.now()
	var out []PendingCall
	for code, c := range s.view().Calls {
		if c.Approved.IsZero() && now.Before(c.expires()) {
			out = append(out, PendingCall{c.Call, code, c.At, c.expires()})
		}
	}
	slices.SortFunc(out, func(a, b PendingCall) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Code, b.Code)) })
	return out
}

// Waiting is the call that waits under a code, for the user to read before
// [Store.ApproveCall], and fails as that does.
func (s *Store) Waiting(code string) (PendingCall, error) {
	code = cleanCode(code)
	for _, c := range s.ListCalls() {
		if c.Code == code {
			return c, nil
		}
	}
	return PendingCall{}, &UnknownCodeError{code}
}

// ApproveCall gives the user's word for the call under a code, once. A code
// that is unknown, used or expired is an [*UnknownCodeError].
func (s *Store) ApproveCall(code string) (Call, error) {
	code = cleanCode(code)
	var approved Call
	err := s.update(func(d *document) error {
		d.expire(s.now())
		c, ok := d.Calls[code]
		if !ok || !c.Approved.IsZero() {
			return &UnknownCodeError{code}
		}
		approved = c.Call
		c.Approved, c.Arguments = s.now().UTC(), "" // they have been read
		d.Calls[code] = c
		return nil
	})
	return approved, err
}

// TakeCall uses the user's word up: true means that this very call, of this
// session and with these arguments, may be made now, and once.
func (s *Store) TakeCall(session, server, tool, argsHash string) bool {
	want := Call{Session: session, Server: server, Tool: tool, ArgsHash: argsHash}
	if d := s.view(); d.approvedCall(want, s.now()) == "" {
		return false // without the lock: most calls were never asked about
	}
	taken := false
	err := s.update(func(d *document) error {
		d.expire(s.now())
		code := d.approvedCall(want, s.now())
		if code == "" {
			return errUnchanged
		}
		delete(d.Calls, code)
		taken = true
		return nil
	})
	return taken && err == nil // not taken down is not taken
}

func (d document) approvedCall(want Call, now time.Time) string {
	for code, c := range d.Calls {
		if c.same(want) && !c.Approved.IsZero() && now.Before(c.expires()) {
			return code
		}
	}
	return ""
}

func (d *document) expire(now time.Time) {
	for code, c := range d.Calls {
		if !now.Before(c.expires()) {
			delete(d.Calls, code)
		}
	}
}

// callText is how many bytes the arguments of all calls take.
func (d *document) callText() int {
	n := 0
	for _, c := range d.Calls {
		n += len(c.Arguments)
	}
	return n
}

func (d *document) oldestCall() string {
	oldest := ""
	for code, c := range d.Calls {
		if oldest == "" || c.At.Before(d.Calls[oldest].At) {
			oldest = code
		}
	}
	return oldest
}

// cleanCode is a code as the user typed it.
func cleanCode(code string) string { return strings.ToLower(strings.TrimSpace(code)) }

// newCode is easy to type and not to guess: the first 50 bits of a random text,
// in letters and digits that are hard to confuse.
func newCode() string {
	text := strings.ToLower(rand.Text()[:10]) // base32: a-z, 2-7
	return text[:5] + "-" + text[5:]
}
