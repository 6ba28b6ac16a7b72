package surface

import (
	"cmp"
	"slices"
)

// KindCost is what all records of one kind cost together.
type KindCost struct {
	Kind  Kind `json:"kind"`
	Count int  `json:"count"`
	Cost  Cost `json:"cost"`
}

// Total is what the host loads, all kinds together and its own words around
// them, as far as it is measured.
func (inv Inventory) Total() Cost {
	sum := inv.Around()
	for _, k := range inv.Kinds() {
		sum = sum.Plus(k.Cost)
	}
	return sum
}

// Around is what the host's own words around servers and items cost.
func (inv Inventory) Around() Cost {
	var sum Cost
	for _, f := range inv.Frames {
		sum = sum.Plus(f.Cost)
	}
	return sum
}

// Kinds sums by kind, the heaviest in resident tokens first. What the host does
// not load does not count; a server counts with its instructions, its tools are
// a kind of their own.
func (inv Inventory) Kinds() []KindCost {
	by := make(map[Kind]*KindCost)
	add := func(k Kind, c Cost) {
		if by[k] == nil {
			by[k] = &KindCost{Kind: k}
		}
		by[k].Count++
		by[k].Cost = by[k].Cost.Plus(c)
	}
	for _, s := range inv.Servers {
		if s.Standing == Loaded {
			own := s.Cost
			for _, t := range s.Tools {
				add(KindTool, t.Cost)
				own = own.less(t.Cost)
			}
			add(KindServer, own)
		}
	}
	for _, it := range inv.Items {
		if it.NotLoaded == "" {
			add(it.Kind, it.Cost)
		}
	}
	kinds := make([]KindCost, 0, len(by))
	for _, k := range by {
		kinds = append(kinds, *k)
	}
	slices.SortFunc(kinds, func(a, b KindCost) int {
		return cmp.Or(cmp.Compare(b.Cost.Resident, a.Cost.Resident), cmp.Compare(a.Kind, b.Kind))
	})
	return kinds
}

// Heaviest returns the measured servers of one standing, those first that would
// cost the most resident tokens if the host loaded them.
func (inv Inventory) Heaviest(st Standing) []PricedServer {
	var found []PricedServer
	for _, s := range inv.Servers {
		if s.Standing == st && s.Unmeasured == "" {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b PricedServer) int {
		return cmp.Or(cmp.Compare(b.Direct.Resident, a.Direct.Resident), cmp.Compare(a.Name, b.Name))
	})
	return found
}

// Unmeasured returns the servers that the host loads or that are held back and
// whose price is not known.
func (inv Inventory) Unmeasured() []PricedServer {
	var found []PricedServer
	for _, s := range inv.Servers {
		if s.Standing != Off && s.Unmeasured != "" {
			found = append(found, s)
		}
	}
	return found
}
