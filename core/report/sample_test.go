package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// tool is a record of one tool, in tokens of every request.
func tool(server, name string, tokens int, tier authority.Tier) inventory.Record {
	cost := surface.Cost{Resident: tokens, Bytes: 4 * tokens}
	words, _, _ := strings.Cut(name, "_") // the verb
	return inventory.Record{
		ID: inventory.ID(surface.KindTool, server, name), Kind: surface.KindTool, Provider: server, Name: name,
		Place: surface.Place{File: "/home/ann/.config/host.json", Line: 7}, Standing: inventory.Loaded, Cost: cost, Direct: cost,
		Authority: &authority.Judgement{Tier: tier, Confidence: .9, Evidence: []authority.Claim{{Source: "name", Words: words, Tier: tier, Confidence: .9}}},
		Use:       inventory.Use{Measured: true, Of: 12},
	}
}

// text is a record that is read, not called.
func text(kind surface.Kind, from, name string, resident, demand int) inventory.Record {
	cost := surface.Cost{Resident: resident, Bytes: 4 * resident, OnDemand: demand, OnDemandBytes: 4 * demand}
	return inventory.Record{
		ID: inventory.ID(kind, from, name), Kind: kind, Provider: from, Name: name,
		Place: surface.Place{File: "/ws/" + name + ".md", Line: 1}, Standing: inventory.Loaded, Cost: cost, Direct: cost, Level: inventory.L1,
	}
}

// host is a host of these records.
func host(title string, records ...inventory.Record) Host {
	inv := inventory.Inventory{
		Host: title, Loading: surface.Eager, Records: records, Around: []inventory.Around{},
		Unseen: []string{"the host's own system prompt"},
	}
	kinds := map[surface.Kind]*surface.KindCost{}
	for _, r := range records {
		if kinds[r.Kind] == nil {
			kinds[r.Kind] = &surface.KindCost{Kind: r.Kind}
		}
		kinds[r.Kind].Count++
		kinds[r.Kind].Cost = kinds[r.Kind].Cost.Plus(r.Cost)
		inv.Total = inv.Total.Plus(r.Cost)
	}
	for _, k := range []surface.Kind{surface.KindTool, surface.KindServer, surface.KindSkill, surface.KindInstructions, surface.KindHook} {
		if kinds[k] != nil {
			inv.Kinds = append(inv.Kinds, *kinds[k])
		}
	}
	return Host{Title: title, Inventory: inv}
}

func pageOf(hosts ...Host) Page {
	return Page{Workspace: "/ws", Tokenizer: "bytes4", Budget: 8000, Made: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), Hosts: hosts}
}

// workshop is a host with something of everything.
func workshop() Host {
	var all []inventory.Record
	all = append(all,
		tool("github", "search_code", 410, authority.Read),
		tool("github", "create_issue", 520, authority.RemoteWrite),
		tool("github", "list_pull_requests", 300, authority.Read),
		tool("github", "merge_pull_request", 240, authority.RemoteWrite),
		tool("github", "delete_branch", 180, authority.Destructive),
		tool("files", "read_file", 350, authority.Read),
		tool("files", "write_file", 330, authority.LocalWrite),
		tool("files", "edit_file", 610, authority.LocalWrite),
		tool("files", "remove_tree", 205, authority.Destructive),
		text(surface.KindSkill, "user", "release-notes", 90, 1400),
		text(surface.KindSkill, "project", "migrate-database", 120, 3800),
		text(surface.KindInstructions, "project", "AGENTS", 1260, 0),
		text(surface.KindInstructions, "user", "CLAUDE", 440, 0),
		text(surface.KindHook, "user", "on-start", 380, 0),
	)
	for i := range 38 {
		r := tool("cloud", fmt.Sprintf("cloud_resource_%02d_describe", i), 30+3*i, authority.Read)
		r.Use = inventory.Use{}
		all = append(all, r)
	}
	for i := range all {
		r := &all[i]
		switch r.Name {
		case "search_code", "read_file", "edit_file":
			r.Use.Calls, r.Use.Sessions = 31, 7
		}
		if r.Kind == surface.KindTool {
			r.Level = inventory.L1
			if r.Authority.Tier > authority.Read && r.Use.Unused() {
				r.Level = inventory.Level(r.Authority.Tier) + 1
			}
		}
	}
	deferred := tool("browser", "navigate", 0, authority.RemoteWrite)
	deferred.Cost = surface.Cost{Deferred: 260, DeferredBytes: 1040}
	deferred.Direct = deferred.Cost
	all = append(all, deferred)
	held := tool("slack", "post_message", 0, authority.RemoteWrite)
	held.Standing, held.Why, held.Direct = inventory.HeldBack, "behind ctx-gateway", surface.Cost{Resident: 280}
	unknown := text(surface.KindServer, "user", "jira", 0, 0)
	unknown.Unmeasured = "it was never asked for its tools"
	other := text(surface.KindInstructions, "cursor", ".cursorrules", 0, 0)
	other.Standing, other.Why = inventory.NotLoaded, "not loaded by Workshop"
	all = append(all, held, unknown, other)
	h := host("Workshop", all...)
	h.Around = append(h.Around, inventory.Around{Kind: surface.KindSkill, Cost: surface.Cost{Resident: 160, Bytes: 640}})
	h.Total.Resident += 160
	h.Findings = []Finding{
		{Kind: "high_authority_unused", ID: "mcp_tool:github:delete_branch", Text: "destructive, and no call in 12 sessions", Hint: "ctx surface explain mcp_tool:github:delete_branch"},
		{Kind: "never_used", ID: "skill:user:release-notes", Text: "90 tokens in every request, and no use in 12 sessions", Hint: "hold it back"},
		{Kind: "not_measured", ID: "mcp_server:user:jira", Text: "its price is not known: it was never asked", Hint: "--probe-mcp"},
	}
	return h
}
