package inventory

import (
	"strconv"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// Uses gathers what several observers saw of use. The zero Uses saw nothing.
type Uses struct {
	Sessions int // that were seen, whether they used anything or not
	Unseen   []string

	uses []Seen
	by   map[string]bool // sessions that have a transcript
	also map[string]bool // sessions that only the log knows
}

// Seen is one use of a capability as somebody saw it.
type Seen struct {
	Kind    surface.Kind
	Server  string // of a tool
	Name    string
	Through bool // Name is what a model called a tool by that lies behind the gateway
	Session string
	At      time.Time
	Failed  bool
}

// Transcripts adds what a host's own records tell: they are whole, so what the
// log has of the same sessions is not counted again.
func (u *Uses) Transcripts(sessions int, all []Seen) {
	if u.by == nil {
		u.by = make(map[string]bool)
	}
	u.Sessions += sessions
	for _, s := range all {
		u.by[s.Session] = true
		u.uses = append(u.uses, s)
	}
}

// Log adds the calls of one host that hooks and gateways noted.
func (u *Uses) Log(host string, calls []usage.Call) {
	if u.also == nil {
		u.also = make(map[string]bool)
	}
	for _, c := range calls {
		if c.Host != host || u.by[c.Session] {
			continue
		}
		if !u.also[c.Session] {
			u.also[c.Session] = true
			u.Sessions++
		}
		u.uses = append(u.uses, Seen{Kind: surface.KindTool, Server: c.Server, Name: c.Tool, Session: c.Session, At: c.At, Failed: c.Failed})
	}
}

type key struct {
	kind         surface.Kind
	server, name string
}

// count gives every record its use. A server is used with its tools.
func (u *Uses) count(records []Record) {
	at := make(map[key]*Record, len(records))
	var tools []listing.Tool
	for i := range records {
		r := &records[i]
		if r.Standing == NotLoaded || !countable(r.Kind) {
			continue
		}
		r.Use = Use{Measured: u.Sessions > 0, Of: u.Sessions}
		k := key{r.Kind, "", r.Name}
		if r.Kind == surface.KindTool {
			k.server = r.Provider
			tools = append(tools, listing.Tool{Server: r.Provider, Name: r.Name})
		}
		if at[k] == nil {
			at[k] = r
		}
	}
	found := finder(tools)
	in := make(map[*Record]map[string]bool)
	note := func(r *Record, s Seen) {
		if r == nil {
			return
		}
		r.Use.Calls++
		if s.Failed {
			r.Use.Failed++
		}
		if s.At.After(r.Use.Last) {
			r.Use.Last = s.At
		}
		if in[r] == nil {
			in[r] = make(map[string]bool)
		}
		in[r][s.Session] = true
		r.Use.Sessions = len(in[r])
	}
	for _, s := range u.uses {
		k := key{s.Kind, s.Server, s.Name}
		if s.Through {
			t, ok := found(s.Name)
			if !ok {
				continue
			}
			k = key{surface.KindTool, t.Server, t.Name}
		}
		note(at[k], s)
		if k.kind == surface.KindTool {
			note(at[key{surface.KindServer, "", k.server}], s)
		}
	}
}

// countable are the kinds of which an observer can see a use.
func countable(k surface.Kind) bool {
	switch k {
	case surface.KindServer, surface.KindTool, surface.KindSkill, surface.KindAgent, surface.KindCommand:
		return true
	}
	return false
}

// finder resolves the names by which models call tools, each once.
func finder(tools []listing.Tool) func(string) (listing.Tool, bool) {
	exact := make(map[string]listing.Tool, 2*len(tools))
	for _, t := range tools {
		exact[t.ID()] = t
		exact[t.Server+"__"+t.Name] = t
	}
	known := make(map[string]*listing.Tool)
	return func(name string) (listing.Tool, bool) {
		if t, ok := exact[strings.TrimPrefix(name, "mcp__")]; ok {
			return t, true
		}
		if t, ok := known[name]; ok {
			if t == nil {
				return listing.Tool{}, false
			}
			return *t, true
		}
		known[name] = nil
		if all := listing.Find(name, tools); len(all) == 1 {
			known[name] = &all[0]
			return all[0], true
		}
		return listing.Tool{}, false
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
