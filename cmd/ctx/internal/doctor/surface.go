package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/leakage"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// surface says in a line what an audit of each host would: all that it finds is
// to be known, and what was written for the model to obey is a warning.
func (d *doctor) surface(ctx context.Context, names []string) {
	const name, hint = "surface", "ctx surface audit"
	s, err := survey.Take(ctx, d.f, survey.Options{Hosts: names})
	if err != nil {
		d.add("", name, Warn, err.Error(), hint)
		return
	}
	defer s.Close()
	for _, h := range s.Hosts {
		text, warn := sum(h.Inventory, s.Config.Surface.MaxStaticTokens)
		status := Note
		if warn {
			status = Warn
		}
		d.add(h.Name(), name, status, text, hint)
	}
}

// sum is what stands out in an inventory, and whether it is a warning.
func sum(inv inventory.Inventory, budget int) (text string, warn bool) {
	parts := []string{fmt.Sprintf("%d tokens in every request of a budget of %d", inv.Total.Resident, budget)}
	warn = inv.Total.Resident > budget
	part := func(n int, one, more string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, more))
		}
	}
	powerful, unmeasured := 0, 0
	for _, r := range inv.Records {
		switch {
		case r.Own || r.Standing == inventory.Off:
		case r.Kind == surface.KindTool && r.Use.Unused() && r.Authority.Tier >= authority.RemoteWrite:
			powerful++
		case r.Kind == surface.KindServer && r.Unmeasured != "":
			unmeasured++
		}
	}
	part(powerful, "powerful tool unused", "powerful tools unused")
	part(len(inv.Graph().Broken), "need that nothing answers to", "needs that nothing answers to")
	part(unmeasured, "server unmeasured", "servers unmeasured")
	for _, k := range inv.Leakage() {
		switch k.Kind {
		case leakage.ExcessiveAuthority, leakage.CapabilityMention, leakage.UnrelatedDomain:
			// These say what could be left out, not that something is wrong.
		default:
			part(k.Found, "finding of "+string(k.Kind), "findings of "+string(k.Kind))
			warn = warn || k.Found > 0
		}
	}
	return strings.Join(parts, "; "), warn
}
