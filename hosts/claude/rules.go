package main

import (
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// readRules reads the permission rules on MCP tools of every layer; all of them
// count, whatever layer they stand in, unless the administrator reserves it to
// himself to allow.
func (r *reader) readRules() {
	effects := []struct {
		effect surface.Effect
		flags  []string
	}{
		{surface.EffectDeny, []string{"--disallowedTools", "--disallowed-tools"}},
		{surface.EffectAsk, nil},
		{surface.EffectAllow, []string{"--allowedTools", "--allowed-tools"}},
	}
	reserved := r.setting("allowManagedPermissionRulesOnly").isTrue()
	for _, e := range effects {
		for _, l := range r.layer {
			if reserved && e.effect == surface.EffectAllow && l.scope != surface.ScopeManaged {
				continue
			}
			list := l.get("permissions", string(e.effect))
			if list.ok() && !list.isArray() {
				r.warn("%s", list.complain("permissions.%s must be an array; Claude Code ignores the whole file", e.effect))
			}
			for rule := range list.elements() {
				r.addRule(e.effect, rule.text(), rule.place())
			}
		}
		if e.flags == nil || reserved && e.effect == surface.EffectAllow {
			continue
		}
		for _, text := range r.ruleFlags(e.flags...) {
			r.addRule(e.effect, text, surface.Place{File: flagPlace(e.flags[0])})
		}
	}
}

func (r *reader) addRule(effect surface.Effect, text string, place surface.Place) {
	body, ok := strings.CutPrefix(strings.TrimSpace(text), "mcp__")
	if !ok || strings.ContainsAny(body, "()") {
		return // about another tool; a rule with an argument never matches an MCP tool
	}
	pairs := refusing(body)
	if effect == surface.EffectAllow {
		pairs = allowing(body)
	}
	for i, p := range pairs {
		if slices.Contains(pairs[:i], p) {
			continue
		}
		r.out.Rules = append(r.out.Rules, surface.Rule{
			Effect: effect, Server: p.server, Tool: p.tool, Text: text, Place: place, Plain: true,
		})
	}
}

// pair is a pattern for servers and one for their tools.
type pair struct{ server, tool string }

// refusing reads a deny or ask rule. Claude Code matches it as one pattern
// against SERVER__TOOL, or as the name of a server. One pattern becomes several
// pairs: a "__" of the pattern may stand between server and tool, or a star may
// cover the whole of it or a half.
func refusing(body string) []pair {
	pairs := []pair{{body, "*"}}
	if !strings.Contains(body, "__") {
		// The server of "a__b__tool" is "a" to a rule.
		pairs = append(pairs, pair{body + "__*", "*"})
	}
	for i := range len(body) {
		rest := body[i:]
		switch {
		case strings.HasPrefix(rest, "__"):
			pairs = append(pairs, pair{body[:i], body[i+2:]})
		case strings.HasPrefix(rest, "_*"):
			pairs = append(pairs, pair{body[:i], body[i+1:]})
		case strings.HasPrefix(rest, "*"):
			pairs = append(pairs, pair{body[:i+1], rest})
			if strings.HasPrefix(rest, "*_") {
				pairs = append(pairs, pair{body[:i+1], rest[2:]})
			}
		}
	}
	return pairs
}

// allowing reads an allow rule: the server in full, then nothing, a tool or a
// pattern of tools. A star before the first "__" makes Claude Code ignore it.
func allowing(body string) []pair {
	server, tool, ok := strings.Cut(body, "__")
	if strings.Contains(server, "*") {
		return nil
	}
	if !ok {
		return []pair{{server, "*"}}
	}
	pairs := []pair{{server, tool}}
	// A server's name may contain "__" itself: the rule then names it whole.
	for i := range len(tool) {
		if strings.HasPrefix(tool[i:], "*") {
			break
		}
		if strings.HasPrefix(tool[i:], "__") {
			pairs = append(pairs, pair{server + "__" + tool[:i], tool[i+2:]})
		}
	}
	return pairs
}
