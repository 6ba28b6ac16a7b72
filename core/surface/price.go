package surface

import (
	"strings"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/tokens"
)

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
	Place      Place        `json:"place"`
	Standing   Standing     `json:"standing"`
	Own        bool         `json:"own,omitempty"`
	Unmeasured string       `json:"unmeasured,omitempty"`
	Tools      []PricedTool `json:"tools"`
	Words      Cost         `json:"words"`  // its instructions, or the line or group that stands for it, if the host loaded it
	Cost       Cost         `json:"cost"`   // of its words and tools, as Standing makes them; zero unless loaded
	Direct     Cost         `json:"direct"` // the same if the host loaded it

	Instructions string   `json:"-"` // as the server sent them, whole
	Denied       []string `json:"-"` // tools that it lists and the host does not show
}

// PricedTool is a tool and what it costs where the host loads its server.
type PricedTool struct {
	Name string `json:"name"`
	Cost Cost   `json:"cost"`

	Definition listing.Tool `json:"-"` // as its server sent it
}

// PricedItem is an item and what it costs.
type PricedItem struct {
	Item
	Cost Cost `json:"cost"`
}

// PricedFrame is what the host writes around the items or servers of one kind.
type PricedFrame struct {
	Kind Kind `json:"kind"`
	Cost Cost `json:"cost"`
}

// Inventory is the price of what one host loads in one workspace.
type Inventory struct {
	Host    string         `json:"host"`
	Loading Loading        `json:"loading"`
	Servers []PricedServer `json:"servers"`
	Items   []PricedItem   `json:"items"`
	Frames  []PricedFrame  `json:"frames"`
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

	// Count counts tokens; nil: a quarter of the bytes. Any other needs the texts
	// of the items, and Body for those that are read on demand.
	Count Counter

	// Body returns the text that an item's OnDemand measures; only called for a
	// Count. False: it cannot be read.
	Body func(Item) (string, bool)
}

// pricer prices what one host loads.
type pricer struct {
	Pricing
	sources Sources
	writer  writer
	texts   bool // Count is not the quarter of the bytes
}

// Price prices what a host loads. A record is what the host's API request
// carries of one tool, one instruction text or one item; each is rounded up to
// whole tokens on its own. What no listing tells is unmeasured, never guessed.
func Price(s Sources, p Pricing) Inventory {
	r := pricer{p, s, newWriter(s), p.Count != nil}
	if !r.texts {
		r.Count = bytes4
	}
	inv := Inventory{Host: s.Host, Loading: s.Loading}
	fronted := make(map[string]bool, len(p.Fronted))
	for _, name := range p.Fronted {
		fronted[name] = true
	}
	around := ""
	for _, srv := range s.Servers {
		ps, frame := r.server(srv)
		switch {
		case srv.Disabled:
			ps.Standing = Off
		case fronted[srv.Name] && !srv.Own: // a server of the user's may have the name of ours
			ps.Standing = HeldBack
		default:
			ps.Standing = Loaded
			ps.Cost = ps.Direct
			around += frame
		}
		inv.Servers = append(inv.Servers, ps)
	}
	if around != "" {
		inv.Frames = append(inv.Frames, PricedFrame{KindServer, r.Count.resident(s.Form.Head + around)})
	}
	for _, f := range s.Frames {
		inv.Frames = append(inv.Frames, PricedFrame{f.Kind, r.Count.resident(f.Text)})
	}
	for _, it := range s.Items {
		inv.Items = append(inv.Items, r.item(it))
	}
	return inv
}

func (r pricer) item(it Item) PricedItem {
	p := PricedItem{Item: it, Cost: Cost{Bytes: it.Resident, DeferredBytes: it.Deferred, OnDemandBytes: it.OnDemand}}
	if !r.texts {
		p.Cost.Resident, p.Cost.Deferred, p.Cost.OnDemand = tokens.Bytes4(it.Resident), tokens.Bytes4(it.Deferred), tokens.Bytes4(it.OnDemand)
		return p
	}
	switch {
	case it.Resident+it.Deferred > 0 && it.Text == "":
		p.Unmeasured = "its adapter does not tell its text"
	case it.Resident > 0:
		p.Cost.Resident = r.Count(it.Text)
	case it.Deferred > 0:
		p.Cost.Deferred = r.Count(it.Text)
	}
	if it.OnDemand > 0 && r.Body != nil {
		text, ok := r.Body(it)
		if !ok {
			p.Unmeasured = "its file cannot be read"
		}
		p.Cost.OnDemand = r.Count(text)
	}
	return p
}

// server prices a server as if the host loaded it; frame is what the host
// writes around its instructions.
func (r pricer) server(srv Server) (ps PricedServer, frame string) {
	ps = PricedServer{Name: srv.Name, Scope: srv.Scope, Place: srv.Place, Own: srv.Own}
	l, ok := listingOf(srv, r.Pricing)
	switch {
	case !ok:
		ps.Unmeasured = "never listed"
		return ps, ""
	case l.Failed != "":
		ps.Unmeasured = l.Failed
		return ps, ""
	}
	ps.Instructions = l.Instructions
	loading := r.sources.Loading
	if srv.Eager {
		loading = Eager
	}
	for _, t := range l.Parse() {
		if r.Admits != nil && !srv.Own && !r.Admits(srv.Name, t.Name) {
			ps.Denied = append(ps.Denied, t.Name)
			continue
		}
		record := r.writer.tool(srv.Name, t.Name, t.Description, t.InputSchema)
		cost := r.Count.resident(record)
		switch loading {
		case Deferred:
			cost = r.Count.resident(r.writer.name(srv.Name, t.Name) + "\n").Plus(r.Count.deferred(record))
		case ServerLines:
			cost = r.Count.deferred(record)
		}
		ps.Tools = append(ps.Tools, PricedTool{Name: t.Name, Cost: cost, Definition: t})
		ps.Direct = ps.Direct.Plus(cost)
	}
	words := r.writer.words(l.Instructions)
	text := words
	switch {
	case loading == ServerLines:
		text = r.line(srv, words)
		if len(ps.Tools) == 0 {
			text = ""
		}
	case r.writer.form.Group != "":
		text = ""
		if len(ps.Tools) > 0 {
			text = r.writer.group(srv.Name, words) + strings.Repeat(",", len(ps.Tools)-1)
		}
	case words != "":
		frame = r.writer.around(srv.Name)
	}
	ps.Words = r.Count.resident(text)
	ps.Direct = ps.Direct.Plus(ps.Words)
	return ps, frame
}

// line is all that a request carries of a server under [ServerLines].
func (r pricer) line(srv Server, words string) string {
	const most = 250
	first, _, _ := strings.Cut(words, "\n")
	text := "- " + r.writer.name(srv.Name, "")
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
