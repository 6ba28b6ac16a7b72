package inventory

import (
	"cmp"
	"maps"
	"slices"
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
	sees map[surface.Kind]bool
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
func (u *Uses) Transcripts(sessions int, sees []surface.Kind, all []Seen) {
	if u.by == nil {
		u.by = make(map[string]bool)
	}
	if sessions > 0 {
		u.see(sees...)
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
			u.see(surface.KindTool, surface.KindServer)
		}
		u.uses = append(u.uses, Seen{Kind: surface.KindTool, Server: c.Server, Name: c.Tool, Session: c.Session, At: c.At, Failed: c.Failed})
	}
}

func (u *Uses) see(kinds ...surface.Kind) {
	if u.sees == nil {
		u.sees = make(map[surface.Kind]bool)
	}
	for _, k := range kinds {
		u.sees[k] = true
	}
}

type key struct {
	kind         surface.Kind
	server, name string
}

// counter counts uses into records.
type counter struct {
	at   map[key]*Record
	find func(string) (listing.Tool, bool)
}

// count gives every record its use. A server is used with its tools.
func (u *Uses) count(records []Record) {
	c := counter{at: make(map[key]*Record, len(records))}
	var tools []listing.Tool
	for i := range records {
		r := &records[i]
		if r.Standing == NotLoaded || !u.sees[r.Kind] {
			continue
		}
		r.Use = Use{Measured: true, Of: u.Sessions}
		name, _, _ := strings.Cut(r.Name, " (") // a skill may also have a name of its own
		k := key{r.Kind, "", name}
		switch r.Kind {
		case surface.KindTool:
			k = key{r.Kind, fold(r.Provider), fold(r.Name)}
			tools = append(tools, listing.Tool{Server: r.Provider, Name: r.Name})
		case surface.KindServer:
			k.name = fold(r.Name)
		}
		if c.at[k] == nil {
			c.at[k] = r
		}
	}
	c.find = finder(tools)
	for _, s := range u.uses {
		c.note(s)
	}
}

func (c counter) note(s Seen) {
	switch s.Kind {
	case surface.KindTool:
		server, name := s.Server, s.Name
		if s.Through || c.at[key{s.Kind, fold(server), fold(name)}] == nil {
			written := name
			if !s.Through {
				written = server + "__" + name
			}
			if t, ok := c.find(written); ok {
				server, name = t.Server, t.Name
			} else if s.Through {
				return
			}
		}
		c.add(c.at[key{s.Kind, fold(server), fold(name)}], s)
		c.add(c.at[key{surface.KindServer, "", fold(server)}], s)
	case surface.KindSkill, surface.KindCommand:
		// Hosts start either in the other's way.
		r := c.at[key{s.Kind, "", s.Name}]
		for _, k := range []surface.Kind{surface.KindSkill, surface.KindCommand} {
			if r == nil {
				r = c.at[key{k, "", s.Name}]
			}
		}
		c.add(r, s)
	default:
		c.add(c.at[key{s.Kind, "", s.Name}], s)
	}
}

func (c counter) add(r *Record, s Seen) {
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
	if r.sessions == nil {
		r.sessions = make(map[string]SessionUse)
	}
	in := r.sessions[s.Session]
	in.Session = s.Session
	in.Calls++
	if s.Failed {
		in.Failed++
	}
	if in.First.IsZero() || s.At.Before(in.First) {
		in.First = s.At
	}
	if s.At.After(in.Last) {
		in.Last = s.At
	}
	r.sessions[s.Session] = in
	r.Use.Sessions = len(r.sessions)
}

// PerSession is the record's use in each session that used it, the last first.
func (r Record) PerSession() []SessionUse {
	all := slices.AppendSeq([]SessionUse{}, maps.Values(r.sessions))
	slices.SortFunc(all, func(a, b SessionUse) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.Session, b.Session))
	})
	return all
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
