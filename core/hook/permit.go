package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/advisory"
	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/schema"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// permit answers for a call to one of the gateway's own tools, by the user's
// rules on the tool that is really meant: the host knows no rule but its own on
// "mcp__ctx__call_tool". On any other tool it has no opinion.
func (h *Handler) permit(ctx context.Context, ev event.Event) event.Reply {
	if ev.Tool == nil || !ev.Tool.Ours {
		return event.Reply{}
	}
	var input struct {
		Tool   string `json:"tool"`
		Action string `json:"action"`
	}
	// Input that does not parse names nothing, and the gateway refuses it.
	_ = json.Unmarshal(ev.Tool.Input, &input)

	c := call{tool: input.Tool}
	switch ev.Tool.Tool {
	case "tool_search", "describe_tool":
		return allow("it only looks up tools")
	case "surface":
		if input.Action == "index" {
			return allow("it only looks up tools")
		}
		return event.Reply{}
	case "capability":
		// Enabling starts nothing but what the user has approved, command by command,
		// with the tap or since: what is not is refused by the gateway. The calls that
		// it makes possible are judged by themselves. So there is nothing to ask.
		return allow("it starts nothing that the user has not approved")
	case "call_tool": // the gateway runs nothing but reads through it
	case "call_tool_write":
		c.least, c.unlisted = authority.RemoteWrite, authority.RemoteWrite
	default: // a backend's tool that the gateway lists as it is
		c.tool, c.unlisted = ev.Tool.Tool, authority.RemoteWrite
	}
	switch {
	case c.tool == "":
		return event.Reply{}
	case c.tool == "ctx:read":
		return allow("it reads on in a result that was cut")
	}
	sources, err := h.Sources(ctx)
	if err != nil {
		h.Log.Warn("no opinion: the host's configuration cannot be read", "error", err)
		return event.Reply{}
	}
	return h.judge(sources, c, ev.Unattended)
}

func allow(why string) event.Reply {
	return event.Reply{Decision: event.Allow, Reason: reason("%s", why)}
}

// id names a tool in a sentence; a server gave it its name.
func id(server, tool string) string { return advisory.Name(server) + ":" + advisory.Name(tool) }

// reason is one line of ASCII, of a length that every host shows whole.
func reason(format string, args ...any) string {
	const most = 300
	s := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, "ctx: "+fmt.Sprintf(format, args...))
	if len(s) > most {
		s = s[:most-3] + "..."
	}
	return s
}

// call is a call to a tool behind the gateway.
type call struct {
	tool     string         // as the model named it
	least    authority.Tier // what the call asks for, whatever the tool is
	unlisted authority.Tier // what a tool is taken for that no listing has

	// By id, those that are no longer as the user accepted them; resolve fills it.
	held map[string]bool
	// By id, why the profile in force leaves a tool out; likewise.
	withheld map[string]string
}

// judge answers for a call as the gateway will resolve it.
func (h *Handler) judge(s surface.Sources, c call, unattended bool) event.Reply {
	w := h.wrapped()
	g := gate.New(s).Under(h.profile(w))
	c.held, c.withheld = map[string]bool{}, map[string]string{}
	server, tool, tier, ok := h.resolve(s, g, w, c)
	if !ok {
		return unknown(s, c, unattended)
	}
	if c.held[listing.Tool{Server: server, Name: tool}.ID()] {
		return event.Reply{Decision: event.Deny, Reason: reason("%s was changed by its server and is held back until the user decides: ctx trust list", id(server, tool))}
	}
	if why := c.withheld[listing.Tool{Server: server, Name: tool}.ID()]; why != "" {
		return event.Reply{Decision: event.Deny, Reason: reason("%s is left out: %s. ctx profile list", id(server, tool), why)}
	}
	v := g.Rule(server, tool)
	if v.Decision != event.NoOpinion {
		return event.Reply{Decision: v.Decision, Reason: reason("%s: %s", id(server, tool), v.Reason)}
	}
	if tier = max(tier, c.least); tier > authority.Read && !unattended {
		return event.Reply{Decision: event.Ask, Reason: reason("%s may change something (%s)", id(server, tool), tier)}
	}
	return event.Reply{}
}

// unknown answers for a call whose tool no listing here tells. The gateway waits
// for those that it lacks, and runs what they say is meant: an effect, and a tool
// that a rule asks for, are asked about before.
func unknown(s surface.Sources, c call, unattended bool) event.Reply {
	ruled := slices.ContainsFunc(s.Rules, func(r surface.Rule) bool { return r.Effect == surface.EffectAsk })
	if ruled || max(c.least, c.unlisted) > authority.Read && !unattended {
		return event.Reply{Decision: event.Ask, Reason: reason("it is not known yet which tool %s is", advisory.Name(c.tool))}
	}
	return event.Reply{}
}

func (h *Handler) profile(w wrapped) *profile.Profile {
	if h.Profile != nil {
		return h.Profile()
	}
	return profile.Active(h.Config.Surface, w.profile)
}

// resolve finds the tool that a name means: among the tools that the gate and
// the capabilities admit, as the gateway does, and then among the others, so that a denied one
// is told from an unknown one. A name that spells out its server counts even
// when no listing has the tool yet.
func (h *Handler) resolve(s surface.Sources, g *gate.Gate, w wrapped, c call) (server, tool string, tier authority.Tier, ok bool) {
	var all, admitted []listing.Tool
	behind := w.behind(s.Servers)
	if h.Brought != nil {
		behind = append(behind, h.Brought()...)
	}
	for _, srv := range behind {
		l, ok := h.Cache.Any(srv.Name, srv.Fingerprint())
		if !ok {
			continue
		}
		_, held := h.Baseline.Screen(srv, l)
		for _, t := range l.Parse() {
			all = append(all, t)
			if why := g.Withheld(t); why != "" {
				c.withheld[t.ID()] = why
			} else if held[t.Name] != "" {
				c.held[t.ID()] = true
			} else if g.Admits(t.Server, t.Name) && (h.Admits == nil || h.Admits(t.Server, t.Name)) {
				admitted = append(admitted, t)
			}
		}
	}
	found := find(c.tool, admitted)
	if len(found) == 0 {
		found = find(c.tool, all)
	}
	if len(found) == 1 {
		t := found[0]
		return t.Server, t.Name, t.Authority(), true
	}
	if len(found) > 1 {
		return "", "", 0, false // the gateway asks which one is meant
	}
	for _, srv := range behind {
		for _, prefix := range []string{srv.Name + ":", "mcp__" + srv.Name + "__", srv.Name + "__"} {
			if tool, ok := strings.CutPrefix(c.tool, prefix); ok && tool != "" {
				return srv.Name, tool, c.unlisted, true
			}
		}
	}
	return "", "", 0, false
}

// find is [listing.Find] that knows the names, too, under which the gateway lists
// tools whose own name is not fit for that.
func find(name string, tools []listing.Tool) []listing.Tool {
	if found := listing.Find(name, tools); len(found) > 0 {
		return found
	}
	if i := slices.Index(schema.Names(tools, schema.MaxName), name); i >= 0 {
		return tools[i : i+1]
	}
	return nil
}
