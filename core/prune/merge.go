package prune

import (
	"cmp"
	"slices"

	"github.com/ctx-sidecar/ctx/core/inventory"
)

// Standing are the choices that a user made earlier and that still hold.
func (h *HostReceipt) Standing() Choices {
	c := Choices{}
	if h == nil {
		return c
	}
	for _, d := range h.Decisions {
		if d.By == ByUser && d.Why == chosen {
			c[d.ID] = d.Keep
		}
	}
	return c
}

// chosen is why a capability stays or goes that the user named.
const chosen = "chosen by the user"

// Carry adds to new decisions what was pruned earlier and cannot be seen any
// more, for it is not there: it stays pruned unless the user now keeps it. What
// is decided as before keeps its time and what was counted then. The order is
// that of [Kinds], then of ids.
func (h *HostReceipt) Carry(now []Decision, choices Choices) []Decision {
	if h == nil {
		h = &HostReceipt{}
	}
	out := slices.Clone(now)
	seen := make(map[string]int, len(out))
	for i := range out {
		seen[out[i].ID] = i
	}
	for _, old := range h.Decisions {
		if i, there := seen[old.ID]; there {
			new := out[i]
			same := new.Keep == old.Keep && new.By == old.By && new.Where == old.Where
			if same && (!old.Keep || new.Why == old.Why) {
				out[i] = old
			}
			continue
		}
		if !old.Keep && choices[old.ID] {
			old.Keep, old.By, old.Why, old.Where = true, ByUser, chosen, ""
		}
		if !old.Keep || old.By == ByUser {
			out = append(out, old)
		}
	}
	slices.SortStableFunc(out, func(a, b Decision) int {
		return cmp.Or(cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// Notable are the decisions that a receipt keeps: what goes, and what stays
// although the rule would have it go or because the user said so.
func Notable(all []Decision) []Decision {
	return slices.DeleteFunc(slices.Clone(all), func(d Decision) bool {
		return d.Keep && d.By == ByRule && d.Level < inventory.L2.String()
	})
}
