package report

import (
	"cmp"
	"slices"

	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Origin is where records come from together: a server with its tools, the
// skills of one scope or plugin.
type Origin struct {
	Name    string
	Records []int // in what Origins was given
	Cost    surface.Cost
	Highest Mark // authority
	Never   int  // records that are known not to have been used
	Unknown int  // records whose cost is not known, and not in Cost
}

// originOf names where a record comes from.
func originOf(r inventory.Record) string {
	switch r.Kind {
	case surface.KindTool:
		return r.Provider
	case surface.KindServer:
		return r.Name
	}
	return string(r.Kind) + " · " + r.Provider
}

// Origins gathers records by where they come from, the heaviest first.
func Origins(records []inventory.Record) []*Origin {
	by := make(map[string]*Origin)
	var all []*Origin
	for i, r := range records {
		name := originOf(r)
		o := by[name]
		if o == nil {
			o = &Origin{Name: plain(name), Highest: tiers[0]}
			by[name] = o
			all = append(all, o)
		}
		o.Records = append(o.Records, i)
		o.Cost = o.Cost.Plus(r.Cost)
		o.Highest = higher(o.Highest, tierOf(r))
		if r.Use.Unused() {
			o.Never++
		}
		if r.Unmeasured != "" {
			o.Unknown++
		}
	}
	slices.SortStableFunc(all, func(a, b *Origin) int {
		return cmp.Or(cmp.Compare(b.Cost.Resident, a.Cost.Resident), cmp.Compare(b.Cost.Deferred, a.Cost.Deferred),
			cmp.Compare(b.Cost.OnDemand, a.Cost.OnDemand), cmp.Compare(a.Name, b.Name))
	})
	return all
}
