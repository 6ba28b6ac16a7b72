// Package advisory words what a model is told of its own surface, once per
// conversation: facts with numbers, never an order and never a description.
package advisory

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// Most is the longest advisory in bytes, all of them ASCII. It leaves room
// below the limit of any host, and of 300 tokens for names that cost more than
// a token for four bytes.
const Most = 1000

// Facts are what an advisory is made of. Names must have passed the gate.
type Facts struct {
	Inventory surface.Inventory
	Budget    int  // tokens, surface.max_static_tokens
	Gateway   bool // the host loads ctx-gateway here

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
func Text(f Facts) string {
	total := f.Inventory.Total().Resident
	unmeasured := names(f.named(f.Inventory.Unmeasured()))
	atLeast := ""
	if len(unmeasured) > 0 {
		atLeast = "at least "
	}
	w := writer{}
	if total <= f.Budget {
		w.line("ctx: tools, skills and instructions take %s%s tokens of every request here; the budget is %s.",
			atLeast, number(total), number(f.Budget))
	} else {
		w.line("ctx: tools, skills and instructions take %s%s tokens of every request here; the budget (surface.max_static_tokens) is %s.",
			atLeast, number(total), number(f.Budget))
		w.line("Heaviest kinds: %s.", kinds(f.Inventory))
		if heavy := f.named(f.Inventory.Heaviest(surface.Loaded)); len(heavy) > 0 {
			w.line("Heaviest servers: %s.", servers(heavy))
		}
		if held := f.named(f.Inventory.Heaviest(surface.HeldBack)); len(held) > 0 {
			w.line("Held back by ctx-gateway, found by tool_search: %s.", servers(held))
		}
		if len(unmeasured) > 0 {
			w.line("Not measured: %s.", list(unmeasured))
		}
		if line := cheaper(f); line != "" {
			w.line("%s", line)
		}
	}
	if len(f.Beside) > 0 {
		w.line("Loaded beside ctx-gateway since the last ctx wrap: %s.", list(f.Beside))
	}
	if len(f.Waiting) > 0 {
		w.line("Not started until the user runs ctx trust approve: %s.", list(f.Waiting))
	}
	if len(f.Unreadable) > 0 {
		w.line("Configuration not read in full: %s; ctx doctor says why.", list(places(f.Unreadable)))
	}
	return w.String()
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

func servers(of []surface.PricedServer) string {
	parts := make([]string, len(of))
	for i, s := range of {
		parts[i] = fmt.Sprintf("%s %s tokens (%d tools)", Name(s.Name), number(s.Direct.Resident), len(s.Tools))
	}
	return some(parts)
}

func list(named []string) string {
	parts := make([]string, len(named))
	for i, n := range named {
		parts[i] = Name(n)
	}
	return some(parts)
}

func some(parts []string) string {
	const most = 4
	if len(parts) <= most {
		return strings.Join(parts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(parts[:most], ", "), len(parts)-most)
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

// Name makes a name fit for a sentence: ASCII, short, and nothing in it that
// could end the sentence or start another.
func Name(s string) string {
	const most = 32
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		case strings.ContainsRune("._:/@+-", r):
			return r
		}
		return '_'
	}, s)
	if len(s) > most {
		s = s[:most-3] + "..."
	}
	if s == "" {
		return "_"
	}
	return s
}

// number groups thousands: 12,345.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// writer takes lines as long as they fit; one that does not is left out whole.
type writer struct{ b strings.Builder }

func (w *writer) line(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if w.b.Len() > 0 {
		s = "\n" + s
	}
	if w.b.Len()+len(s) <= Most {
		w.b.WriteString(s)
	}
}

func (w *writer) String() string { return w.b.String() }
