// Ctx-host-acme teaches ctx about Acme, a host that does not exist. It is an
// example of an adapter: everything that ctx must know of a host is here.
//
// Acme reads ~/.acme/config.json:
//
//	{"servers": {"NAME": {"run": ["PROGRAM", "ARG"], "env": {}, "off": false}},
//	 "hooks":   [{"on": "start", "run": ["PROGRAM", "ARG"]}]}
//
// and pipes to each hook {"on": "start", "chat": "ID", "folder": "/abs",
// "text": "the user's message"}. A hook may answer {"tell": "for the model"}.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

func main() { plugins.Serve(acme{}) }

type acme struct{}

// kinds are the events that ctx acts on, by Acme's names.
var kinds = map[string]event.Kind{
	"start": event.SessionStart,
	"text":  event.Prompt,
	"end":   event.SessionEnd,
}

func (acme) Describe(context.Context) (plugins.Description, error) {
	d := plugins.Description{Name: "acme", Title: "Acme", Version: "1.0.0"}
	for _, on := range slices.Sorted(maps.Keys(kinds)) {
		sample := fmt.Sprintf(`{"on": %q, "chat": "c-1", "folder": "{{WORKSPACE}}", "text": "hello"}`, on)
		d.Events = append(d.Events, plugins.EventSpec{Name: on, Sample: []byte(sample)})
	}
	return d, nil
}

func (acme) Detect(_ context.Context, m plugins.Machine) (plugins.Detection, error) {
	d := plugins.Detection{Config: filepath.Join(m.Home, ".acme")}
	_, err := os.Stat(d.Config)
	d.Installed = err == nil
	for _, dir := range filepath.SplitList(paths.Lookup(m.Env, "PATH")) {
		program, err := exec.LookPath(filepath.Join(dir, "acme"))
		if err == nil && filepath.IsAbs(program) {
			d.Program, d.Installed = program, true
			break
		}
	}
	return d, nil
}

func (acme) Decode(_ context.Context, raw plugins.RawEvent) (event.Event, error) {
	var e struct{ On, Chat, Folder, Text string }
	if err := json.Unmarshal(raw.Payload, &e); err != nil {
		return event.Event{}, fmt.Errorf("acme event: %w", err)
	}
	if e.On == "" {
		return event.Event{}, errors.New(`acme event: "on" is missing`)
	}
	return event.Event{
		Host: "acme", Name: e.On, Kind: kinds[e.On], Session: e.Chat, Dir: e.Folder, Prompt: e.Text,
	}, nil
}

func (acme) Encode(_ context.Context, _ event.Event, r event.Reply) ([]byte, error) {
	if r.Context == "" {
		return nil, nil
	}
	return json.Marshal(map[string]string{"tell": r.Context})
}

// config is Acme's file, as far as ctx is concerned.
type config struct {
	Servers map[string]struct {
		Run []string
		Env map[string]string
		Off bool
	}
}

func (acme) Sources(_ context.Context, req plugins.SourcesRequest) (surface.Sources, error) {
	file := configFile(req.Machine)
	s := surface.Sources{
		Host: "acme", Loading: surface.Eager, ToolName: "{server}/{tool}", Files: []string{file},
	}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	var c config
	if err = errors.Join(err, json.Unmarshal(b, &c)); err != nil {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s:1:1: %v", file, err))
		return s, nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
		entry := c.Servers[name]
		if len(entry.Run) == 0 {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s:1:1: server %s runs nothing", file, name))
			continue
		}
		place := surface.Place{File: file}
		s.Servers = append(s.Servers, surface.Server{
			Name: name, Scope: surface.ScopeUser, Place: place, Transport: surface.Stdio,
			Command: entry.Run[0], Args: entry.Run[1:], Env: entry.Env,
			Own:        name == "ctx",
			Disabled:   entry.Off && !slices.Contains(req.Fronted, name),
			ApprovedBy: &place, // only the user writes this file
		})
	}
	return s, nil
}

func (acme) PlanWrap(_ context.Context, req plugins.WrapRequest) (plugins.WrapPlan, error) {
	edit := wiring.Edit{Path: configFile(req.Machine), Format: wiring.JSON, Why: "run ctx's hooks in Acme"}
	for _, on := range slices.Sorted(maps.Keys(kinds)) {
		hook := map[string]any{"on": on, "run": []string{req.Hook, "acme", on}}
		edit.Ops = append(edit.Ops, op(wiring.Append, hook, "hooks"))
	}
	if req.Gateway {
		gateway := map[string]any{"run": []string{req.GatewayBin, "--host", "acme"}}
		edit.Ops = append(edit.Ops, op(wiring.Set, gateway, "servers", "ctx"))
		for _, name := range req.Front {
			edit.Ops = append(edit.Ops, op(wiring.Set, true, "servers", name, "off"))
		}
	}
	return plugins.WrapPlan{
		Edits: []wiring.Edit{edit},
		Notes: []string{"Acme has one configuration, so this reaches every workspace"},
	}, nil
}

func (acme) Compile(_ context.Context, req plugins.CompileRequest) (plugins.Compiled, error) {
	servers := map[string]any{}
	for _, s := range req.Servers {
		servers[s.Name] = map[string]any{"run": append([]string{s.Command}, s.Args...), "env": s.Env}
	}
	if req.Gateway {
		servers = map[string]any{"ctx": map[string]any{"run": []string{req.GatewayBin, "--host", "acme"}}}
	}
	b, err := json.MarshalIndent(map[string]any{"servers": servers}, "", "  ")
	if err != nil {
		return plugins.Compiled{}, err
	}
	const name = "config.acme.json"
	return plugins.Compiled{
		Files:  []plugins.CompiledFile{{Name: name, Content: append(b, '\n')}},
		Launch: []string{"acme", "--config", filepath.Join(req.Dir, name)},
	}, nil
}

func configFile(m plugins.Machine) string { return filepath.Join(m.Home, ".acme", "config.json") }

func op(kind wiring.OpKind, value any, path ...string) wiring.Op {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings, lists and maps of them always marshal
	}
	return wiring.Op{Kind: kind, Path: path, Value: b}
}
