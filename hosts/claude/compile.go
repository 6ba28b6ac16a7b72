package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

const (
	mcpFile      = "mcp.claude.json"
	settingsFile = "settings.claude.json"
)

// compiledFile is a file of servers, each as its user wrote it where that can be
// told.
type compiledFile struct {
	Servers map[string]any `json:"mcpServers"`
}

// compiledSettings are laid over the user's own by --settings.
type compiledSettings struct {
	Permissions struct {
		Deny []string `json:"deny"`
	} `json:"permissions"`
	Skills map[string]string `json:"skillOverrides,omitempty"`
}

// Compile makes a file of servers, which the launch line has Claude Code load
// instead of all others, and one of settings that keep the rest from its model:
// 2.1.328 sends neither a tool that a rule denies by its name, nor a skill that
// is off, nor an agent that may not be started.
func (a *adapter) Compile(_ context.Context, req plugins.CompileRequest) (plugins.Compiled, error) {
	file := compiledFile{make(map[string]any)}
	if req.Gateway {
		own := servers(req.GatewayBin).Servers[serverName]
		own.Args = append(own.Args, "--workspace", req.Workspace)
		file.Servers[serverName] = own
	} else {
		written, err := a.written(req)
		if err != nil {
			return plugins.Compiled{}, err
		}
		for _, s := range req.Servers {
			if raw, ok := written[s.Name]; ok {
				file.Servers[s.Name] = raw
			} else {
				file.Servers[s.Name] = entryOf(s)
			}
		}
	}
	settings, off := settingsOf(req)
	return plugins.Compiled{
		Files: []plugins.CompiledFile{
			{Name: mcpFile, Content: fileText(file)},
			{Name: settingsFile, Content: fileText(settings)},
		},
		Launch: []string{
			"claude", "--strict-mcp-config",
			"--mcp-config", filepath.Join(req.Dir, mcpFile),
			"--settings", filepath.Join(req.Dir, settingsFile),
		},
		Off: off,
	}, nil
}

// settingsOf are the settings, and the prose that they switch off. That of
// plugins has no switch of its own.
func settingsOf(req plugins.CompileRequest) (s compiledSettings, off []surface.Item) {
	s.Permissions.Deny = []string{}
	for server, tools := range req.DenyTools {
		for _, tool := range tools {
			s.Permissions.Deny = append(s.Permissions.Deny, "mcp__"+plain(server)+"__"+plain(tool))
		}
	}
	for _, it := range req.Off {
		if strings.HasPrefix(it.Provider, string(surface.ScopePlugin)) {
			continue
		}
		switch it.Kind {
		case surface.KindAgent:
			s.Permissions.Deny = append(s.Permissions.Deny, "Agent("+it.Name+")")
		case surface.KindSkill, surface.KindCommand:
			if s.Skills == nil {
				s.Skills = map[string]string{}
			}
			s.Skills[it.Name] = "off"
		default:
			continue
		}
		off = append(off, it)
	}
	slices.Sort(s.Permissions.Deny)
	s.Permissions.Deny = slices.Compact(s.Permissions.Deny)
	return s, off
}

// written are the wanted servers as they stand in the user's files, with what
// only Claude Code understands of them. A server that some settings file keeps
// from being loaded whatever the command line says is an error.
func (a *adapter) written(req plugins.CompileRequest) (map[string]json.RawMessage, error) {
	if req.Machine.Home == "" {
		return nil, nil
	}
	r := newReader(a, plugins.SourcesRequest{Machine: req.Machine, Workspace: req.Workspace})
	r.readServers()
	all := make(map[string]json.RawMessage)
	for _, want := range req.Servers {
		s := r.find(want.Name)
		if s == nil || s.Place != want.Place {
			continue
		}
		if s.Disabled && !want.Disabled && s.DisabledBy != nil {
			return nil, fmt.Errorf("claude loads no server %s, from whatever file: %s:%d", want.Name, s.DisabledBy.File, s.DisabledBy.Line)
		}
		if n, ok := r.entries[want.Name]; ok {
			all[want.Name] = n.json()
		}
	}
	return all, nil
}

// json is a value as plain JSON: without the comments that a user may have put
// there.
func (n node) json() json.RawMessage {
	v := n.val.Clone()
	v.Standardize()
	return v.Pack()
}

// entryOf is a server as Claude Code's user would write it; values stay
// unexpanded.
func entryOf(s surface.Server) serverEntry {
	e := serverEntry{
		Command: s.Command, Args: s.Args, Env: s.Env,
		URL: s.URL, Headers: s.Headers, Helper: s.HeadersCmd,
		Timeout: s.CallTimeout.Milliseconds(), Always: s.Eager,
	}
	if s.Transport != surface.Stdio {
		e.Type = string(s.Transport)
	}
	return e
}
