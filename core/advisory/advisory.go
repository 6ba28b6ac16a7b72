// Package advisory words what a model is told of its own surface, once per
// conversation: facts with numbers, never an order and never a description.
package advisory

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Facts are what an advisory is made of. Names must have passed the gate.
type Facts struct {
	Inventory surface.Inventory
	Budget    int  // tokens, surface.max_static_tokens
	Gateway   bool // the host loads ctx-gateway here

	// Standout finds what is unused although it could do much, and what is
	// broken, at most most of each kind; nil: nobody looks. It takes time and is
	// only called where the advisory is given in full.
	Standout func(most int) inventory.Standout

	// Nameless reports whether a server must not be named, although it counts;
	// nil: none.
	Nameless func(server string) bool

	Beside  []string // servers that came after wrap and are loaded beside the gateway
	Waiting []string // servers that wait for the user's approval

	// Unreadable are configuration files that could not be followed in full,
	// "FILE:LINE: what" or "FILE:LINE:COLUMN: what".
	Unreadable []string
}

// Text is the advisory: in full where the measured total is above the budget,
// else one line, and a line for each thing that the user would want to know of.
// It is ASCII and within [Most] and [MostTokens].
func Text(f Facts) string {
	total := f.Inventory.Total().Resident
	unmeasured := names(f.named(f.Inventory.Unmeasured()))
	atLeast := ""
	if len(unmeasured) > 0 {
		atLeast = "at least "
	}
	var w writer
	setting := ""
	if total > f.Budget {
		setting = " (surface.max_static_tokens)"
	}
	w.line("ctx: tools, skills and instructions take %s%s tokens of every request here; the budget%s is %s.",
		atLeast, number(total), setting, number(f.Budget))
	if total > f.Budget {
		w.full(f, unmeasured)
	}
	w.list("Loaded beside ctx-gateway since the last ctx wrap: %s.", named(f.Beside), false)
	w.list("Not started until the user runs ctx trust approve: %s.", named(f.Waiting), false)
	w.list("Configuration not read in full: %s; ctx doctor says why.", named(places(f.Unreadable)), false)
	return w.String()
}

// full is what is said above the budget.
func (w *writer) full(f Facts, unmeasured []string) {
	path := cheaper(f)
	w.reserve(path)
	w.line("Heaviest kinds: %s.", kinds(f.Inventory))
	w.list("Heaviest servers: %s.", servers(f.named(f.Inventory.Heaviest(surface.Loaded))), false)
	w.list("Held back by ctx-gateway, found by tool_search: %s.", servers(f.named(f.Inventory.Heaviest(surface.HeldBack))), false)
	w.list("Not measured: %s.", named(unmeasured), false)
	if f.Standout != nil {
		const most = 4
		s := f.Standout(most)
		w.list("Able to change things elsewhere or to destroy, and in no call on record: %s.", named(f.admitted(s.Unused)), s.More)
		w.list("References that nothing answers to: %s.", edges(s.Broken), len(s.Broken) == most)
	}
	w.release()
	w.line("%s", path)
}

// admitted leaves out the tools, "server:tool", of servers that must not be named.
func (f Facts) admitted(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		server, _, _ := strings.Cut(id, ":")
		return f.Nameless != nil && f.Nameless(server)
	})
}

// named leaves out the servers that must not be named.
func (f Facts) named(of []surface.PricedServer) []surface.PricedServer {
	return slices.DeleteFunc(of, func(s surface.PricedServer) bool {
		return !s.Own && f.Nameless != nil && f.Nameless(s.Name)
	})
}

// cheaper names the way to a smaller surface, as the fact that it exists.
func cheaper(f Facts) string {
	avoidable := 0
	for _, s := range f.Inventory.Servers {
		if s.Standing == surface.Loaded && !s.Own {
			avoidable += s.Cost.Resident
		}
	}
	switch {
	case avoidable > 0 && !f.Gateway:
		return fmt.Sprintf("A cheaper path for the user: ctx wrap setup --gateway would hold back %s of these tokens.", number(avoidable))
	default:
		return "A cheaper path for the user: ctx surface audit lists what can be left out."
	}
}

func kinds(inv surface.Inventory) string {
	const most = 3
	var parts []string
	for _, k := range inv.Kinds() {
		if len(parts) == most || k.Cost.Resident == 0 {
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s (%d)", Name(string(k.Kind)), number(k.Cost.Resident), k.Count))
	}
	return strings.Join(parts, ", ")
}

func servers(of []surface.PricedServer) []piece {
	parts := make([]piece, len(of))
	for i, s := range of {
		parts[i] = name(s.Name).and(fmt.Sprintf(" %s tokens (%d tools)", number(s.Direct.Resident), len(s.Tools)))
	}
	return parts
}

// edges are "what is meant in FILE:LINE".
func edges(of []inventory.Edge) []piece {
	parts := make([]piece, len(of))
	for i, e := range of {
		place := fmt.Sprintf("%s:%d", filepath.Base(e.Place.File), e.Place.Line)
		parts[i] = name(e.Text).and(" in ").plus(name(place))
	}
	return parts
}

func names(of []surface.PricedServer) []string {
	found := make([]string, 0, len(of))
	for _, s := range of {
		if !s.Own { // what the gateway costs is ours to know, not the user's to measure
			found = append(found, s.Name)
		}
	}
	return found
}

// places shortens "DIR/FILE:LINE:COLUMN: what" to "FILE:LINE:COLUMN".
func places(of []string) []string {
	found := make([]string, len(of))
	for i, s := range of {
		place, _, _ := strings.Cut(s, ": ")
		found[i] = filepath.Base(place)
	}
	return found
}
