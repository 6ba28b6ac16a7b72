package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

const (
	// compiledName is the file of a compiled profile.
	compiledName = "mcp_config.antigravity.json"
	// compiledHome is the home that a compiled launch has: Antigravity takes its
	// servers from there alone, and no option names another file.
	compiledHome = "antigravity-home"
)

// entry is a server as it stands in a file, with whatever keys it has.
type entry map[string]any

// Compile implements [plugins.Adapter]. The launch has a home of its own, in
// which the user signs in once, and in which none of the user's own skills and
// rules are. The servers have the user's.
func (a adapter) Compile(_ context.Context, req plugins.CompileRequest) (plugins.Compiled, error) {
	servers, launched := map[string]entry{}, map[string]entry{}
	if req.Gateway {
		own := entry{
			"command": req.GatewayBin, "args": []string{"--host", hostName, "--workspace", req.Workspace},
			"env": map[string]any{"HOME": req.Machine.Home},
		}
		servers[ownServer], launched[ownServer] = own, own
	} else {
		written := written(req)
		for _, srv := range req.Servers {
			e, ok := written[srv.Name]
			if !ok {
				e = entryOf(srv)
			}
			servers[srv.Name] = e.denying(append(slices.Clone(srv.DisabledTools), req.DenyTools[srv.Name]...))
			launched[srv.Name] = servers[srv.Name].at(req.Machine.Home)
		}
	}
	text, err := fileText(servers)
	if err != nil {
		return plugins.Compiled{}, err
	}
	there, err := fileText(launched)
	if err != nil {
		return plugins.Compiled{}, err
	}
	home := filepath.Join(req.Dir, compiledHome)
	inHome, err := filepath.Rel(req.Dir, serversFile(home))
	if err != nil {
		return plugins.Compiled{}, fmt.Errorf("compile for antigravity: %w", err)
	}
	made := plugins.Compiled{
		Files: []plugins.CompiledFile{
			{Name: compiledName, Content: text},
			{Name: inHome, Content: there},
		},
		Launch: []string{"env", "HOME=" + home, "agy"},
		Beside: beside(req),
	}
	for _, it := range req.Off {
		if it.Provider == string(surface.ScopeUser) {
			made.Off = append(made.Off, it)
		}
	}
	return made, nil
}

func fileText(servers map[string]entry) ([]byte, error) {
	text, err := json.MarshalIndent(map[string]any{"mcpServers": servers}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("compile for antigravity: %w", err)
	}
	return append(text, '\n'), nil
}

// written are the servers of the user's files as they stand there, by name.
func written(req plugins.CompileRequest) map[string]entry {
	all := map[string]entry{}
	r := &reader{}
	for _, f := range serverFiles(req.Machine.Home, req.Workspace) {
		d, ok := r.open(f.path)
		if !ok {
			continue
		}
		for _, m := range d.members("mcpServers") {
			var e entry
			read := json.NewDecoder(bytes.NewReader(m.json()))
			read.UseNumber()
			if _, known := all[m.name]; known || read.Decode(&e) != nil {
				continue
			}
			delete(e, "disabled") // it is asked for
			all[m.name] = e
		}
	}
	return all
}

// beside are the servers of the workspace's own file, which counts in every
// launch.
func beside(req plugins.CompileRequest) []string {
	var names []string
	r := &reader{}
	for _, srv := range r.servers(req.Machine.Home, req.Workspace, nil) {
		if srv.Scope == surface.ScopeProject && !srv.Disabled && !srv.Own {
			names = append(names, srv.Name)
		}
	}
	return names
}

// entryOf is a server that stands in no file.
func entryOf(srv surface.Server) entry {
	text, err := json.Marshal(serverEntry{
		Command: srv.Command, Args: srv.Args, Env: srv.Env, Cwd: srv.Cwd, ServerURL: srv.URL, Headers: srv.Headers,
	})
	e := entry{}
	if err != nil || json.Unmarshal(text, &e) != nil {
		panic("antigravity: plain values always encode")
	}
	return e
}

// denying is the entry with these tools not shown.
func (e entry) denying(tools []string) entry {
	if len(tools) == 0 {
		return e
	}
	next := maps.Clone(e)
	slices.Sort(tools)
	next["disabledTools"] = slices.Compact(tools)
	return next
}

// at is the entry of a program that finds its user's home, in whatever home it
// is started.
func (e entry) at(home string) entry {
	if _, remote := e["serverUrl"]; remote {
		return e
	}
	env, _ := e["env"].(map[string]any)
	if _, has := env["HOME"]; has {
		return e
	}
	next, with := maps.Clone(e), map[string]any{"HOME": home}
	maps.Copy(with, env)
	next["env"] = with
	return next
}
