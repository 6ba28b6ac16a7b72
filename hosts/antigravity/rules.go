package main

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// rules reads the user's permission rules on MCP tools: mcp(*), mcp(SERVER) and
// mcp(SERVER/TOOL) in the lists of the CLI's settings and of the shared ones.
func (r *reader) rules(home string) []surface.Rule {
	var rules []surface.Rule
	for _, place := range []struct {
		file string
		path []string
	}{
		{filepath.Join(home, ".gemini", "antigravity-cli", "settings.json"), []string{"permissions"}},
		{filepath.Join(configDir(home), "config.json"), []string{"userSettings", "globalPermissionGrants"}},
	} {
		d, ok := r.open(place.file)
		if !ok {
			continue
		}
		for _, m := range d.members(place.path...) {
			effect := surface.Effect(m.name)
			if effect != surface.EffectAllow && effect != surface.EffectAsk && effect != surface.EffectDeny {
				continue
			}
			var texts []string
			if err := json.Unmarshal(m.json(), &texts); err != nil {
				r.warn("%s:%d:%d: %s: want an array of strings", d.file, m.line, m.col, m.name)
				continue
			}
			for _, text := range texts {
				if rule, ok := parseRule(text, effect); ok {
					rule.Place = surface.Place{File: d.file, Line: m.line}
					rules = append(rules, rule)
				}
			}
		}
	}
	return rules
}

// parseRule reads one rule. Users saw an allow rule that names a server without
// its tools match nothing, so it allows nothing here; a deny rule of that form
// is taken at its word.
func parseRule(text string, effect surface.Effect) (surface.Rule, bool) {
	rule := surface.Rule{Effect: effect, Server: "*", Tool: "*", Text: text}
	if text == "*" || text == "mcp(*)" {
		return rule, true
	}
	inner, ok := strings.CutPrefix(text, "mcp(")
	if !ok || !strings.HasSuffix(inner, ")") {
		return rule, false
	}
	server, tool, both := strings.Cut(strings.TrimSuffix(inner, ")"), "/")
	if server == "" || !both && effect == surface.EffectAllow {
		return rule, false
	}
	rule.Server = server
	if tool != "" {
		rule.Tool = tool
	}
	return rule, true
}
