package surface

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/tokens"
)

// Cost is a price in tokens.
type Cost struct {
	Resident int `json:"resident"`  // in every request
	Deferred int `json:"deferred"`  // loaded by the host when it thinks fit
	OnDemand int `json:"on_demand"` // read when used

	// Bytes is the UTF-8 text behind Resident, before any rounding.
	Bytes int `json:"resident_bytes"`
}

func (c Cost) plus(d Cost) Cost {
	return Cost{c.Resident + d.Resident, c.Deferred + d.Deferred, c.OnDemand + d.OnDemand, c.Bytes + d.Bytes}
}

// Standing is what a host does with a server.
type Standing string

const (
	Loaded   Standing = "loaded"
	HeldBack Standing = "held back" // behind ctx-gateway
	Off      Standing = "off"       // the user switched it off
)

// PricedServer is a server and what it costs. One without a listing has no
// price: Unmeasured says why, and Cost is zero.
type PricedServer struct {
	Name       string       `json:"name"`
	Scope      Scope        `json:"scope"`
	Standing   Standing     `json:"standing"`
	Own        bool         `json:"own,omitempty"`
	Unmeasured string       `json:"unmeasured,omitempty"`
	Tools      []PricedTool `json:"tools"`
	Cost       Cost         `json:"cost"`   // of its tools and instructions, as Standing makes them; zero unless loaded
	Direct     Cost         `json:"direct"` // the same if the host loaded it
}

// PricedTool is a tool and what it costs where the host loads its server.
type PricedTool struct {
	Name string `json:"name"`
	Cost Cost   `json:"cost"`
}

// PricedItem is an item and what it costs.
type PricedItem struct {
	Item
	Cost Cost `json:"cost"`
}

// Inventory is the price of what one host loads in one workspace.
type Inventory struct {
	Host    string         `json:"host"`
	Loading Loading        `json:"loading"`
	Servers []PricedServer `json:"servers"`
	Items   []PricedItem   `json:"items"`
}

// Pricing is what Price needs to know beside the sources.
type Pricing struct {
	// Listing returns what a server lists; false for one that was never asked.
	Listing func(Server) (listing.Listing, bool)

	// Admits reports whether the host shows a tool at all; nil: every one.
	Admits func(server, tool string) bool

	// Fronted names the servers that ctx-gateway stands before, so that the
	// host does not load them.
	Fronted []string

	// Gateway is what ctx-gateway itself lists; nil where that is not known.
	Gateway *listing.Listing
}

// Price prices what a host loads. A record is what the host's API request
// carries of one tool, one instruction text or one item; each is rounded up to
// whole tokens on its own. What no listing tells is unmeasured, never guessed.
func Price(s Sources, p Pricing) Inventory {
	inv := Inventory{Host: s.Host, Loading: s.Loading}
	fronted := make(map[string]bool, len(p.Fronted))
	for _, name := range p.Fronted {
		fronted[name] = true
	}
	for _, srv := range s.Servers {
		ps := priceServer(s, srv, p)
		switch {
		case srv.Disabled:
			ps.Standing = Off
		case fronted[srv.Name] && !srv.Own: // a server of the user's may have the name of ours
			ps.Standing = HeldBack
		default:
			ps.Standing = Loaded
			ps.Cost = ps.Direct
		}
		inv.Servers = append(inv.Servers, ps)
	}
	for _, it := range s.Items {
		inv.Items = append(inv.Items, PricedItem{it, Cost{
			Resident: tokens.Bytes4(it.Resident),
			Deferred: tokens.Bytes4(it.Deferred),
			OnDemand: tokens.Bytes4(it.OnDemand),
			Bytes:    it.Resident,
		}})
	}
	return inv
}

func priceServer(s Sources, srv Server, p Pricing) PricedServer {
	ps := PricedServer{Name: srv.Name, Scope: srv.Scope, Own: srv.Own}
	l, ok := listingOf(srv, p)
	switch {
	case !ok:
		ps.Unmeasured = "never listed"
		return ps
	case l.Failed != "":
		ps.Unmeasured = l.Failed
		return ps
	}
	loading := s.Loading
	if srv.Eager {
		loading = Eager
	}
	for _, t := range l.Parse() {
		if p.Admits != nil && !srv.Own && !p.Admits(srv.Name, t.Name) {
			continue
		}
		name := toolName(s.ToolName, srv.Name, t.Name)
		record := recordSize(name, cut(t.Description, s.TextCap), t.InputSchema)
		cost := Cost{Resident: tokens.Bytes4(record), Bytes: record}
		switch loading {
		case Deferred:
			entry := len(name) + len("\n")
			cost = Cost{Resident: tokens.Bytes4(entry), Deferred: tokens.Bytes4(record), Bytes: entry}
		case ServerLines:
			cost = Cost{Deferred: tokens.Bytes4(record)}
		}
		ps.Tools = append(ps.Tools, PricedTool{t.Name, cost})
		ps.Direct = ps.Direct.plus(cost)
	}
	text := cut(l.Instructions, s.TextCap)
	if loading == ServerLines {
		text = serverLine(s, srv, l)
	}
	ps.Direct.Resident += tokens.Bytes4(len(text))
	ps.Direct.Bytes += len(text)
	return ps
}

// serverLine is all that a request carries of a server under [ServerLines].
func serverLine(s Sources, srv Server, l listing.Listing) string {
	const most = 250
	first, _, _ := strings.Cut(l.Instructions, "\n")
	text := "- " + strings.TrimRight(toolName(s.ToolName, srv.Name, ""), "_")
	if first != "" {
		text += ": " + cut(first, most)
	}
	return text + "\n"
}

func listingOf(srv Server, p Pricing) (listing.Listing, bool) {
	if srv.Own {
		if p.Gateway == nil {
			return listing.Listing{}, false
		}
		return *p.Gateway, true
	}
	if p.Listing == nil {
		return listing.Listing{}, false
	}
	return p.Listing(srv)
}

// toolName is the name under which a host shows a tool to its model.
func toolName(pattern, server, tool string) string {
	if pattern == "" {
		return tool
	}
	return strings.NewReplacer("{server}", server, "{tool}", tool).Replace(pattern)
}

// recordSize is the bytes of one tool in a request: compact JSON without the
// escapes that only HTML needs.
func recordSize(name, description string, schema json.RawMessage) int {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema,omitempty"`
	}{name, description, schema})
	if err != nil {
		// Only a schema that is no JSON does this, and its listing came as JSON.
		return len(name) + len(description) + len(schema)
	}
	return b.Len() - 1 // Encode ends with a line feed
}

// cut returns the first n characters of text, all of it for 0.
func cut(text string, n int) string {
	if n == 0 || utf8.RuneCountInString(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
