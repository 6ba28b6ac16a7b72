package inventory

import (
	"slices"

	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Loads is what is known of what a host loads in a workspace.
type Loads struct {
	Sources  surface.Sources
	Fronted  []string         // servers that ctx-gateway stands before
	Gateway  *listing.Listing // what it lists itself; nil where that is not known
	Baseline *baseline.Store  // holds back what has changed; nil: nothing

	// Listing returns the last listing of a server; false for one that was never
	// asked.
	Listing func(surface.Server) (listing.Listing, bool)

	Count surface.Counter                   // nil: a quarter of the bytes
	Body  func(surface.Item) (string, bool) // see [surface.Pricing]
}

// Price prices what a host loads: the one calculation behind every number that
// ctx tells a user or a model.
func Price(l Loads) surface.Inventory {
	g := gate.New(l.Sources)
	return surface.Price(l.Sources, surface.Pricing{
		Listing: func(srv surface.Server) (listing.Listing, bool) {
			list, ok := l.Listing(srv)
			if ok && slices.Contains(l.Fronted, srv.Name) {
				list, _ = l.Baseline.Screen(srv, list)
			}
			return list, ok
		},
		Admits: g.Admits, Fronted: l.Fronted, Gateway: l.Gateway, Count: l.Count, Body: l.Body,
	})
}
