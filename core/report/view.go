package report

import (
	"cmp"
	"crypto/sha256"
	_ "embed" // for the parts of the page
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

//go:embed page.html.tmpl
var markup string

// page escapes every text for the place in which it stands.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"group": group, "counted": counted,
	"plus":  func(a, b int) int { return a + b },
	"minus": func(a, b int) int { return a - b },
	"line":  func(i int) string { return units(line + line*float64(i)) },
}).Parse(markup))

// view is a page in the words that it shows.
type view struct {
	Generator       string
	Policy          string // the content security policy
	Style           template.CSS
	Script          template.JS
	Workspace, Made string
	Tokenizer       string
	Rows, Records   int
	Most            int // rows of a page
	Measures        any
	Tiers, Uses     []Mark
	Hosts           []*hostView
}

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

// findings are those of one kind.
type findings struct {
	Kind, Title string
	All         int
	Shown       []Finding
}

func newView(p Page) view {
	v := view{
		Generator: Generator, Workspace: plain(p.Workspace), Made: p.Made.Format("2 January 2006, 15:04 MST"), Tokenizer: p.Tokenizer, Most: MostRows,
		Style: template.CSS(style), Script: template.JS(script), Measures: measures, Tiers: tiers, Uses: uses,
		Policy: fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", source(style), source(script)),
	}
	for i, h := range p.Hosts {
		hv := newHostView(i, h, p.Budget, MostRows/len(p.Hosts))
		v.Rows += len(hv.Rows)
		v.Records += len(hv.records)
		v.Hosts = append(v.Hosts, hv)
	}
	return v
}

// source names the one style or script that a page may have.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
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
	found := make(map[string][]string)
	for _, f := range h.Findings {
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
	for m := range measures {
		v.Maps = append(v.Maps, newTreemap(v, m))
	}
	for _, k := range h.Kinds {
		unknown := slices.ContainsFunc(h.Records, func(r inventory.Record) bool { return r.Kind == k.Kind && r.Unmeasured != "" })
		v.Kinds = append(v.Kinds, kindRow{string(k.Kind), k.Count, k.Cost, percent(k.Cost.Resident, h.Total.Resident), unknown})
	}
	for _, a := range h.Around {
		v.Kinds = append(v.Kinds, kindRow{"host’s words around every " + string(a.Kind), 0, a.Cost, percent(a.Cost.Resident, h.Total.Resident), false})
	}
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
		return "Only the names of MCP tools are sent; the host’s own search loads a schema when it thinks fit."
	case surface.ServerLines:
		return "One line for each MCP server is sent; the host’s own search loads names and schemas when it thinks fit."
	}
	return "How the host loads MCP tools is not known: " + plain(string(l))
}

// titles say what a kind of finding means. A kind that is not here is called by
// its name.
var titles = map[string]string{
	"over_budget":           "Over the budget",
	"high_authority_unused": "Writes to the outside or destroys, and is never used",
	"never_used":            "In every request, and never used",
	"broken_dependency":     "Refers to what is not there",
	"not_measured":          "Its price is not known",
	"leakage":               "Gives something away, hides something or speaks to the model",
}

func words(kind string) string { return strings.ReplaceAll(plain(kind), "_", " ") }

// grouped puts findings of one kind together, in the order of their first.
func grouped(all []Finding) []findings {
	var out []findings
	at := make(map[string]int)
	for _, f := range all {
		i, ok := at[f.Kind]
		if !ok {
			i = len(out)
			at[f.Kind] = i
			title := cmp.Or(titles[f.Kind], words(f.Kind))
			out = append(out, findings{Kind: words(f.Kind), Title: title})
		}
		out[i].All++
		if len(out[i].Shown) < mostFindings {
			out[i].Shown = append(out[i].Shown, Finding{Kind: f.Kind, ID: plain(f.ID), Text: plain(f.Text), Hint: plain(f.Hint)})
		}
	}
	return out
}
