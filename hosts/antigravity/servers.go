package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/core/git"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// serverEntry is one server as mcp_config.json has it. A remote one needs
// serverUrl; Antigravity passes over url and httpUrl without a word.
type serverEntry struct {
	Command       string            `json:"command,omitempty"`
	Args          []string          `json:"args,omitempty"`
	Env           map[string]string `json:"env,omitempty"`
	Cwd           string            `json:"cwd,omitempty"`
	ServerURL     string            `json:"serverUrl,omitempty"`
	Headers       map[string]string `json:"headers,omitempty"`
	DisabledTools []string          `json:"disabledTools,omitempty"`
	Disabled      bool              `json:"disabled,omitempty"`

	// What a server that signs in by OAuth has.
	OAuth    json.RawMessage `json:"oauth,omitempty"`
	AuthType string          `json:"authProviderType,omitempty"`
}

// reader gathers what Antigravity's files say.
type reader struct {
	files    []string
	warnings []string
}

func (r *reader) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// open reads a file that need not be there.
func (r *reader) open(file string) (*document, bool) {
	r.files = append(r.files, file)
	d, err := readDocument(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if err != nil {
		r.warn("%v", err)
		return nil, false
	}
	return d, true
}

// servers reads the servers of all files. Of a name that is there twice, the
// first declaration counts.
func (r *reader) servers(home, workspace string, fronted []string) []surface.Server {
	var list []surface.Server
	for _, f := range serverFiles(home, workspace) {
		d, ok := r.open(f.path)
		if !ok {
			continue
		}
		for _, m := range d.members("mcpServers") {
			srv, ok := r.server(d, m, f.scope)
			if !ok || named(list, srv.Name) {
				continue
			}
			if slices.Contains(fronted, srv.Name) {
				srv.Disabled, srv.DisabledBy = false, nil
			}
			list = append(list, srv)
		}
	}
	return list
}

func (r *reader) server(d *document, m member, scope surface.Scope) (surface.Server, bool) {
	var e serverEntry
	if err := json.Unmarshal(m.json(), &e); err != nil {
		r.warn("%s:%d:%d: mcpServers.%s: %v; the server is left out", d.file, m.line, m.col, m.name, err)
		return surface.Server{}, false
	}
	srv := surface.Server{
		Name:          m.name,
		Scope:         scope,
		Place:         surface.Place{File: d.file, Line: m.line},
		Command:       e.Command,
		Args:          e.Args,
		Env:           e.Env,
		Cwd:           e.Cwd,
		URL:           e.ServerURL,
		Headers:       e.Headers,
		DisabledTools: e.DisabledTools,
		Disabled:      e.Disabled,
		Own:           m.name == ownServer && filepath.Base(e.Command) == ownProgram,
	}
	switch {
	case e.Command != "" && e.ServerURL != "":
		r.warn("%s:%d:%d: mcpServers.%s: has both a command and a serverUrl; the server is left out", d.file, m.line, m.col, m.name)
		return srv, false
	case e.Command != "":
		srv.Transport = surface.Stdio
	case e.ServerURL != "":
		srv.Transport = surface.HTTP
	default:
		r.warn("%s:%d:%d: mcpServers.%s: has neither a command nor a serverUrl; the server is left out", d.file, m.line, m.col, m.name)
		return srv, false
	}
	if srv.Disabled {
		by, _ := find(d.list(m.value), "disabled")
		srv.DisabledBy = &surface.Place{File: d.file, Line: by.line}
	}
	if scope == surface.ScopeUser {
		place := srv.Place
		srv.ApprovedBy = &place
	}
	srv.Direct = direct(e, d.file, scope)
	return srv, true
}

// direct is the reason why a gateway cannot stand before a server.
func direct(e serverEntry, file string, scope surface.Scope) string {
	if e.OAuth != nil || e.AuthType != "" {
		return "needs the host's own sign-in"
	}
	if scope == surface.ScopeProject {
		if tracked, err := git.Tracks(file); tracked || err != nil {
			return "declared in a file that git tracks: switching it off there would reach everyone who works in the repository"
		}
	}
	return ""
}

func named(servers []surface.Server, name string) bool {
	return slices.ContainsFunc(servers, func(srv surface.Server) bool { return srv.Name == name })
}
