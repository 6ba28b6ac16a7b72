package main

import (
	"path/filepath"
	"strconv"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// readServers collects the servers of every scope, the strongest first; of
// several with one name the first declaration is the whole truth.
func (r *reader) readServers() {
	if strict := r.serversFlag(); !strict {
		r.readFiles()
	}
	r.readSwitches()
	r.readApprovals()
}

// readFiles declares what stands in files. A managed-mcp.json lets no other
// file count but those of plugins.
func (r *reader) readFiles() {
	if n := r.json(filepath.Join(r.managed, "managed-mcp.json")); n.ok() {
		r.declare(n.get("mcpServers"), surface.ScopeManaged)
	} else {
		r.declare(r.project().get("mcpServers"), surface.ScopeLocal)
		for _, dir := range ancestors(r.launch) {
			r.declare(r.json(filepath.Join(dir, ".mcp.json")).get("mcpServers"), surface.ScopeProject)
		}
		r.declare(r.json(r.global).get("mcpServers"), surface.ScopeUser)
	}
	for _, p := range r.plugins() {
		r.declarePlugin(p)
	}
}

// declare adds the servers of one mcpServers object.
func (r *reader) declare(servers node, scope surface.Scope) {
	for name, n := range servers.members() {
		if s, ok := r.server(name, n, scope); ok {
			if r.find(name) == nil {
				r.entries[name] = n
			}
			r.addServer(s)
		}
	}
}

func (r *reader) addServer(s surface.Server) {
	if r.find(s.Name) == nil {
		r.out.Servers = append(r.out.Servers, s)
	}
}

func (r *reader) find(name string) *surface.Server {
	for i := range r.out.Servers {
		if r.out.Servers[i].Name == name {
			return &r.out.Servers[i]
		}
	}
	return nil
}

// server reads one entry; what Claude Code would not load becomes a warning.
func (r *reader) server(name string, n node, scope surface.Scope) (surface.Server, bool) {
	s := surface.Server{
		Name: name, Scope: scope, Place: n.place(), Expand: true,
		Command: n.get("command").text(), Args: n.get("args").texts(), Env: n.get("env").textMap(),
		URL: n.get("url").text(), Headers: n.get("headers").textMap(),
		HeadersCmd:   n.get("headersHelper").text(),
		Eager:        n.get("alwaysLoad").isTrue(),
		StartTimeout: r.startTimeout(),
		CallTimeout:  time.Duration(n.get("timeout").number()) * time.Millisecond,
	}
	switch kind := n.get("type").text(); kind {
	case "", "stdio":
		s.Transport = surface.Stdio
		if s.Command == "" {
			r.warn("%s", n.complain("server %q has no command%s", name, hintType(s.URL)))
			return s, false
		}
	case "http", "streamable-http":
		s.Transport = surface.HTTP
	case "sse":
		s.Transport, s.Direct = surface.SSE, "speaks SSE, which the gateway does not"
	case "ws":
		s.Transport, s.Direct = surface.WS, "speaks WebSocket, which the gateway does not"
	case "sdk", "claudeai-proxy", "sse-ide", "ws-ide":
		s.Transport, s.Direct = surface.HTTP, "is provided by the host itself"
	default:
		r.warn("%s", n.complain("server %q has the unknown type %q", name, kind))
		return s, false
	}
	if s.Transport != surface.Stdio && s.URL == "" && s.Direct != "is provided by the host itself" {
		r.warn("%s", n.complain("server %q has no url", name))
		return s, false
	}
	if s.Direct == "" && n.get("oauth").ok() {
		s.Direct = "needs the host's own OAuth"
	}
	return s, true
}

func hintType(url string) string {
	if url == "" {
		return ""
	}
	return ` (one with a url needs "type": "http")`
}

// startTimeout is what MCP_TIMEOUT (milliseconds) gives every server.
func (r *reader) startTimeout() time.Duration {
	ms, err := strconv.Atoi(r.lookup("MCP_TIMEOUT"))
	if err != nil || ms < 0 {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}
