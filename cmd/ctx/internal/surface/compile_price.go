package surface

import (
	"cmp"
	"slices"

	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Saving is what is in every request, in tokens, three ways.
type Saving struct {
	// Before is where the host loads every server itself.
	Before int `json:"before"`
	// Config is with the compiled files.
	Config      int `json:"config"`
	SavedConfig int `json:"saved_config"`
	// Gateway is with ctx-gateway in place of the servers, under the profile.
	Gateway      int `json:"gateway"`
	SavedGateway int `json:"saved_gateway"`
	// Unmeasured are servers that were never listed, which nobody can count.
	Unmeasured []string `json:"unmeasured"`
}

// price prices the three by the calculation that everything else is priced by.
func (c *compiler) price() error {
	loads, _ := c.set.Loads(c.f, c.host) // what is wrong with what is known is among the warnings
	loads.Fronted = nil
	priced := func(s surface.Sources) surface.Inventory {
		l := loads
		l.Sources = s
		return inventory.Price(l)
	}
	all := c.host.Sources
	all.Servers = slices.DeleteFunc(slices.Clone(all.Servers), func(s surface.Server) bool { return s.Own || s.Disabled })
	before := priced(all)
	config := c.kept(all)

	fronted := config
	fronted.Items = all.Items // the gateway holds back tools alone
	own, err := c.set.Kernel(c.f, loads, config.Servers, gate.New(config).Under(c.profile))
	if err != nil {
		return err
	}
	fronted.Servers = append(slices.Clone(config.Servers), surface.Server{
		Name: cmp.Or(c.host.Description.GatewayName, "ctx"), Transport: surface.Stdio, Own: true, Eager: true,
	})
	behind := loads
	behind.Sources, behind.Fronted, behind.Gateway = fronted, c.picked.Servers, &own

	t := Saving{
		Before: before.Total().Resident, Config: priced(config).Total().Resident,
		Gateway: inventory.Price(behind).Total().Resident, Unmeasured: []string{},
	}
	t.SavedConfig, t.SavedGateway = t.Before-t.Config, t.Before-t.Gateway
	for _, s := range before.Unmeasured() {
		t.Unmeasured = append(t.Unmeasured, s.Name)
	}
	c.out.Tokens = t
	return nil
}

// kept is what the host loads with the compiled files.
func (c *compiler) kept(s surface.Sources) surface.Sources {
	out := s
	out.Servers, out.Items = nil, nil
	for _, srv := range s.Servers {
		if slices.Contains(c.picked.Servers, srv.Name) {
			srv.DisabledTools = append(slices.Clone(srv.DisabledTools), c.picked.Deny[srv.Name]...)
			out.Servers = append(out.Servers, srv)
		} else if slices.Contains(c.out.Beside, srv.Name) {
			out.Servers = append(out.Servers, srv)
		}
	}
	for _, it := range s.Items {
		if !slices.Contains(c.out.Off, inventory.ID(it.Kind, it.Provider, it.Name)) {
			out.Items = append(out.Items, it)
		}
	}
	return out
}
