package surface

import (
	"fmt"

	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// pruned is how something stands that ctx prune has taken out.
const pruned inventory.Standing = "pruned"

// recorded is what the receipt of ctx prune tells of something that no inventory
// sees any more.
func recorded(d prune.Decision) *inventory.Record {
	r := &inventory.Record{
		ID: d.ID, Kind: d.Kind, Provider: d.Provider, Name: d.Name, Place: surface.Place{File: d.File, Line: 1},
		Standing: pruned, Direct: surface.Cost{Resident: d.Tokens},
	}
	for l := inventory.L0; l <= inventory.L4; l++ {
		if l.String() == d.Level {
			r.Level = l
		}
	}
	if d.Keep {
		r.Standing, r.Why = inventory.NotLoaded, "it is not there any more"
	}
	return r
}

// verdict is what was decided about a record, by whom, and how to undo it.
func verdict(d prune.Decision) (what, text string) {
	by := "the user"
	if d.By == prune.ByRule {
		by = "rule"
	}
	text = fmt.Sprintf("by %s, %s: %s", by, d.At.Local().Format("2006-01-02 15:04"), d.Why)
	if d.Keep {
		return "kept", text
	}
	where := "switched off in the host's files"
	if d.Where == prune.AtGateway {
		where = "not shown by ctx-gateway"
	}
	return "pruned", fmt.Sprintf("%s; %s. Back with: ctx prune --apply --keep %s, or all of it: ctx prune --undo", text, where, d.ID)
}
