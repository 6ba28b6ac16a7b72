package hook

import (
	"cmp"
	"sync"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/rendezvous"
)

// Binding ties a gateway to the one conversation that it serves. A host starts
// its servers before it tells them of the conversation, so the first event of
// the workspace binds; /clear and resume give a running gateway another one.
type Binding struct {
	host      string
	workspace string

	mu      sync.Mutex
	session string
	served  string // the last session that hooks bound, also once it has ended
}

// NewBinding returns the binding of a gateway that serves one host in one
// workspace. session is "" for a gateway that was not told.
func NewBinding(host, workspace, session string) *Binding {
	return &Binding{host: host, workspace: workspace, session: session}
}

// Session is the conversation bound now, "" for none.
func (b *Binding) Session() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.session
}

// Bind binds to a session that the host itself named on the gateway's own
// channel, which leaves no doubt, and reports whether that is another one than
// before.
func (b *Binding) Bind(session string) (changed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	changed = b.session != session
	b.session = session
	return changed
}

// Claim tells whether an event of the given workspace belongs here.
func (b *Binding) Claim(ev event.Event, workspace string) rendezvous.Claim {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.claim(ev, workspace)
}

// Take is Claim, and binds to the event's session unless the answer is No; the
// end of that session sets the gateway free. It reports whether the session that
// the gateway served until now is another one, whose reveals must not outlive
// it.
func (b *Binding) Take(ev event.Event, workspace string) (c rendezvous.Claim, rebound bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c = b.claim(ev, workspace)
	if c == rendezvous.No {
		return c, false
	}
	before := cmp.Or(b.session, b.served)
	rebound = before != "" && before != ev.Session
	b.session, b.served = ev.Session, ev.Session
	if ev.Kind == event.SessionEnd {
		b.session = ""
	}
	return c, rebound
}

func (b *Binding) claim(ev event.Event, workspace string) rendezvous.Claim {
	switch {
	case ev.Session == "" || ev.Host != b.host:
		return rendezvous.No
	case ev.Session == b.session:
		return rendezvous.Mine
	case workspace != b.workspace:
		return rendezvous.No
	case b.session == "":
		return rendezvous.Could
	case ev.Kind == event.SessionStart && (ev.Source == event.Clear || ev.Source == event.Resume):
		return rendezvous.Could
	default:
		return rendezvous.No
	}
}
