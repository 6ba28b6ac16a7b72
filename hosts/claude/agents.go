package main

import (
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// readAgents prices subagents: one line each, "- NAME: DESCRIPTION (Tools: …)".
// Of several with one name the nearest counts.
func (r *reader) readAgents() {
	known := make(map[string]bool)
	for _, s := range r.shelves() {
		r.walk(filepath.Join(s.dir, "agents"), func(path, _ string) {
			f, body, size, ok := r.front(path)
			if !ok || f.Name == "" || f.Description == "" {
				return // Claude Code loads no agent without both
			}
			r.serverMentions(path, &f.Servers)
			name := s.prefix + string(f.Name)
			if known[name] || r.agentDenied(name) {
				return
			}
			known[name] = true
			tools := strings.TrimSpace(string(f.Tools))
			if tools == "" {
				tools = "All tools"
			}
			line := "- " + name + ": " + strings.TrimSpace(string(f.Description)) + " (Tools: " + tools + ")\n"
			rest := max(0, size-frontLimit) // what was not read of a long file
			r.addItem(surface.Item{Kind: surface.KindAgent, Provider: s.provider, Name: name, OnDemand: len(body) + rest}, path, line)
		})
	}
}

// serverMentions notes the servers that an agent's mcpServers names; one that is
// defined there in full is the agent's own.
func (r *reader) serverMentions(path string, n *yaml.Node) {
	for _, c := range n.Content {
		if n.Kind == yaml.SequenceNode && c.Kind == yaml.ScalarNode {
			place := surface.Place{File: path, Line: c.Line + 1} // the fence is line 1
			r.mentions = append(r.mentions, mention{c.Value, true, place})
		}
	}
}
