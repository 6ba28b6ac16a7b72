package wrap

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/gateway"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// price prices what each host loads of MCP servers now and once it is wired.
func (w *wrapper) price(context.Context) error {
	for _, j := range w.jobs {
		g := gate.New(j.sources)
		cfg, _ := config.Load(w.layout, w.workspace, w.f.Env)
		p := surface.Pricing{
			Admits: g.Admits,
			Listing: func(s surface.Server) (listing.Listing, bool) {
				l, ok := j.listings[s.Name]
				return l, ok
			},
		}
		without := j.sources
		without.Servers = slices.DeleteFunc(slices.Clone(j.sources.Servers), func(s surface.Server) bool { return s.Own })
		j.before = surface.Price(without, p)
		j.after = j.before
		if !w.gateway {
			continue
		}
		own, err := w.kernel(j, cfg, g.Under(profile.Active(cfg.Surface, j.profile)))
		if err != nil {
			return err
		}
		with := without
		with.Servers = append(slices.Clone(without.Servers), surface.Server{
			Name: cmp.Or(j.host.Description.GatewayName, "ctx"), Transport: surface.Stdio, Own: true, Eager: true,
		})
		p.Fronted, p.Gateway, j.kernel = j.front(), own, own
		j.after = surface.Price(with, p)
	}
	return nil
}

// kernel is what the gateway of a host would list with the servers that are to
// be behind it.
func (w *wrapper) kernel(j *job, cfg config.Config, g *gate.Gate) (*listing.Listing, error) {
	rules := &gateway.Rules{Gate: g}
	var known []listing.Listing
	for _, s := range j.servers {
		if s.Verdict != Front {
			continue
		}
		rules.Servers = append(rules.Servers, s.Server)
		if l, ok := j.listings[s.Name]; ok {
			known = append(known, l)
		}
	}
	own, err := gateway.Preview(cfg, rules, known, gateway.Offer{Bundles: tap.Open(w.layout).Any()})
	if err != nil {
		return nil, fmt.Errorf("what the gateway lists: %w", err)
	}
	return &own, nil
}
