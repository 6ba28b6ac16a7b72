// Package hook decides what ctx answers to a host event, the same way whether
// the hook itself or the session's gateway does the deciding.
package hook

import (
	"context"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/paths"
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

// Options are what a Handler works with, for one host in one workspace.
type Options struct {
	Layout    paths.Layout
	Workspace string
	Host      string
	Config    config.Config

	// Sources reads what the host loads; it is called when an event needs it.
	Sources func(context.Context) (surface.Sources, error)

	Cache Listings
	State *state.Store
	Usage *usage.Log

	Fronted       []string // servers that our wrap keeps behind the gateway
	Direct        []string // servers that our wrap knows of and left to the host
	GatewayActive bool     // the host loads ctx-gateway here

	// Waiting names those of the servers that will not be started until the
	// user approves them; nil when nobody can tell.
	Waiting func([]surface.Server) []string

	Log hclog.Logger // nil: nothing is logged
}

// Handler answers the events of one host in one workspace. It may be used
// concurrently.
type Handler struct{ opts Options }

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
	return event.Reply{}
}
