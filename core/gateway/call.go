package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/rpc"
	"github.com/ctx-sidecar/ctx/core/skill"
)

// request is the params of a tools/call.
type request struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      json.RawMessage `json:"_meta"`
}

// callTool answers tools/call, for the kernel's own tools and for those that
// are listed beside it.
func (g *Gateway) callTool(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var r request
	if err := json.Unmarshal(params, &r); err != nil || r.Name == "" {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "tools/call needs a name and arguments")
	}
	g.begin(ctx)
	g.bind(r.Meta)
	switch r.Name {
	case toolSearch:
		return g.searchTools(ctx, r.Arguments), nil
	case describeTool:
		return g.describeTools(ctx, r.Arguments), nil
	case surfaceTool:
		if g.mode == narrow || g.mode == reveal {
			return g.surface(ctx, r.Arguments), nil
		}
	case capabilityTool:
		if g.opts.Capabilities != nil {
			return g.capability(ctx, r.Arguments), nil
		}
	case callTool, callToolWrite:
		return g.callNamed(ctx, r)
	}
	c := g.awaitCapabilities(ctx, r.Name)
	if found := c.find(r.Name); len(found) == 1 {
		return g.forward(ctx, c, found[0], r)
	}
	if h := c.findHeld(r.Name); h != nil {
		return h.refusal(), nil
	}
	if w := c.findWithheld(r.Name); w != nil {
		return w.refusal(), nil
	}
	return nil, rpc.Errorf(rpc.CodeInvalidParams, "there is no tool %q", line(r.Name, 100))
}

// callNamed answers call_tool and call_tool_write.
func (g *Gateway) callNamed(ctx context.Context, r request) (json.RawMessage, error) {
	var args struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(r.Arguments, &args); err != nil || args.Tool == "" {
		return refuse(`%s needs {"tool": "server:tool", "arguments": {...}}; tool_search finds both`, r.Name), nil
	}
	object, ok := asObject(args.Arguments)
	if !ok {
		return refuse("arguments of %s must be a JSON object", line(args.Tool, 100)), nil
	}
	if args.Tool == readID {
		return g.readOn(object), nil
	}
	if strings.HasPrefix(args.Tool, skill.Prefix) && g.opts.Capabilities != nil {
		return notATool(args.Tool), nil
	}
	if name, ok := strings.CutPrefix(args.Tool, capabilityPrefix); ok && g.opts.Capabilities != nil {
		return g.notEnabled(name), nil
	}
	c := g.awaitServer(ctx, args.Tool)
	found := c.find(args.Tool)
	switch {
	case len(found) == 0 && c.findHeld(args.Tool) != nil:
		return c.findHeld(args.Tool).refusal(), nil
	case len(found) == 0 && c.findWithheld(args.Tool) != nil:
		return c.findWithheld(args.Tool).refusal(), nil
	case len(found) == 0:
		return g.unknownTool(c, args.Tool), nil
	case len(found) > 1:
		var ids []string
		for _, t := range found {
			ids = append(ids, t.ID())
		}
		return refuse("several servers have a tool %q: use one of %s", line(args.Tool, 100), strings.Join(ids, ", ")), nil
	}
	t := found[0]
	if r.Name == callTool && tier(t) > authority.Read {
		return refuse("%s may change something (%s): call it with call_tool_write and the same arguments", t.ID(), tier(t)), nil
	}
	return g.forward(ctx, c, t, request{t.Name, object, r.Meta})
}

// asObject accepts an object, nothing at all, and an object written as a
// string, as some models do.
func asObject(raw json.RawMessage) (json.RawMessage, bool) {
	raw = bytes.TrimSpace(raw)
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		raw = bytes.TrimSpace([]byte(text))
		if !json.Valid(raw) {
			return nil, false
		}
	}
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage(`{}`), true
	}
	return raw, raw[0] == '{'
}

// unknownTool says what is there instead.
func (g *Gateway) unknownTool(c *catalog, name string) json.RawMessage {
	text := "there is no tool " + line(name, 100) + "."
	var near []string
	for _, t := range c.best(name, 3) {
		near = append(near, t.ID())
	}
	if len(near) > 0 {
		text += " Near it: " + strings.Join(near, ", ") + "."
	}
	text += " tool_search finds tools by what they do."
	for _, w := range c.warnings() {
		text += "\nwarning: " + w
	}
	return refuse("%s", text)
}

// awaitServer waits until the server that name speaks of has been listed, where
// it never was, or only for a host that can do other things; a bare name may be
// any server's.
func (g *Gateway) awaitServer(ctx context.Context, name string) *catalog {
	c := g.awaitCapabilities(ctx, name)
	if len(c.find(name)) > 0 || len(g.unsettled(c)) == 0 {
		return c
	}
	ofServer := func(s shelf) bool { return belongsTo(name, s.name) }
	known := false
	for _, s := range c.servers {
		known = known || ofServer(s)
	}
	if !known {
		ofServer = func(shelf) bool { return true }
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, listingWait)
		defer cancel()
	}
	c = g.settled(ctx, func(c *catalog) bool {
		return len(c.find(name)) > 0 || !slices.ContainsFunc(g.unsettled(c), ofServer)
	})
	if len(c.find(name)) > 0 {
		return c
	}
	// A server is settled a moment before it is told that its list has changed.
	g.mu.Lock()
	g.catalog = newCatalog(g.catalog.rules, g.backends.Listings())
	g.mu.Unlock()
	return g.current(ctx)
}

// awaitCapabilities waits, for a name that is not known, until the capabilities
// that are on their way to be active are; for one that is, until what it means is
// no longer up to them.
func (g *Gateway) awaitCapabilities(ctx context.Context, name string) *catalog {
	l := g.opts.Capabilities
	if l == nil {
		return g.current(ctx)
	}
	l.Follow()
	if c := g.current(ctx); g.certain(c, name) {
		return c
	}
	l.Bound(ctx)
	c := g.current(ctx)
	if len(c.find(name)) > 0 {
		return c
	}
	l.Wait(ctx)
	return g.current(ctx)
}

// certain reports whether a name means the same tool whichever capabilities are
// active: it names the server, and that is the host's own, whose name no
// capability's server takes. A bare name may come to be another server's, too.
func (g *Gateway) certain(c *catalog, name string) bool {
	found := c.find(name)
	return len(found) == 1 && belongsTo(name, found[0].Server) && !g.brought.has(found[0].Server)
}

// unsettled are the servers whose list is not known yet, or about to be read
// for the first time in this session.
func (g *Gateway) unsettled(c *catalog) []shelf {
	reading := map[string]bool{}
	for _, s := range g.backends.Status() {
		reading[s.Server] = s.Cached && (s.State == backend.Starting || s.State == backend.Ready && s.Error == "")
	}
	return slices.DeleteFunc(slices.Clone(c.servers), func(s shelf) bool {
		return s.failed != "" || s.listed && !reading[s.name]
	})
}

func belongsTo(name, server string) bool {
	return strings.HasPrefix(name, server+":") || strings.HasPrefix(strings.TrimPrefix(name, "mcp__"), server+"__")
}

// number is a whole number, which some models write as a string, as 5.0, or as
// null where they mean none. One that no list and no text is long enough for
// stands for the largest or smallest that there is.
type number int

func (n *number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	var text json.Number // takes both
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	f, err := text.Float64()
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return err
	}
	if f != math.Trunc(f) {
		return fmt.Errorf("%s is no whole number", text)
	}
	*n = number(max(math.MinInt32, min(f, math.MaxInt32)))
	return nil
}
