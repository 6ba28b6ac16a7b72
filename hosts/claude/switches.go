package main

import (
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// readSwitches marks the servers that the user has switched off. Names in these
// lists are compared as they are written, not in the form that tools carry.
func (r *reader) readSwitches() {
	for i := range r.out.Servers {
		s := &r.out.Servers[i]
		if n, ok := r.switchedOff(s); ok {
			place := n.place()
			s.Disabled, s.DisabledBy = true, &place
		}
	}
}

func (r *reader) switchedOff(s *surface.Server) (node, bool) {
	if n, ok := r.project().get("disabledMcpServers").has(s.Name); ok {
		return n, true
	}
	if s.Scope == surface.ScopeProject {
		if n, ok := r.project().get("disabledMcpjsonServers").has(s.Name); ok {
			return n, true
		}
		for _, l := range r.layer {
			if n, ok := l.get("disabledMcpjsonServers").has(s.Name); ok {
				return n, true
			}
		}
	}
	for _, l := range r.layer {
		for entry := range l.get("deniedMcpServers").elements() {
			ours := l.path == r.wrapped && r.fronted[s.Name] && entry.get("serverName").text() == s.Name
			if !ours && r.names(entry, s) {
				return entry, true
			}
		}
	}
	if s.Scope == surface.ScopeManaged {
		return node{}, false
	}
	return r.notAllowed(s)
}

// names reports whether an entry of a list of servers means s: by name, by
// command and arguments, or by a URL in which * stands for anything.
func (r *reader) names(entry node, s *surface.Server) bool {
	switch {
	case entry.get("serverName").isText():
		return entry.get("serverName").text() == s.Name
	case entry.get("serverCommand").ok():
		return s.Transport == surface.Stdio && slices.Equal(r.command(entry), append([]string{s.Command}, s.Args...))
	case entry.get("serverUrl").isText():
		return s.URL != "" && wildcard(entry.get("serverUrl").text(), s.URL)
	}
	return false
}

func (r *reader) command(entry node) []string { return entry.get("serverCommand").texts() }

// notAllowed holds the server against the allow lists of all layers together.
// As soon as they name a command, that alone decides for servers with one, and
// likewise for URLs; else the name does, but never for a plugin's server.
func (r *reader) notAllowed(s *surface.Server) (node, bool) {
	var list node
	byKind := s.Scope == surface.ScopePlugin
	for _, l := range r.layer {
		n := l.get("allowedMcpServers")
		if n.ok() && !list.ok() {
			list = n
		}
		for entry := range n.elements() {
			if entry.get(decisive(s)).ok() {
				byKind = true
			}
		}
	}
	if !list.ok() {
		return node{}, false
	}
	for _, l := range r.layer {
		for entry := range l.get("allowedMcpServers").elements() {
			if (!byKind || entry.get(decisive(s)).ok()) && r.names(entry, s) {
				return node{}, false
			}
		}
	}
	return list, true
}

func decisive(s *surface.Server) string {
	if s.Transport == surface.Stdio {
		return "serverCommand"
	}
	return "serverUrl"
}

// wildcard reports whether s fits a pattern in which * stands for any run of
// characters.
func wildcard(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	if last == 0 {
		return pattern == s
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	for _, part := range parts[1:last] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return strings.HasSuffix(s, parts[last])
}
