package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/schema"
	"github.com/ctx-sidecar/ctx/core/search"
)

const (
	defaultHits = 5
	mostHits    = 20
	mostLine    = 180 // bytes of a description in a search answer
	mostArgs    = 300 // bytes of a signature there
)

// hit is one tool in a search answer: enough to call it at once.
type hit struct {
	Tool        string `json:"tool"`
	Description string `json:"description"`
	Arguments   string `json:"arguments"`
	Authority   string `json:"authority"`
	Call        string `json:"call"`

	// Of a capability that is not enabled.
	Enables string `json:"enables,omitempty"` // "SERVER: globs over its tools", more after a semicolon
	Unready string `json:"unready,omitempty"` // why it cannot be
}

type found struct {
	Tools    []hit    `json:"tools"`
	Warnings []string `json:"warnings,omitempty"`
}

func (g *Gateway) searchTools(ctx context.Context, arguments json.RawMessage) json.RawMessage {
	var args struct {
		Query string `json:"query"`
		Limit number `json:"limit"`
		// Wait says that the caller has the time to wait for the sentence model. It is
		// for ctx itself, and no model is told of it.
		Wait bool `json:"wait"`
	}
	if err := json.Unmarshal(arguments, &args); err != nil || strings.TrimSpace(args.Query) == "" {
		return refuse(`tool_search needs {"query": "what to do, in a few words"}`)
	}
	waiting, cancel := context.WithTimeout(ctx, listingWait)
	defer cancel()
	if g.opts.Capabilities != nil {
		g.opts.Capabilities.Wait(waiting)
	}
	c := g.settled(waiting, func(c *catalog) bool {
		return !slices.ContainsFunc(c.servers, func(s shelf) bool { return !s.listed && s.failed == "" })
	})

	limit := int(args.Limit)
	if limit <= 0 {
		limit = defaultHits
	}
	answerOf := found{Tools: []hit{}, Warnings: c.warnings()}
	tools, degraded := g.search(ctx, c, args.Query, min(limit, mostHits), args.Wait)
	for _, t := range tools {
		answerOf.Tools = append(answerOf.Tools, describeHit(t))
	}
	if degraded != "" {
		answerOf.Warnings = append(answerOf.Warnings, line(degraded, 240))
	}
	answerOf.Tools = append(answerOf.Tools, g.skillCards(ctx, args.Query)...)
	if cards := g.cards(args.Query); len(cards) > 0 {
		answerOf.Tools = append(answerOf.Tools, cards...)
		answerOf.Warnings = warn(g.opts.Capabilities.Degraded(ctx), answerOf.Warnings)
	}
	return answer(answerOf.text(c), answerOf)
}

// best ranks the tools for a query by words alone. A tool that is named outright
// comes first.
func (c *catalog) best(query string, limit int) []listing.Tool {
	return c.named(query, c.index().Search(query, limit), limit)
}

// named are the tools of hits, after those that the query names outright.
func (c *catalog) named(query string, hits []search.Hit, limit int) []listing.Tool {
	tools := slices.Clone(c.find(strings.TrimSpace(query)))
	for _, h := range hits {
		t := c.tools[h.Doc]
		if !slices.ContainsFunc(tools, func(o listing.Tool) bool { return o.ID() == t.ID() }) {
			tools = append(tools, t)
		}
	}
	return tools[:min(len(tools), limit)]
}

func describeHit(t listing.Tool) hit {
	h := hit{
		Tool:        t.ID(),
		Description: line(t.Description, mostLine),
		Arguments:   schema.Signature(t.InputSchema, mostArgs),
		Authority:   tier(t).String(),
		Call:        callToolWrite,
	}
	if h.Description == "" {
		h.Description = line(t.Title, mostLine)
	}
	if tier(t) == authority.Read {
		h.Call = callTool
	}
	return h
}

func (f found) text(c *catalog) string {
	var b strings.Builder
	for _, h := range f.Tools {
		fmt.Fprintf(&b, "%s (%s, %s)", h.Tool, h.Authority, h.Call)
		if h.Description != "" {
			b.WriteString(": " + h.Description)
		}
		b.WriteString("\n  arguments: " + h.Arguments + "\n")
		if h.Enables != "" {
			b.WriteString("  enables: " + h.Enables + "\n")
		}
		if h.Unready != "" {
			b.WriteString("  unready: " + h.Unready + "\n")
		}
	}
	switch {
	case len(c.servers) == 0 && len(f.Tools) == 0:
		b.WriteString("No MCP server is behind this gateway now.\n")
	case len(f.Tools) == 0:
		var names []string
		for _, s := range c.servers {
			names = append(names, s.title())
		}
		fmt.Fprintf(&b, "No tool shares a word with this query. Servers: %s. Try other words.\n", strings.Join(names, ", "))
	}
	for _, w := range f.Warnings {
		b.WriteString("warning: " + w + "\n")
	}
	return b.String()
}

// warnings say what is missing from the catalog and why.
func (c *catalog) warnings() []string {
	var ws []string
	for _, s := range c.servers {
		switch {
		case s.failed != "" && s.listed:
			ws = append(ws, fmt.Sprintf("server %s is down (%s); its tools are listed as they were last", word(s.name, 40), line(s.failed, 160)))
		case s.failed != "":
			ws = append(ws, fmt.Sprintf("server %s is down (%s); its tools are missing here", word(s.name, 40), line(s.failed, 160)))
		case !s.listed:
			ws = append(ws, fmt.Sprintf("server %s is still starting; search again for its tools", word(s.name, 40)))
		}
	}
	for _, w := range slices.Concat(c.heldWarnings(), c.rules.Warnings) {
		ws = append(ws, line(w, 240))
	}
	return ws
}

// find resolves a name among tools that are not there to be found, nil where it
// is that of none or several.
func find[T any](name string, list []T, of func(T) listing.Tool) *T {
	tools := make([]listing.Tool, len(list))
	for i, t := range list {
		tools[i] = of(t)
	}
	found := listing.Find(name, tools)
	if len(found) != 1 {
		return nil
	}
	i := slices.IndexFunc(tools, func(t listing.Tool) bool { return t.ID() == found[0].ID() })
	return &list[i]
}
