// Package hook decides what ctx answers to a host event, the same way whether
// the hook itself or the session's gateway does the deciding.
package hook

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// Listings is the cache of what servers listed.
type Listings interface {
	// Any returns the newest listing of a server as it is declared now, for
	// whatever capabilities it was made.
	Any(server, fingerprint string) (listing.Listing, bool)
}

// Usage takes down completed calls, and tells of them; see [*usage.Log].
type Usage interface {
	Append(usage.Call) error
	Recent(bytesRead int64) []usage.Call
}

// Options are what a Handler works with, for one host in one workspace.
type Options struct {
	Layout    paths.Layout
	Workspace string
	Host      string
	Config    config.Config
	Problems  []config.Problem // what was not followed of the configuration

	// Sources reads what the host loads; it is called when an event needs it.
	Sources func(context.Context) (surface.Sources, error)

	Cache    Listings
	Baseline *baseline.Store // holds back tools of servers behind the gateway; nil: none
	State    *state.Store
	Usage    Usage

	// GatewayActive is true where the caller knows that the host loads
	// ctx-gateway here. Otherwise Sources tell.
	GatewayActive bool

	// Gateway is what ctx-gateway itself lists while it stands before the given
	// servers, false where that is not known; nil where nobody can tell.
	Gateway func(s surface.Sources, behind []surface.Server) (listing.Listing, bool)

	// Waiting names those of the servers that will not be started until the
	// user approves them; nil when nobody can tell.
	Waiting func([]surface.Server) []string

	// Brought are the servers that capabilities have put behind the gateway; nil
	// where there are no capabilities.
	Brought func() []surface.Server

	// Admits reports whether capabilities leave a tool of a server there; nil: all
	// of them.
	Admits func(server, tool string) bool

	// Profile is the one that the gateway works under; nil where the record of the
	// wrap and Config tell.
	Profile func() *profile.Profile

	// Unlisted is told, with the first event of a session, of the servers that
	// nobody has listed as they are declared now and that no gateway will. It must
	// not wait for them. nil: nobody wants to know.
	Unlisted func([]surface.Server)

	Log hclog.Logger // nil: nothing is logged
}

// Handler answers the events of one host in one workspace. It may be used
// concurrently.
type Handler struct{ Options }

// New returns a handler.
func New(o Options) *Handler {
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	return &Handler{o}
}

// Handle answers an event. Whatever fails inside is logged and answered by
// saying nothing, so that the host goes on as if ctx were not there.
func (h *Handler) Handle(ctx context.Context, ev event.Event) event.Reply {
	switch ev.Kind {
	case event.SessionStart, event.Prompt:
		return h.advise(ctx, ev)
	case event.ToolBefore:
		return h.permit(ctx, ev)
	case event.ToolAfter:
		h.count(ev)
	case event.SessionEnd:
		h.end(ev)
	}
	return event.Reply{}
}

// count records a call that the host made itself. The gateway counts its own.
func (h *Handler) count(ev event.Event) {
	t := ev.Tool
	if t == nil || t.Ours || t.Server == "" || strings.HasPrefix(ev.Session, state.ScratchPrefix) {
		return
	}
	err := h.Usage.Append(usage.Call{
		Session: ev.Session, Host: ev.Host, Server: t.Server, Tool: t.Tool,
		At: time.Now().UTC(), Failed: t.Failed, Via: usage.ViaHook,
	})
	if err != nil {
		h.Log.Warn("call not counted", "server", t.Server, "tool", t.Tool, "error", err)
	}
}

// resume takes back that a session has ended: the user goes on with it, and
// commands that name none mean it.
func (h *Handler) resume(ev event.Event) {
	if _, err := h.State.Update(ev.Session, func(s *state.Session) { s.Ended = nil }); err != nil {
		h.Log.Warn("return of session not noted", "session", ev.Session, "error", err)
	}
}

func (h *Handler) end(ev event.Event) {
	if s, err := h.State.Load(ev.Session); err != nil || s.Started.IsZero() {
		return // nothing is known of it, so nothing ends
	}
	_, err := h.State.Update(ev.Session, func(s *state.Session) {
		now := time.Now().UTC().Truncate(time.Second)
		s.Ended = &now
	})
	if err != nil {
		h.Log.Warn("end of session not noted", "session", ev.Session, "error", err)
	}
}
