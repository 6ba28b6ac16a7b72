package gateway

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/capability"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/search"
)

// capabilityPrefix starts the name under which a search finds a capability that
// is not enabled.
const capabilityPrefix = "capability:"

// mostCards is how many capabilities a search answers with beside the tools.
const mostCards = 3

// cards are the capabilities of the session's domain that a search finds and
// that are not enabled, as hits.
func (g *Gateway) cards(query string) []hit {
	if g.opts.Capabilities == nil {
		return nil
	}
	var idle []capability.Entry
	var docs []search.Doc
	for _, e := range g.opts.Capabilities.Registry().List() {
		if e.Active || e.Static || e.OutOfDomain {
			continue
		}
		idle = append(idle, e)
		docs = append(docs, search.Doc{Name: e.Name + " " + e.Title, Description: e.Description + " " + strings.Join(e.Triggers, " ")})
	}
	var hits []hit
	for _, h := range search.New(docs).Search(query, mostCards) {
		hits = append(hits, g.card(idle[h.Doc]))
	}
	return hits
}

func (g *Gateway) card(e capability.Entry) hit {
	h := hit{
		Tool:        capabilityPrefix + e.Name,
		Description: line(strings.TrimSpace(e.Title+". "+e.Description), mostLine),
		Arguments:   fmt.Sprintf(`{"action":"enable","name":%q}`, e.Name),
		Authority:   "none until it is enabled",
		Call:        capabilityTool,
	}
	var enables []string
	for _, s := range g.opts.Capabilities.Registry().Exposes(e.Name) {
		what := "all"
		if s.Allowed != nil {
			what = strings.Join(g.admitted(s.Server, s.Allowed), ", ")
		}
		enables = append(enables, s.Server+": "+what)
	}
	h.Enables = line(strings.Join(enables, "; "), mostArgs)
	h.Unready = strings.Join(reasons(e), "; ")
	return h
}

// admitted are the globs, and those of the names that the gate does not hide.
func (g *Gateway) admitted(server string, allowed []string) []string {
	rules := g.opts.Policy.Rules(g.ctx)
	return slices.DeleteFunc(slices.Clone(allowed), func(name string) bool {
		return !strings.ContainsAny(name, "*?") && !rules.Admits(listing.Tool{Server: server, Name: name})
	})
}

// notEnabled answers a call of a capability: a call enables nothing.
func (g *Gateway) notEnabled(name string) []byte {
	e, ok := g.opts.Capabilities.Registry().Find(name)
	switch {
	case !ok:
		return refuse("no capability is named %q; capability list shows those that there are", line(name, 100))
	case e.Active || e.Static:
		return refuse("%s is a capability and no tool, and it is enabled: call one of its tools; tool_search finds them", e.Name)
	}
	return refuse(`%s is a capability and no tool, and a call never enables one: first call capability with {"action":"enable","name":%q}, then its tools`, e.Name, e.Name)
}
