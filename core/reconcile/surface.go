package reconcile

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Surface is the tools of one host in one workspace, by family. The zero Surface
// has none.
type Surface struct {
	Families []Family // the heaviest first

	tools map[toolKey]tool
}

// Family is the tools of one family.
type Family struct {
	Name    surface.Family
	Tokens  int      // what they cost where the host loads them all
	Tools   []string // their ids, "server:tool"
	Servers []string
	Behind  []string // those of Tools that are behind ctx-gateway

	// Kept says why the family is never hidden, "" where it may be.
	Kept string
}

type toolKey struct{ server, tool string }

type tool struct {
	family surface.Family
	tier   authority.Tier
}

// Of is the surface that an inventory has, as far as the host loads it or the
// gateway holds it back. ctx's own tools are no part of it.
func Of(inv inventory.Inventory, cfg config.Gateway) Surface {
	s := Surface{tools: make(map[toolKey]tool)}
	by := make(map[surface.Family]*Family)
	for _, r := range inv.Records {
		if r.Kind != surface.KindTool || r.Own || r.Standing == inventory.Off || r.Standing == inventory.NotLoaded {
			continue
		}
		t := tool{family: r.Family, tier: authority.RemoteWrite}
		if r.Authority != nil {
			t.tier = r.Authority.Tier
		}
		s.tools[toolKey{r.Provider, r.Name}] = t
		f := by[r.Family]
		if f == nil {
			f = &Family{Name: r.Family}
			by[r.Family] = f
		}
		id := r.Provider + ":" + r.Name
		f.Tokens += r.Direct.Resident + r.Direct.Deferred
		f.Tools = append(f.Tools, id)
		if r.Standing == inventory.HeldBack {
			f.Behind = append(f.Behind, id)
		}
		if !slices.Contains(f.Servers, r.Provider) {
			f.Servers = append(f.Servers, r.Provider)
		}
		f.keep(pinned(r, cfg))
	}
	s.require(inv, by)
	for _, f := range by {
		slices.Sort(f.Tools)
		slices.Sort(f.Behind)
		slices.Sort(f.Servers)
		s.Families = append(s.Families, *f)
	}
	slices.SortFunc(s.Families, func(a, b Family) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Name, b.Name))
	})
	return s
}

func (f *Family) keep(why string) {
	if f.Kept == "" {
		f.Kept = why
	}
}

// pinned says how the settings keep a tool in sight.
func pinned(r inventory.Record, cfg config.Gateway) string {
	id := r.Provider + ":" + r.Name
	for _, pin := range cfg.Pin {
		if ok, _ := path.Match(pin, id); ok || pin == id {
			return "pinned by gateway.pin: " + pin
		}
	}
	for _, whole := range cfg.FamiliesWhole {
		words := append(surface.Words(r.Provider), surface.Words(r.Name)...)
		if strings.EqualFold(whole, string(r.Family)) || slices.Contains(words, strings.TrimSuffix(strings.ToLower(whole), "s")) {
			return "named by gateway.families_whole: " + whole
		}
	}
	return ""
}

// require keeps the families that a prose refers to which the host loads.
func (s Surface) require(inv inventory.Inventory, by map[surface.Family]*Family) {
	of := make(map[string][]surface.Family) // of each tool and server, by id
	for _, r := range inv.Records {
		if r.Kind == surface.KindTool && by[r.Family] != nil {
			of[r.ID] = append(of[r.ID], r.Family)
		}
	}
	for _, r := range inv.Records {
		if r.Kind != surface.KindServer {
			continue
		}
		for k, t := range s.tools {
			if k.server == r.Name {
				of[r.ID] = append(of[r.ID], t.family)
			}
		}
	}
	for _, r := range inv.Records {
		if !r.Prose() || r.Standing != inventory.Loaded {
			continue
		}
		for _, n := range r.Requires {
			for _, f := range of[n.ID] {
				by[f].keep(fmt.Sprintf("%s refers to %s", r.ID, n.Text))
			}
		}
	}
}

// tool is what is known of a tool, by its name alone where the surface has none
// of that name.
func (s Surface) tool(server, name string) tool {
	if t, ok := s.tools[toolKey{server, name}]; ok {
		return t
	}
	return tool{surface.FamilyOf(server, name, ""), authority.Judge(server, authority.Definition{Name: name}).Tier}
}

// FamilyOf is the family of a tool that was called.
func (s Surface) FamilyOf(server, tool string) surface.Family { return s.tool(server, tool).family }
