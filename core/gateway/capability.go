package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/capability"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/skill"
)

// offered is a capability or a skill in an answer.
type offered struct {
	Kind        string   `json:"kind,omitempty"` // "skill"; of a capability, nothing
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Active      bool     `json:"active,omitempty"`
	Static      bool     `json:"static,omitempty"`
	OutOfDomain bool     `json:"out_of_domain,omitempty"`
	Unready     []string `json:"unready,omitempty"` // why it cannot be enabled
	Score       float64  `json:"score,omitempty"`
}

// capabilities is the answer of capability list and discover.
type capabilities struct {
	Capabilities []offered `json:"capabilities"`
	Warnings     []string  `json:"warnings,omitempty"`
}

// enabled is the answer of capability enable and disable.
type enabled struct {
	Name      string     `json:"name,omitempty"`
	Outcome   string     `json:"outcome"` // "enabled", "disabled", or of an intent "suggest" or "silence"
	Already   bool       `json:"already,omitempty"`
	Tools     []callHint `json:"tools,omitempty"`
	Suggested []string   `json:"suggested,omitempty"` // beside an enabled one those that may fit too
	Evicted   []string   `json:"evicted,omitempty"`
	Released  []string   `json:"released,omitempty"` // capabilities that went with a skill
	Needed    []string   `json:"needed,omitempty"`   // skills for whose sake it stays
	Reason    string     `json:"reason,omitempty"`
	Warnings  []string   `json:"warnings,omitempty"`
}

// callHint says how a tool is called.
type callHint struct {
	Tool string `json:"tool"`
	Call string `json:"call"`
}

// capability answers the tool of that name.
func (g *Gateway) capability(ctx context.Context, arguments json.RawMessage) json.RawMessage {
	var args struct {
		Action string `json:"action"`
		Name   string `json:"name"`
		Intent string `json:"intent"`
	}
	if err := json.Unmarshal(arguments, &args); err != nil {
		return refuse(`capability needs {"action": "list" | "discover" | "enable" | "disable", "name" or "intent": ...}`)
	}
	l := g.opts.Capabilities
	name := strings.TrimPrefix(strings.TrimSpace(args.Name), capabilityPrefix)
	intent := strings.TrimSpace(args.Intent)
	l.Bound(ctx)
	switch {
	case args.Action == "list":
		return g.offer(ctx, l.Registry().List(), "", warn(l.Degraded(ctx), append(l.Warnings(), firstOf(l.Faults())...)))
	case args.Action == "discover" && intent == "" && name != "":
		intent = name
		fallthrough
	case args.Action == "discover" && intent != "":
		list, degraded, err := l.Discover(ctx, intent)
		if err != nil {
			return refuse("nothing was discovered: %v", err)
		}
		return g.offer(ctx, list, intent, warn(degraded, l.Warnings()))
	case args.Action == "enable" && strings.HasPrefix(name, skill.Prefix):
		return g.enableSkill(ctx, name)
	case args.Action == "disable" && strings.HasPrefix(name, skill.Prefix):
		return g.disableSkill(ctx, name)
	case args.Action == "enable" && name != "":
		return g.enable(ctx, name, nil, l.Degraded(ctx))
	case args.Action == "enable" && intent != "":
		return g.enableFor(ctx, intent)
	case args.Action == "disable" && name != "":
		done, err := l.Registry().Disable(ctx, name)
		if err != nil {
			return refuse("%s", line(loader.Explain(err), 600))
		}
		g.brought.Changed()
		if len(done.Needed) > 0 {
			d := enabled{Name: done.Name, Outcome: "enabled", Already: true, Needed: done.Needed}
			return answer(d.text(fmt.Sprintf("%s stays enabled for %s: disable that first.", done.Name, strings.Join(done.Needed, ", "))), d)
		}
		d := enabled{Name: done.Name, Outcome: "disabled", Already: done.Already, Warnings: warn(l.Degraded(ctx), done.Warnings)}
		return answer(d.text(done.Name+" is not enabled any more."), d)
	case args.Action == "enable" || args.Action == "disable" || args.Action == "discover":
		return refuse("capability %s needs a name or, to discover or enable, an intent: what is to be done, in a few words", args.Action)
	}
	return refuse("capability has the actions list, discover, enable and disable, not %q", line(args.Action, 40))
}

// firstOf keeps a tap that is broken all over from drowning the rest.
func firstOf(faults []string) []string {
	const most = 5
	if more := len(faults) - most; more > 0 {
		return append(slices.Clone(faults[:most]), fmt.Sprintf("and %d more faults: ctx tap lint", more))
	}
	return faults
}

// warn adds to warnings that no model takes part.
func warn(degraded error, warnings []string) []string {
	if degraded == nil {
		return warnings
	}
	return append(slices.Clone(warnings), "capabilities are found by words alone: "+degraded.Error())
}

// offer answers with capabilities and with the skills that there are, for an
// intent with those that fit it.
func (g *Gateway) offer(ctx context.Context, list []capability.Entry, intent string, warnings []string) json.RawMessage {
	discovered := intent != ""
	skills, why := g.skillsOffered(ctx, intent)
	warnings = append(why, warnings...)
	out := capabilities{Capabilities: []offered{}, Warnings: warnings}
	var b strings.Builder
	for _, e := range list {
		o := offered{
			Name: e.Name, Title: line(e.Title, 100), Active: e.Active, Static: e.Static, OutOfDomain: e.OutOfDomain, Score: e.Score,
			Unready: reasons(e),
		}
		b.WriteString(o.Name)
		if o.Title != "" {
			b.WriteString(": " + o.Title)
		}
		if discovered {
			o.Description = line(e.Description, mostLine)
			b.WriteString(". " + o.Description)
		}
		for _, m := range marks(e) {
			b.WriteString(" [" + m + "]")
		}
		b.WriteByte('\n')
		out.Capabilities = append(out.Capabilities, o)
	}
	for _, s := range skills {
		b.WriteString(s.text())
	}
	out.Capabilities = append(out.Capabilities, skills...)
	switch {
	case len(list)+len(skills) > 0:
	case discovered:
		b.WriteString("No capability fits.\n")
	default:
		b.WriteString("There is no capability and no skill.\n")
	}
	writeWarnings(&b, warnings)
	return answer(b.String(), out)
}

// marks say what a capability is in this session.
func marks(e capability.Entry) []string {
	var all []string
	for _, m := range []struct {
		is   bool
		what string
	}{{e.Active, "active"}, {e.Static, "static"}, {e.OutOfDomain, "other domain"}} {
		if m.is {
			all = append(all, m.what)
		}
	}
	if !e.OutOfDomain {
		for _, why := range reasons(e) {
			all = append(all, "unready: "+why)
		}
	}
	return all
}

func reasons(e capability.Entry) []string {
	var all []string
	for _, r := range e.Unready {
		why := r.Text
		if r.Hint != "" {
			why += " (" + r.Hint + ")"
		}
		all = append(all, line(why, 240))
	}
	return all
}

// enable enables a capability by name.
func (g *Gateway) enable(ctx context.Context, name string, besides []string, degraded error) json.RawMessage {
	l := g.opts.Capabilities
	done, err := l.Registry().Enable(ctx, name, "model")
	if err != nil {
		return refuse("%s", line(loader.Explain(err), 600))
	}
	g.brought.Changed()
	c := g.current(ctx)
	e := enabled{Name: done.Name, Outcome: "enabled", Already: done.Already, Suggested: besides, Evicted: done.Evicted, Warnings: warn(degraded, slices.Concat(done.Warnings, l.Warnings()))}
	e.Tools = c.hints(done.Servers)
	if len(done.Servers) > 0 && len(e.Tools) == 0 {
		e.Warnings = append(e.Warnings, done.Name+" exposes no tools: its allowed_tools, or the user's rules, leave none of those that "+done.Servers[0].Server+" has listed")
	}
	what := done.Name + " is enabled."
	if done.Already {
		what = done.Name + " was enabled already."
	}
	if len(besides) > 0 {
		what += " These may fit too: " + strings.Join(besides, ", ") + "."
	}
	return answer(e.text(what), e)
}

// hints say how the tools of servers are called.
func (c *catalog) hints(servers []capability.Exposed) []callHint {
	var list []callHint
	for _, s := range servers {
		for _, t := range c.tools {
			if t.Server != s.Server {
				continue
			}
			h := callHint{t.ID(), callToolWrite}
			if tier(t) == authority.Read {
				h.Call = callTool
			}
			list = append(list, h)
		}
	}
	return list
}

// enableFor runs the activation once on a text, as a prompt would.
func (g *Gateway) enableFor(ctx context.Context, intent string) json.RawMessage {
	d, degraded, err := g.opts.Capabilities.Decide(ctx, intent, 0)
	if err != nil {
		return refuse("nothing was enabled: %v", err)
	}
	if d.Outcome == activate.Activate {
		return g.enable(ctx, d.Winner, d.Suggested, degraded)
	}
	e := enabled{Outcome: string(d.Outcome), Suggested: d.Suggested, Reason: d.Reason, Warnings: warn(degraded, g.opts.Capabilities.Warnings())}
	what := "Nothing fits well enough to be enabled: " + d.Reason + "."
	if len(d.Suggested) > 0 {
		what = "Nothing was enabled. These may fit: " + strings.Join(d.Suggested, ", ") + ". Enable one by name."
	}
	return answer(e.text(what), e)
}

func (e enabled) text(what string) string {
	var b strings.Builder
	b.WriteString(what + "\n")
	for _, t := range e.Tools {
		fmt.Fprintf(&b, "%s (%s)\n", t.Tool, t.Call)
	}
	if len(e.Tools) > 0 {
		b.WriteString("tool_search and describe_tool show their arguments.\n")
	}
	if len(e.Evicted) > 0 {
		fmt.Fprintf(&b, "Disabled for it, being the least recently used: %s.\n", strings.Join(e.Evicted, ", "))
	}
	writeWarnings(&b, e.Warnings)
	return b.String()
}

func writeWarnings(b *strings.Builder, warnings []string) {
	for _, w := range warnings {
		b.WriteString("warning: " + line(w, 400) + "\n")
	}
}
