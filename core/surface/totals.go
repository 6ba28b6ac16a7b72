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

// Total is what the host loads, all kinds together, as far as it is measured.
func (inv Inventory) Total() Cost {
	var sum Cost
	for _, k := range inv.Kinds() {
		sum = sum.plus(k.Cost)
	}
	return sum
}

// Kinds sums by kind, the heaviest in resident tokens first. A server counts as
// KindServer, with its instructions and tools.
func (inv Inventory) Kinds() []KindCost {
	by := make(map[Kind]*KindCost)
	add := func(k Kind, c Cost) {
		if by[k] == nil {
			by[k] = &KindCost{Kind: k}
		}
		by[k].Count++
		by[k].Cost = by[k].Cost.plus(c)
	}
	for _, s := range inv.Servers {
		if s.Standing == Loaded {
			add(KindServer, s.Cost)
		}
	}
	for _, it := range inv.Items {
		add(it.Kind, it.Cost)
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
