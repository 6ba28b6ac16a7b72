package surface

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Finding is one thing that could be better.
type Finding struct {
	// Kind is one of findingKinds.
	Kind string `json:"finding"`
	ID   string `json:"id,omitempty"` // of the record
	Text string `json:"text"`
	Hint string `json:"hint"`
}

// findingKinds are all that a finding can be.
var findingKinds = []string{"over_budget", "leakage", "high_authority_unused", "broken_dependency", "never_used", "not_measured"}

// find says what stands out in an inventory.
func find(inv inventory.Inventory, budget int) []Finding {
	found := []Finding{}
	if inv.Total.Resident > budget {
		found = append(found, Finding{
			Kind: "over_budget", Hint: "hold servers back: ctx wrap setup --gateway",
			Text: fmt.Sprintf("%d tokens are in every request; the budget is %d", inv.Total.Resident, budget),
		})
	}
	for _, r := range inv.Records {
		switch {
		case r.Own || r.Standing == inventory.Off || r.Standing == inventory.NotLoaded:
		case r.Kind == surface.KindServer && r.Unmeasured != "":
			found = append(found, Finding{
				Kind: "not_measured", ID: r.ID, Hint: "ctx surface inventory --probe-mcp asks it, once you trust it",
				Text: "its price is not known: " + r.Unmeasured,
			})
		case r.Kind == surface.KindTool && r.Use.Unused() && r.Authority.Tier >= authority.RemoteWrite:
			found = append(found, Finding{
				Kind: "high_authority_unused", ID: r.ID, Hint: "ctx prune takes out what nobody uses",
				Text: fmt.Sprintf("%s, and no call in %s", r.Authority.Tier, count(r.Use.Of, "session")),
			})
		case r.Standing == inventory.Loaded && r.Kind != surface.KindTool && r.Use.Unused() && weight(inv, r) > 0:
			found = append(found, Finding{
				Kind: "never_used", ID: r.ID, Hint: "hold it back, or switch it off in the host",
				Text: fmt.Sprintf("%d tokens in every request, and no use in %s", weight(inv, r), count(r.Use.Of, "session")),
			})
		}
	}
	found = append(found, leaks(inv)...)
	for _, e := range inv.Graph().Broken {
		found = append(found, Finding{
			Kind: "broken_dependency", ID: e.From, Hint: fmt.Sprintf("see %s:%d", e.Place.File, e.Place.Line),
			Text: fmt.Sprintf("refers to %s: %s", e.Text, e.Broken),
		})
	}
	return found
}

// leaks has a finding for each record whose texts give something away, the
// surest first. That something is unused is said elsewhere.
func leaks(inv inventory.Inventory) []Finding {
	type sure struct {
		Finding
		confidence float64
	}
	var all []sure
	for _, r := range inv.Records {
		if r.Standing == inventory.Off {
			continue
		}
		f := sure{Finding: Finding{Kind: "leakage", ID: r.ID, Hint: "ctx surface explain " + r.ID}}
		var texts []string
		for _, l := range r.Leaks {
			if l.Firm() && !l.Unused() {
				texts = append(texts, fmt.Sprintf("%s: %s (%s, %.2f)", l.Kind, l.What, where(l), l.Confidence))
				f.confidence = max(f.confidence, l.Confidence)
			}
		}
		const most = 3
		if n := len(texts) - most; n > 0 {
			texts = append(texts[:most], fmt.Sprintf("and %d more", n))
		}
		if f.Text = strings.Join(texts, "; "); f.Text != "" {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b sure) int { return cmp.Compare(b.confidence, a.confidence) })
	found := make([]Finding, len(all))
	for i, f := range all {
		found[i] = f.Finding
	}
	return found
}

// where says where a leak stands.
func where(l inventory.Leak) string {
	switch {
	case l.Line > 0:
		return fmt.Sprintf("line %d", l.Line)
	case l.Place.To > l.Place.From:
		return fmt.Sprintf("%s, bytes %d to %d", l.Place.Field, l.Place.From, l.Place.To)
	}
	return l.Place.Field
}

// weight is what leaving a record out would save in every request: of a server
// with its tools.
func weight(inv inventory.Inventory, r inventory.Record) int {
	n := r.Cost.Resident
	if r.Kind != surface.KindServer {
		return n
	}
	for _, t := range inv.Records {
		if t.Kind == surface.KindTool && t.Provider == r.Name {
			n += t.Cost.Resident
		}
	}
	return n
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
