package main

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/core/git"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// servers reads [mcp_servers]. A server that Codex could not read is left out
// with a warning; the rest stands. fronted are those that our own switch, which
// stands in the file that declares the server, does not count for.
func (s *settings) servers(fronted []string) []surface.Server {
	var list []surface.Server
	table := s.root.at("mcp_servers")
	for _, name := range table.names() {
		before := len(s.warnings)
		srv := s.server(name, table.at(name))
		if len(s.warnings) > before {
			s.warnings[len(s.warnings)-1] += "; the server is left out"
			continue
		}
		if by := srv.DisabledBy; by != nil && by.File == srv.Place.File && slices.Contains(fronted, name) {
			srv.Disabled, srv.DisabledBy = false, nil
		}
		list = append(list, srv)
	}
	return list
}

func (s *settings) server(name string, n *node) surface.Server {
	command, url := n.at("command"), n.at("url")
	srv := surface.Server{Name: name, Own: own(name, n), Direct: direct(name, n)}
	switch {
	case command != nil && url != nil:
		s.at(n, "has both a command and a url")
		return srv
	case command != nil:
		s.define(&srv, command.layer, n)
		s.stdio(&srv, n)
	case url != nil:
		s.define(&srv, url.layer, n)
		s.http(&srv, n)
	default:
		s.at(n, "has neither a command nor a url")
		return srv
	}
	srv.StartTimeout = s.duration(n.at("startup_timeout_sec"), time.Second)
	if n.at("startup_timeout_sec") == nil {
		srv.StartTimeout = s.duration(n.at("startup_timeout_ms"), time.Millisecond)
	}
	srv.CallTimeout = s.duration(n.at("tool_timeout_sec"), time.Second)
	if on := n.at("enabled"); !s.flag(on) {
		srv.Disabled, srv.DisabledBy = true, &on.place
	} else if at := s.overruled(&srv, n); srv.Direct == "" && at != nil {
		srv.Direct = fmt.Sprintf("switched on for this project (%s:%d), in a file that does not declare it", at.File, at.Line)
	}
	s.tools(&srv, n)
	srv.Eager = slices.Contains(s.texts(n.at("omit_tools_from")), "deferred")
	return srv
}

// overruled is the place that says whether a server is on in a file which counts
// for more than the one that declares it, nil for none. Our own switch would have
// to stand there, too, where it could not be told from one of the user's.
func (s *settings) overruled(srv *surface.Server, n *node) *surface.Place {
	on := n.at("enabled")
	if on == nil {
		return nil
	}
	rank := func(file string) int {
		return slices.IndexFunc(s.layers, func(l *layer) bool { return l.file == file })
	}
	if rank(on.place.File) <= rank(srv.Place.File) {
		return nil
	}
	return &on.place
}

// byAdministrator is why a server of the machine's own file is left as it is.
const byAdministrator = "the administrator of this machine loads it"

// define says where the server comes from, which is the layer that gives its
// transport, and what lets Codex start it without a question: the user's own
// file by itself, and the user's trust as soon as a project's file has a part.
func (s *settings) define(srv *surface.Server, l *layer, n *node) {
	srv.Scope = l.scope
	srv.Place = surface.Place{File: l.file, Line: l.position("mcp_servers", srv.Name).Line}
	approved := srv.Place
	n.each(func(v *node) {
		if v.layer.scope == surface.ScopeProject {
			approved = v.layer.trust
		}
	})
	srv.ApprovedBy = &approved
	if srv.Direct == "" && l.scope == surface.ScopeManaged {
		srv.Direct = byAdministrator
	}
	if srv.Direct == "" && l.scope == surface.ScopeProject {
		if tracked, err := git.Tracks(l.file); tracked || err != nil {
			srv.Direct = "declared in a file that git tracks: switching it off there would reach everyone who works in the repository"
		}
	}
}

func (s *settings) stdio(srv *surface.Server, n *node) {
	srv.Transport = surface.Stdio
	srv.Command = s.text(n.at("command"))
	srv.Args = s.texts(n.at("args"))
	srv.Env = s.textMap(n.at("env"))
	srv.Cwd = s.text(n.at("cwd"))
	srv.EnvVars = s.envVars(n.at("env_vars"))
}

// envVars reads names, given bare or as {name = "…", source = "local"}.
func (s *settings) envVars(n *node) []string {
	if n == nil {
		return nil
	}
	values, ok := n.list()
	var names []string
	for _, v := range values {
		name, isString := v.(string)
		if table, isTable := v.(map[string]any); isTable {
			name, isString = table["name"].(string)
		}
		ok = ok && isString
		names = append(names, name)
	}
	if !ok {
		s.at(n, "want an array of variable names")
		return nil
	}
	return names
}

func (s *settings) http(srv *surface.Server, n *node) {
	srv.Transport = surface.HTTP
	srv.URL = s.text(n.at("url"))
	srv.BearerEnv = s.text(n.at("bearer_token_env_var"))
	srv.Headers = s.textMap(n.at("http_headers"))
	srv.HeaderEnv = s.textMap(n.at("env_http_headers"))
	srv.HeadersCmd = s.text(n.at("http_headers_helper"))
}

func (s *settings) tools(srv *surface.Server, n *node) {
	srv.EnabledTools = s.texts(n.at("enabled_tools"))
	if n.at("enabled_tools") != nil && len(srv.EnabledTools) == 0 {
		srv.EnabledTools = []string{""} // no tool at all; an empty list would come out of gRPC as none
	}
	srv.DisabledTools = s.texts(n.at("disabled_tools"))
	srv.Approval = s.approval(n.at("default_tools_approval_mode"))
	for _, tool := range n.at("tools").names() {
		mode := s.approval(n.at("tools", tool, "approval_mode"))
		if mode == "" {
			continue
		}
		if srv.ToolApproval == nil {
			srv.ToolApproval = map[string]surface.Approval{}
		}
		srv.ToolApproval[tool] = mode
	}
}

func (s *settings) approval(n *node) surface.Approval {
	switch mode := surface.Approval(s.text(n)); mode {
	case "", surface.ApproveAuto, surface.ApprovePrompt, surface.ApproveWrites, surface.ApproveAlways:
		return mode
	}
	s.at(n, "want auto, prompt, writes or approve")
	return ""
}

// validName are the names of servers that Codex starts; it lists others, too.
var validName = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// direct is the reason why a gateway cannot stand before the server, by what its
// own table says.
func direct(name string, n *node) string {
	for _, key := range []string{"oauth", "oauth_resource", "auth", "scopes"} {
		if n.at(key) != nil {
			return "needs the host's own sign-in (" + key + ")"
		}
	}
	if n.at("environment_id") != nil {
		return "runs in an environment of the host's (environment_id)"
	}
	if list, ok := n.at("env_vars").list(); ok {
		for _, v := range list {
			if table, ok := v.(map[string]any); ok && table["source"] == "remote" {
				return "takes variables of a remote environment (env_vars)"
			}
		}
	}
	if !validName.MatchString(name) {
		return "Codex starts no server of this name"
	}
	return ""
}
