package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// hostView is one host's part of it.
type hostView struct {
	N        int // tells its ids from those of other hosts
	Title    string
	Loading  string
	Budget   int
	Total    surface.Cost
	Fill     float64 // how much of the budget is used, 0 to 100
	Over     bool
	Held     surface.Cost // what the host would load if ctx did not hold it back
	HeldN    int
	Excess   int // tokens over the budget
	Trim     surface.Cost
	Trimmed  []proposal
	Maps     []treemap
	Kinds    []kindRow
	Origins  []originRow
	Rows     []row
	Left     int // records that are not listed
	Records  int
	Chips    []chip
	Findings []findings
	Unknown  []unknown
	Unseen   []string
	Warnings []string

	records []inventory.Record // the heaviest first
	around  []inventory.Around
	origins []*Origin
	listed  int
}

type kindRow struct {
	Kind  string
	Count int // 0 for the host's own words
	Cost  surface.Cost
	Part  float64 // of what is in every request, 0 to 100

	Unknown bool // the cost of some is not known, and not in Cost
}

type originRow struct {
	*Origin
	Left int // records that the page does not list
	Part float64
}

// proposal is a record that may go.
type proposal struct{ ID, Tier, Level string }

// chip is a search that is worth making.
type chip struct {
	Name, Query string
	N           int
}

// unknown is a record whose cost is not known.
type unknown struct {
	ID, Why string
}

func newHostView(n int, h Host, budget, most int) *hostView {
	v := &hostView{
		N: n, Title: plain(h.Title), Loading: loading(h.Loading), Budget: budget, Total: h.Total,
		Fill: percent(h.Total.Resident, budget), Over: h.Total.Resident > budget, Excess: h.Total.Resident - budget, Records: len(h.Records),
		records: slices.Clone(h.Records), around: h.Around,
	}
	slices.SortStableFunc(v.records, func(a, b inventory.Record) int {
		return cmp.Or(cmp.Compare(b.Cost.Resident, a.Cost.Resident), cmp.Compare(b.Cost.Deferred, a.Cost.Deferred),
			cmp.Compare(b.Direct.Resident+b.Direct.Deferred, a.Direct.Resident+a.Direct.Deferred),
			cmp.Compare(b.Cost.OnDemand, a.Cost.OnDemand), cmp.Compare(a.ID, b.ID))
	})
	v.listed = min(len(v.records), most)
	v.Left = len(v.records) - v.listed
	v.origins = Origins(v.records)
	of := make([]int, len(v.records))
	for i, o := range v.origins {
		shown := originRow{Origin: o, Part: percent(o.Cost.Resident, h.Total.Resident)}
		for _, r := range o.Records {
			of[r] = i
			if r >= v.listed {
				shown.Left++
			}
		}
		v.Origins = append(v.Origins, shown)
	}
	v.count(h.Findings, of)
	for _, m := range measures {
		v.Maps = append(v.Maps, newTreemap(v, m))
	}
	v.kinds(h.Inventory)
	v.Findings = grouped(h.Findings)
	v.Chips = v.chips()
	for _, u := range h.Unseen {
		v.Unseen = append(v.Unseen, plain(u))
	}
	for _, w := range h.Warnings {
		v.Warnings = append(v.Warnings, plain(w))
	}
	return v
}

// count makes the rows, and the sums of what is held back and may go. of is the
// origin of each record.
func (v *hostView) count(all []Finding, of []int) {
	found := make(map[string][]string)
	for _, f := range all {
		found[f.ID] = append(found[f.ID], words(f.Kind))
	}
	for i, r := range v.records {
		if r.Standing == inventory.HeldBack {
			v.HeldN++
			v.Held = v.Held.Plus(r.Direct)
		}
		if r.Trimmable() {
			v.Trimmed = append(v.Trimmed, proposal{plain(r.ID), tierOf(r).Word, r.Level.String()})
			v.Trim = v.Trim.Plus(r.Cost)
		}
		if r.Unmeasured != "" {
			v.Unknown = append(v.Unknown, unknown{plain(r.ID), plain(r.Unmeasured)})
		}
		if i < v.listed {
			v.Rows = append(v.Rows, newRow(r, of[i], found[r.ID]))
		}
	}
}

// kinds makes the rows of the table by kind.
func (v *hostView) kinds(inv inventory.Inventory) {
	for _, k := range inv.Kinds {
		unknown := slices.ContainsFunc(inv.Records, func(r inventory.Record) bool { return r.Kind == k.Kind && r.Unmeasured != "" })
		v.Kinds = append(v.Kinds, kindRow{string(k.Kind), k.Count, k.Cost, percent(k.Cost.Resident, inv.Total.Resident), unknown})
	}
	for _, a := range inv.Around {
		v.Kinds = append(v.Kinds, kindRow{"host’s words around every " + string(a.Kind), 0, a.Cost, percent(a.Cost.Resident, inv.Total.Resident), false})
	}
}

// TrimmedShown and UnknownShown are as many as a page lists.
func (v *hostView) TrimmedShown() []proposal { return v.Trimmed[:min(len(v.Trimmed), mostFindings)] }
func (v *hostView) UnknownShown() []unknown  { return v.Unknown[:min(len(v.Unknown), mostFindings)] }

// chips are the searches that find something in the table.
func (v *hostView) chips() []chip {
	all := []chip{
		{Name: "May go", Query: "may go"},
		{Name: "Never used", Query: "○ never"},
		{Name: "Destructive", Query: "destructive"},
		{Name: "Held back", Query: "held back"},
		{Name: "Price unknown", Query: "price unknown"},
		{Name: "Leakage", Query: "leakage"},
	}
	var found []chip
	for _, c := range all {
		for _, r := range v.Rows {
			if r.says(c.Query) {
				c.N++
			}
		}
		if c.N > 0 {
			c.Query = `"` + c.Query + `"`
			found = append(found, c)
		}
	}
	return found
}

func percent(part, whole int) float64 {
	if whole <= 0 {
		return 0
	}
	return math.Round(min(100, float64(part)*100/float64(whole))*100) / 100
}

func loading(l surface.Loading) string {
	switch l {
	case surface.Eager:
		return "Every tool schema is sent with every request."
	case surface.Deferred:
		return "Of MCP tools only the names are sent, unless their server is always loaded; the host’s own search loads a schema when it thinks fit."
	case surface.ServerLines:
		return "One line for each MCP server is sent; the host’s own search loads names and schemas when it thinks fit."
	}
	return "How the host loads MCP tools is not known: " + plain(string(l))
}
