package loader

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Admitted is what the user's rules leave.
type Admitted interface {
	// Host are the servers that run in any case.
	Host() []surface.Server
	// AdmitsServer reports whether the user's rules let anything of a server be
	// known of, Admits whether they let a tool, of which there may be no more than
	// the names.
	AdmitsServer(server string) bool
	Admits(t listing.Tool) bool
}

// callable is what a capability makes callable, as far as that is known before
// its servers have started. All are ids, "server:tool".
type callable struct {
	reads, writes []string
	more          []string // servers of which only globs are known
}

func (c callable) none() bool { return len(c.reads)+len(c.writes)+len(c.more) == 0 }

// callable takes the tools from what the servers listed once or, where they
// never did, from what the capability may use of them.
func (s scene) callable(c tap.Capability) callable {
	var out callable
	exposed := s.registry.Exposes(c.Ref)
	for i, srv := range c.Servers {
		if i >= len(exposed) {
			break // another version of it was read meanwhile
		}
		name := exposed[i].Server
		if !s.user.AdmitsServer(name) {
			continue
		}
		if known, ok := s.opts.Cache.Any(name, srv.Fingerprint()); ok {
			for _, t := range known.Parse() {
				switch {
				case !srv.Allows(t.Name) || !s.user.Admits(t):
				case authority.Of(t.Server, t.Raw).Tier == authority.Read:
					out.reads = append(out.reads, t.ID())
				default:
					out.writes = append(out.writes, t.ID())
				}
			}
			continue
		}
		if srv.Allowed == nil {
			out.more = append(out.more, name)
		}
		for _, tool := range srv.Allowed {
			switch {
			case strings.ContainsAny(tool, "*?"):
				out.more = append(out.more, name)
			case s.user.Admits(listing.Tool{Server: name, Name: tool}):
				out.writes = append(out.writes, name+":"+tool)
			}
		}
	}
	return out
}

// Sizes in bytes. A line costs every turn that follows.
const (
	mostTools   = 500
	mostID      = 80
	mostBesides = 120
	mostLine    = 600 // with what is named beside it
)

// line says what a capability has made callable and how: ids alone, since the
// words of a tap are not ours.
func (c callable) line(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ctx: the capability %s is enabled.", plain(name))
	left := 0
	for _, part := range []struct {
		how string
		ids []string
	}{{"call_tool", c.reads}, {"call_tool_write", c.writes}} {
		written := 0
		for _, id := range part.ids {
			if id != plain(id) || b.Len()+len(id) > mostTools { // one that is written otherwise could not be called
				left++
				continue
			}
			if written == 0 {
				b.WriteString(" Callable with " + part.how + ": " + id)
			} else {
				b.WriteString(", " + id)
			}
			written++
		}
		if written > 0 {
			b.WriteByte('.')
		}
	}
	switch {
	case left > 0:
		fmt.Fprintf(&b, " tool_search finds %d more.", left)
	case len(c.more) > 0:
		fmt.Fprintf(&b, " tool_search finds the tools of %s.", plain(c.more[0]))
	}
	return b.String()
}

// besides names what came near the capability that is enabled, as many as there
// is room for, in bytes.
func besides(names []string, room int) string {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n != plain(n) })
	for n := len(names); n > 0; n-- {
		if may := " May fit too, not enabled: " + strings.Join(names[:n], ", ") + "."; len(may) <= min(room, mostBesides) {
			return may
		}
	}
	return ""
}

// suggestion names what may fit, as many as there is room for; "" where none can
// be named.
func suggestion(names []string) string {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n != plain(n) })
	for n := len(names); n > 0; n-- {
		may := "ctx: may fit, not enabled: " + strings.Join(names[:n], ", ")
		for _, how := range []string{
			fmt.Sprintf(`. The tool capability enables one: {"action":"enable","name":"%s"}.`, names[0]),
			"; the tool capability enables one.",
		} {
			if len(may)+len(how) <= mostSuggestion {
				return may + how
			}
		}
	}
	return ""
}

// plain makes a name one ASCII word, so that it cannot read as a sentence.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_-./:@+", r):
			return r
		}
		return '_'
	}, s)
	return s[:min(len(s), mostID)]
}
