package gateway

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// shownNow is the answer of surface.
type shownNow struct {
	Index   string              `json:"index,omitempty"`
	Shown   []string            `json:"shown,omitempty"`   // listed now, by name
	Hidden  []string            `json:"hidden,omitempty"`  // not listed now
	Kept    map[string][]string `json:"kept,omitempty"`    // listed all the same, by what they are
	Unknown []string            `json:"unknown,omitempty"` // no tool and no family
}

// surface answers the tool of that name, in the modes that reveal.
func (g *Gateway) surface(ctx context.Context, arguments json.RawMessage) json.RawMessage {
	var args struct {
		Action string    `json:"action"`
		Family string    `json:"family"`
		Tools  oneOrMore `json:"tools"`
	}
	if err := json.Unmarshal(arguments, &args); err != nil {
		return refuse(`surface needs {"action": "index" | "reveal" | "hide", "family" or "tools": ...}`)
	}
	c := g.current(ctx)
	wanted := args.Tools
	if args.Family != "" {
		wanted = append(wanted, args.Family)
	}
	switch args.Action {
	case "index":
		index := c.without(g.opts.Memory.load().Hidden).instructions(false)
		return answer(index, shownNow{Index: index})
	case "reveal", "hide":
		if len(wanted) == 0 {
			return refuse("surface %s needs a family or tools", args.Action)
		}
		return g.change(c, args.Action == "reveal", wanted)
	}
	return refuse(`surface has the actions index, reveal and hide, not %q`, line(args.Action, 40))
}

func (g *Gateway) change(c *catalog, show bool, wanted []string) json.RawMessage {
	var now shownNow
	var ids []string
	var families []surface.Family
	for _, w := range wanted {
		tools := c.find(w)
		if len(tools) == 0 {
			tools = c.ofFamily(w)
		}
		if len(tools) == 0 {
			now.Unknown = append(now.Unknown, line(w, 100))
		}
		for _, t := range tools {
			ids, families = append(ids, t.ID()), append(families, familyOf(t))
		}
	}
	if len(ids) == 0 {
		return refuse("there is no tool or family %s; tool_search finds tools", strings.Join(now.Unknown, ", "))
	}
	err := g.opts.Memory.update(g.session(), func(s *state.Session) {
		s.Revealed = slices.DeleteFunc(s.Revealed, func(id string) bool { return slices.Contains(ids, id) })
		if show {
			s.Revealed = append(s.Revealed, ids...)
			unhide(s, families)
		}
	})
	if err != nil {
		g.log.Warn("revealed for as long as this process runs", "error", err)
	}
	listed := map[int]string{}
	for _, p := range g.opts.Memory.pick(g.mode, g.opts.Config.Gateway, c) {
		listed[p.at] = p.why
	}
	now.Kept = map[string][]string{}
	for i, t := range c.tools {
		why, isListed := listed[i]
		switch {
		case !slices.Contains(ids, t.ID()):
		case show && isListed:
			now.Shown = append(now.Shown, c.names()[i])
		case !show && isListed:
			now.Kept[why] = append(now.Kept[why], t.ID())
		case !show:
			now.Hidden = append(now.Hidden, t.ID())
		}
	}
	g.announce()
	return answer(now.text(), now)
}

// ofFamily are the tools of a family: of that name in core/surface, else by a
// word of theirs.
func (c *catalog) ofFamily(name string) []listing.Tool {
	var tools []listing.Tool
	families := c.families()
	for i, t := range c.tools {
		if strings.EqualFold(string(families[i]), name) || inFamily(t, name) {
			tools = append(tools, t)
		}
	}
	return tools
}

func (s shownNow) text() string {
	var parts []string
	add := func(what string, names []string) {
		if len(names) > 0 {
			parts = append(parts, what+": "+strings.Join(names, ", "))
		}
	}
	add("listed now, and callable at once with call_tool or call_tool_write", s.Shown)
	add("taken out", s.Hidden)
	for _, why := range slices.Sorted(maps.Keys(s.Kept)) {
		add("kept, because "+why, s.Kept[why])
	}
	add("unknown", s.Unknown)
	return strings.Join(parts, "\n")
}
