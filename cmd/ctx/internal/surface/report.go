package surface

import (
	"fmt"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// noun is the schema of what the commands about a surface print as JSON.
const noun = "surface"

// Report is what ctx surface inventory and audit print with --json.
type Report struct {
	Command   string       `json:"command"`
	Workspace string       `json:"workspace"`
	Tokenizer string       `json:"tokenizer"`
	Budget    int          `json:"budget"` // tokens; surface.max_static_tokens
	Hosts     []HostReport `json:"hosts"`
}

// HostReport is one host's part; inventory leaves the findings out.
type HostReport struct {
	inventory.Inventory
	Title    string               `json:"title"`
	Profile  string               `json:"profile"` // that its gateway works under, "" for none
	Slices   []Slice              `json:"slices"`
	Probe    *survey.Probed       `json:"probe,omitempty"`
	Leakage  []inventory.LeakKind `json:"leakage"`
	Findings []Finding            `json:"findings,omitempty"`
	Pruned   int                  `json:"pruned"` // things that ctx prune has taken out
}

// Slice is one part of a request: what the records of one kind are, and what
// the host writes around them.
type Slice struct {
	Name   string       `json:"name"`
	Cost   surface.Cost `json:"cost"`
	Around surface.Cost `json:"around"`
}

func report(command string, s *survey.Set) Report {
	r := Report{Command: command, Workspace: s.Workspace, Tokenizer: s.Tokenizer, Budget: s.Config.Surface.MaxStaticTokens, Hosts: []HostReport{}}
	for _, h := range s.Hosts {
		r.Hosts = append(r.Hosts, HostReport{Inventory: h.Inventory, Title: h.Title(), Profile: h.Profile.Label(), Slices: slicesOf(h.Inventory), Leakage: h.Inventory.Leakage(), Probe: h.Probed, Pruned: len(s.Pruned.Pruned(h.Name()))})
	}
	return r
}

// sliceNames are the parts that a request is made of, by the kind of record.
var sliceNames = []struct {
	kind surface.Kind
	name string
}{
	{surface.KindTool, "mcp_tools"},
	{surface.KindServer, "server_instructions"},
	{surface.KindSkill, "skills"},
	{surface.KindCommand, "commands"},
	{surface.KindAgent, "agents"},
	{surface.KindInstructions, "instruction_files"},
}

func slicesOf(inv inventory.Inventory) []Slice {
	parts := []Slice{}
	for _, n := range sliceNames {
		p := Slice{Name: n.name}
		for _, k := range inv.Kinds {
			if k.Kind == n.kind {
				p.Cost = k.Cost
			}
		}
		for _, a := range inv.Around {
			if a.Kind == n.kind {
				p.Around = p.Around.Plus(a.Cost)
			}
		}
		parts = append(parts, p)
	}
	return parts
}

// blind prints what an inventory does not tell.
func blind(s *iostreams.Streams, inv inventory.Inventory) {
	for _, w := range inv.Warnings {
		fmt.Fprintf(s.Out, "  %s: %s\n", s.Yellow("not read"), iostreams.Clean(w))
	}
	for _, u := range inv.Unseen {
		fmt.Fprintf(s.Out, "  %s\n", s.Dim("not seen: "+iostreams.Clean(u)))
	}
}
