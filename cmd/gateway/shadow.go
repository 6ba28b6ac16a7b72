package main

import (
	"context"
	"slices"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/reconcile"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// watched is a usage log whose calls the shadow plans by, too.
type watched struct {
	*usage.Log
	shadow *reconcile.Shadow
}

// Append implements [gateway.Usage].
func (w watched) Append(c usage.Call) error {
	w.shadow.Call(c)
	return w.Log.Append(c)
}

// openShadow starts the shadow; nil where the user wants no word of the surface.
func (p *program) openShadow() *reconcile.Shadow {
	if p.config.Surface.Gate == "off" {
		return nil
	}
	return reconcile.NewShadow(reconcile.ShadowOptions{
		Host: p.host, Ledger: reconcile.OpenLedger(p.surface), Surface: p.families, Log: p.log.Named("reconcile"),
		Own: activate.Clean,
		Past: func(session string) []usage.Call {
			calls, _ := p.usage.Read() // a line that cannot be read is no call
			return slices.DeleteFunc(calls, func(c usage.Call) bool { return c.Session != session })
		},
	})
}

// families are those of the tools that the session may know of.
func (p *program) families(ctx context.Context) (reconcile.Surface, error) {
	sources, err := p.policy.Sources(ctx)
	if err != nil {
		return reconcile.Surface{}, err
	}
	var fronted []string
	for _, srv := range p.policy.Rules(ctx).Servers {
		fronted = append(fronted, srv.Name)
	}
	cache := known{p.cache, p.policy}
	priced := inventory.Price(inventory.Loads{
		Sources: sources, Fronted: fronted, Baseline: p.tools,
		Listing: func(srv surface.Server) (listing.Listing, bool) { return cache.Any(srv.Name, srv.Fingerprint()) },
	})
	inv := inventory.Build(inventory.Input{Sources: sources, Priced: priced, Text: inventory.ReadText})
	return reconcile.Of(inv, p.config.Gateway), nil
}
