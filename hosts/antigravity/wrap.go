package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/hosts/internal/posix"
	"github.com/ctx-sidecar/ctx/plugins"
)

// trackedHint is what to do about a target that git tracks.
const trackedHint = "the wiring holds for this machine alone; take the file out of git (git rm --cached), or leave Antigravity out with --host"

// PlanWrap implements [plugins.Adapter]. Antigravity has one set of files for
// every workspace.
func (a adapter) PlanWrap(_ context.Context, req plugins.WrapRequest) (plugins.WrapPlan, error) {
	plan := plugins.WrapPlan{
		Notes: []string{
			"Antigravity is wired in " + configDir(req.Machine.Home) + ": this reaches every workspace of yours.",
			"Antigravity's wiring follows its documentation; it was not tried on the program.",
		},
	}
	r := &reader{}
	if req.Gateway {
		edits, err := r.gatewayEdits(req)
		if err != nil {
			return plugins.WrapPlan{}, err
		}
		plan.Edits = edits
		plan.Next = append(plan.Next, "Antigravity keeps the tools of its servers on disk: in the IDE choose Manage MCP Servers, Refresh; agy takes them up in a new conversation.")
	}
	hooks, err := r.hooksEdit(req)
	if err != nil {
		return plugins.WrapPlan{}, err
	}
	plan.Edits = append(plan.Edits, hooks)
	return plan, nil
}

// gatewayEdits switch the fronted servers off, each in its own object, and add
// the gateway's beside them, so that whichever file a program reads has it.
func (r *reader) gatewayEdits(req plugins.WrapRequest) ([]wiring.Edit, error) {
	home := req.Machine.Home
	servers := r.servers(home, req.Workspace, req.Front)
	for _, srv := range servers {
		if srv.Name == ownServer && !srv.Own {
			return nil, fmt.Errorf("%s:%d: a server of yours is named %q, the name that ctx-gateway needs; rename it or take it out, then wrap again",
				srv.Place.File, srv.Place.Line, ownServer)
		}
	}
	off := map[string][]wiring.Op{}
	for _, name := range req.Front {
		i := slices.IndexFunc(servers, func(srv surface.Server) bool { return srv.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("antigravity has no server %q in %s", name, serversFile(home))
		}
		file := servers[i].Place.File
		off[file] = append(off[file], wiring.Op{
			Kind:     wiring.Set,
			Path:     []string{"mcpServers", name, "disabled"},
			Value:    json.RawMessage("true"),
			Existing: true,
		})
	}
	own := wiring.Op{
		Kind:  wiring.Set,
		Path:  []string{"mcpServers", ownServer},
		Value: encode(serverEntry{Command: req.GatewayBin, Args: []string{"--host", hostName}}),
	}
	var edits []wiring.Edit
	for _, f := range serverFiles(home, req.Workspace) {
		ops := off[f.path]
		if f.scope == surface.ScopeUser && len(ops) > 0 || f.path == serversFile(home) {
			ops = append(ops, own)
		}
		if len(ops) == 0 {
			continue
		}
		edits = append(edits, wiring.Edit{
			Path:    f.path,
			Format:  wiring.JSON,
			Ops:     ops,
			Mode:    0o600,
			Why:     "load ctx-gateway in place of the servers behind it",
			Exclude: true,
			Tracked: trackedHint,
		})
	}
	return edits, nil
}

type handler struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // seconds
}

// matched is how the events of tools, and they alone, hold their handlers.
type matched struct {
	Matcher string    `json:"matcher"`
	Hooks   []handler `json:"hooks"`
}

// hooksEdit adds our group to the global hooks.json, which is the one place that
// every version was seen to read.
func (r *reader) hooksEdit(req plugins.WrapRequest) (wiring.Edit, error) {
	file := hooksFile(req.Machine.Home)
	if d, ok := r.open(file); ok {
		if group, ok := find(d.members(), ownGroup); ok && !bytes.Contains(group.json(), []byte(ownHook)) {
			return wiring.Edit{}, fmt.Errorf("%s:%d: hooks of yours are named %q, the name that ctx needs; rename them, then wrap again", file, group.line, ownGroup)
		}
	}
	command := func(event string) handler {
		return handler{Type: "command", Command: posix.Quote(req.Hook) + " " + hostName + " " + event, Timeout: 10}
	}
	return wiring.Edit{
		Path:   file,
		Format: wiring.JSON,
		Ops: []wiring.Op{{
			Kind: wiring.Set,
			Path: []string{ownGroup},
			Value: encode(struct {
				Enabled       bool      `json:"enabled"`
				PreInvocation []handler `json:"PreInvocation"`
				PostToolUse   []matched `json:"PostToolUse"`
			}{true, []handler{command("PreInvocation")}, []matched{{"call_mcp_tool", []handler{command("PostToolUse")}}}}),
		}},
		Mode:    0o600,
		Why:     "run ctx-hook on Antigravity's events",
		Exclude: true,
		Tracked: trackedHint,
	}, nil
}

func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("antigravity: plain values always encode: " + err.Error())
	}
	return bytes.TrimSpace(b.Bytes())
}
