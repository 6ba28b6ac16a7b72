package inventory

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// Graph is how the records of an inventory hang together.
type Graph struct {
	Families []FamilyCost `json:"families"`
	// Clusters are tools of different servers that say they do the same. That is
	// no proof that one can stand in for another.
	Clusters []Cluster `json:"redundancy_clusters"`
	Needs    []Edge    `json:"requires"`
	Broken   []Edge    `json:"broken_dependencies"`
}

// FamilyCost is what the tools of a family cost together.
type FamilyCost struct {
	Family surface.Family `json:"family"`
	Count  int            `json:"count"`
	Cost   surface.Cost   `json:"cost"`   // as things stand
	Direct surface.Cost   `json:"direct"` // if the host loaded them all
	IDs    []string       `json:"ids"`
}

// Cluster is the tools that provide one thing.
type Cluster struct {
	Provides string   `json:"provides"` // "verb object"
	IDs      []string `json:"ids"`
	Shadow   bool     `json:"shadow"` // always: nothing is decided by it
}

// Edge is one need of one record.
type Edge struct {
	From string `json:"from"`
	Need
}

// Graph relates the records.
func (inv Inventory) Graph() Graph {
	g := Graph{Families: []FamilyCost{}, Clusters: []Cluster{}, Needs: []Edge{}, Broken: []Edge{}}
	families := make(map[surface.Family]*FamilyCost)
	provided := make(map[string][]*Record)
	for i := range inv.Records {
		r := &inv.Records[i]
		for _, n := range r.Requires {
			e := Edge{r.ID, n}
			g.Needs = append(g.Needs, e)
			if n.Broken != "" {
				g.Broken = append(g.Broken, e)
			}
		}
		if r.Kind != surface.KindTool || r.Standing == Off || r.Own {
			continue
		}
		f := families[r.Family]
		if f == nil {
			f = &FamilyCost{Family: r.Family}
			families[r.Family] = f
		}
		f.Count++
		f.Cost, f.Direct = f.Cost.Plus(r.Cost), f.Direct.Plus(r.Direct)
		f.IDs = append(f.IDs, r.ID)
		for _, p := range r.Provides {
			provided[p] = append(provided[p], r)
		}
	}
	for _, f := range families {
		slices.Sort(f.IDs)
		g.Families = append(g.Families, *f)
	}
	slices.SortFunc(g.Families, func(a, b FamilyCost) int {
		return cmp.Or(cmp.Compare(b.Direct.Resident+b.Direct.Deferred, a.Direct.Resident+a.Direct.Deferred), cmp.Compare(a.Family, b.Family))
	})
	for _, p := range slices.Sorted(maps.Keys(provided)) {
		servers := make(map[string]bool)
		c := Cluster{Provides: p, Shadow: true}
		for _, r := range provided[p] {
			servers[r.Provider] = true
			c.IDs = append(c.IDs, r.ID)
		}
		if len(servers) > 1 {
			slices.Sort(c.IDs)
			g.Clusters = append(g.Clusters, c)
		}
	}
	return g
}
