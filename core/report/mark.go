package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Mark is how one value of a scale is shown: by a class, which brings a colour
// and a pattern, by a word, and by a letter where no word fits.
type Mark struct{ Class, Word, Letter string }

// tiers are the marks of authority, the lowest first.
var tiers = []Mark{
	{"text", "text", "T"},
	{"unjudged", "not judged", "N"},
	{"read", "read", "R"},
	{"local", "local-write", "L"},
	{"remote", "remote-write", "W"},
	{"destructive", "destructive", "D"},
}

// uses are the marks of use.
var uses = []Mark{
	{"used", "used", "●"},
	{"never", "never used", "○"},
	{"unseen", "use not measured", "?"},
}

// tierOf is the mark of a record's authority. A text has none, and of a server
// that is what it says; what a hook or a plugin may do is for nobody to see.
func tierOf(r inventory.Record) Mark {
	switch {
	case r.Authority != nil:
		return tiers[2+int(r.Authority.Tier-authority.Read)]
	case r.Prose(), r.Kind == surface.KindServer:
		return tiers[0]
	}
	return tiers[1]
}

// higher is the higher of two marks of authority.
func higher(a, b Mark) Mark {
	if slices.Index(tiers, b) > slices.Index(tiers, a) {
		return b
	}
	return a
}

func useOf(r inventory.Record) Mark {
	switch {
	case !r.Use.Measured:
		return uses[2]
	case r.Use.Calls == 0:
		return uses[1]
	}
	return uses[0]
}

// why is the strongest reason for a record's authority.
func why(r inventory.Record) string {
	if r.Authority == nil || len(r.Authority.Evidence) == 0 {
		return ""
	}
	text := ""
	if e := r.Authority.Evidence[0]; e.Tier == r.Authority.Tier && e.Words == r.Name {
		return "by its " + string(e.Source)
	}
	for _, c := range r.Authority.Evidence {
		if c.Tier == r.Authority.Tier {
			text = fmt.Sprintf("%s: “%s”", c.Source, plain(c.Words))
			break
		}
	}
	if r.Authority.Unknown() {
		text = strings.TrimPrefix(text+"; assumed", "; ")
	}
	return text
}

// measure is one way in which text reaches a model.
type measure struct {
	Key, Name, Help string
	of              func(inventory.Record) int // tokens
}

// measures each have a map of their own.
var measures = []measure{
	{"resident", "In every request", "resident: sent with every request", func(r inventory.Record) int { return r.Cost.Resident }},
	{"deferred", "When the host asks", "deferred: loaded by the host when it thinks fit", func(r inventory.Record) int { return r.Cost.Deferred }},
	{"demand", "Read on demand", "on demand: read only when it is used", func(r inventory.Record) int { return r.Cost.OnDemand }},
}
