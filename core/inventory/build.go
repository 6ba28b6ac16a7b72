package inventory

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/leakage"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Input is what an inventory is made of.
type Input struct {
	Title   string // of the host: "not loaded by TITLE"
	Sources surface.Sources
	Priced  surface.Inventory // of the same sources

	// Uses is what was seen of use; nil: nothing could see any.
	Uses *Uses

	// Others are files that tools other than the host read.
	Others []surface.Item

	// Workspace is what the work is. nil: texts are not looked into for leaks.
	Workspace *leakage.Workspace

	// Text returns what a prose says; nil: no prose is looked into.
	Text func(surface.Item) (string, bool)
}

// Build makes the inventory of a host.
func Build(in Input) Inventory {
	inv := Inventory{
		Host: in.Sources.Host, Loading: in.Sources.Loading, Families: surface.FamiliesVersion,
		Total: in.Priced.Total(), Kinds: in.Priced.Kinds(), Around: []Around{},
		Unseen:   append([]string{kernelUnseen}, in.Sources.Unseen...),
		Warnings: append([]string{}, in.Sources.Warnings...),
	}
	for _, f := range in.Priced.Frames {
		inv.Around = append(inv.Around, Around{f.Kind, f.Cost})
	}
	for _, s := range in.Priced.Servers {
		inv.Records = append(inv.Records, serverRecords(s)...)
	}
	for _, it := range in.Priced.Items {
		inv.Records = append(inv.Records, itemRecord(it, in))
	}
	for _, it := range in.Others {
		it.NotLoaded = "not loaded by " + in.Title
		inv.Records = append(inv.Records, itemRecord(surface.PricedItem{Item: it}, in))
	}
	name(inv.Records)
	if in.Uses != nil {
		inv.Unseen = append(inv.Unseen, in.Uses.Unseen...)
		in.Uses.count(inv.Records)
	}
	if in.Uses == nil || in.Uses.Sessions == 0 {
		inv.Unseen = append(inv.Unseen, "use: no session of this host was seen in this workspace, so nothing counts as unused")
	}
	judge(inv.Records, in.Workspace)
	levels(inv.Records)
	relate(inv.Records, in.Sources.ToolName)
	slices.SortStableFunc(inv.Records, func(a, b Record) int {
		return cmp.Or(cmp.Compare(b.Cost.Resident, a.Cost.Resident), cmp.Compare(b.Direct.Resident, a.Direct.Resident), cmp.Compare(a.ID, b.ID))
	})
	return inv
}

// kernelUnseen is what no file tells.
const kernelUnseen = "the host's own system prompt and built-in tools, agents and skills: they are in the program, not in any file"

func serverRecords(s surface.PricedServer) []Record {
	st, why := Standing(s.Standing), ""
	switch st {
	case HeldBack:
		why = "behind ctx-gateway"
	case Off:
		why = "switched off by the user"
	}
	server := Record{
		Kind: surface.KindServer, Provider: string(s.Scope), Name: s.Name, Place: s.Place, Standing: st, Why: why,
		Direct: s.Words, Unmeasured: s.Unmeasured, Own: s.Own, text: s.Instructions, denied: s.Denied,
	}
	if st == Loaded {
		server.Cost = s.Words
	}
	records := []Record{server}
	for _, t := range s.Tools {
		r := Record{
			Kind: surface.KindTool, Provider: s.Name, Name: t.Name, Place: s.Place, Standing: st, Why: why,
			Direct: t.Cost, Own: s.Own, Unsent: unsent(t.Definition.Raw),
			Family:   surface.FamilyOf(s.Name, t.Name, t.Definition.Description),
			Provides: provides(t.Name), Says: sentence(t.Definition.Description), definition: t.Definition.Raw,
		}
		if st == Loaded {
			r.Cost = t.Cost
		}
		records = append(records, r)
	}
	return records
}

// sentence is the first one of a text.
func sentence(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, ". ")
	return text
}

// unsent is the bytes of a definition's fields that no request carries.
func unsent(raw json.RawMessage) int {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return 0
	}
	n := 0
	for k, v := range fields {
		switch k {
		case "name", "description", "inputSchema":
		default:
			n += len(k) + len(v)
		}
	}
	return n
}

func itemRecord(it surface.PricedItem, in Input) Record {
	r := Record{
		Kind: it.Kind, Provider: it.Provider, Name: it.Name, Place: it.Place, Standing: Loaded,
		Cost: it.Cost, Direct: it.Cost, Unmeasured: it.Unmeasured,
	}
	if it.NotLoaded != "" {
		r.Standing, r.Why = NotLoaded, it.NotLoaded
		r.Cost, r.Direct = surface.Cost{}, surface.Cost{}
	}
	if r.Prose() && r.Standing == Loaded && in.Text != nil {
		if text, ok := in.Text(it.Item); ok {
			r.text = text
		}
	}
	return r
}

// name gives the records their ids, and a number to those that share one.
func name(records []Record) {
	seen := make(map[string]int, len(records))
	for i := range records {
		r := &records[i]
		if r.Place.Line == 0 {
			r.Place.Line = 1
		}
		r.ID = ID(r.Kind, r.Provider, r.Name)
		seen[r.ID]++
		if n := seen[r.ID]; n > 1 {
			r.ID += "#" + itoa(n)
		}
	}
}

// ID is "kind:provider:name". A ":" within the provider stands as "/", so that an
// id can be taken apart.
func ID(kind surface.Kind, provider, name string) string {
	return string(kind) + ":" + strings.ReplaceAll(provider, ":", "/") + ":" + name
}
