// Package surface is the command ctx surface: what hosts place before their
// models, and the gateway that keeps it small.
package surface

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/gateway"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	return cmdutil.Group(&cobra.Command{
		Use:     "surface",
		Short:   "Show what hosts load, and run the gateway by hand",
		Example: "  ctx surface inventory\n  ctx surface audit --host claude",
	}, newInventory(f), newAudit(f), newGateway(f), newInstallGateway(f))
}

// priced is what one host loads in the workspace, with its price.
type priced struct {
	host    *hosts.Host
	sources surface.Sources
	surface.Inventory
}

// survey prices what the named hosts load; of none named, every host found.
// done ends their adapters.
func survey(ctx context.Context, f *cmdutil.Factory, names []string) (all []priced, done func(), err error) {
	set, err := hosts.Open(ctx, f, names)
	if err != nil {
		return nil, nil, err
	}
	if len(set.Hosts) == 0 {
		return nil, nil, cmdutil.NotThere("name it: --host claude", "no host was found on this machine")
	}
	for _, h := range set.Hosts {
		f.IO.Step("reading what %s loads ...", h.Title())
		p, err := price(ctx, f, h)
		if err != nil {
			set.Close()
			return nil, nil, err
		}
		all = append(all, p)
	}
	f.IO.Step("")
	return all, set.Close, nil
}

func price(ctx context.Context, f *cmdutil.Factory, h *hosts.Host) (priced, error) {
	l, ws := f.Layout(), f.Workspace()
	fronted := wiring.Open(l.Wraps()).Fronted(ws, h.Name())
	src, err := h.Sources(ctx, ws, fronted)
	if err != nil {
		return priced{}, err
	}
	dir, _ := state.SafeDir(l, ws)
	cache := listing.OpenCache(dir, listing.KeyFile(l))
	g := gate.New(src)
	rules := &gateway.Rules{Gate: g, Baseline: baseline.Open(l.Baselines(), ws, nil)}
	var known []listing.Listing
	for _, s := range src.Servers {
		for _, name := range fronted {
			if s.Name != name {
				continue
			}
			rules.Servers = append(rules.Servers, s)
			if list, ok := cache.Any(s.Name, s.Fingerprint()); ok {
				known = append(known, list)
			}
		}
	}
	cfg, _ := config.Load(l, ws, f.Env)
	own, err := gateway.Preview(cfg, rules, known, tap.Open(l).Any())
	if err != nil {
		return priced{}, err
	}
	inv := surface.Price(src, surface.Pricing{
		Admits: g.Admits, Fronted: fronted, Gateway: &own,
		Listing: func(s surface.Server) (listing.Listing, bool) { return cache.Any(s.Name, s.Fingerprint()) },
	})
	return priced{h, src, inv}, nil
}
