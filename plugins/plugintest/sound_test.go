package plugintest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// sound is an adapter without a fault, for a host with one server that is
// always there once there is a config.json. Its faulty kin override a method.
type sound struct{}

func (sound) Describe(context.Context) (plugins.Description, error) {
	return plugins.Description{Name: "sound", Title: "Sound", Version: "1", Events: []plugins.EventSpec{
		{Name: "begin", Sample: []byte(`{"name": "begin", "id": "1", "dir": "{{WORKSPACE}}"}`)},
		{Name: "say", Sample: []byte(`{"name": "say", "id": "1", "text": "hello"}`)},
		{Name: "ask", Sample: []byte(`{"name": "ask", "id": "1", "tool": "rm"}`)},
	}}, nil
}

func (sound) Detect(context.Context, plugins.Machine) (plugins.Detection, error) {
	return plugins.Detection{}, nil
}

func (sound) Decode(_ context.Context, raw plugins.RawEvent) (event.Event, error) {
	var e struct{ Name, ID, Dir, Text, Tool string }
	if err := json.Unmarshal(raw.Payload, &e); err != nil {
		return event.Event{}, err
	}
	if e.Name == "" {
		return event.Event{}, errors.New("no name")
	}
	ev := event.Event{Host: "sound", Name: e.Name, Session: e.ID, Dir: e.Dir, Prompt: e.Text}
	switch e.Name {
	case "begin":
		ev.Kind = event.SessionStart
	case "say":
		ev.Kind = event.Prompt
	case "ask":
		ev.Kind, ev.Tool = event.ToolBefore, &event.ToolUse{Name: e.Tool}
	}
	return ev, nil
}

func (sound) Encode(_ context.Context, _ event.Event, r event.Reply) ([]byte, error) {
	if r.Empty() {
		return nil, nil
	}
	return json.Marshal(r)
}

func (sound) Sources(_ context.Context, req plugins.SourcesRequest) (surface.Sources, error) {
	file := filepath.Join(req.Machine.Home, "config.json")
	s := surface.Sources{Host: "sound", Loading: surface.Eager, ToolName: "{server}.{tool}", Files: []string{file}}
	b, err := os.ReadFile(file)
	if err != nil {
		return s, nil
	}
	var c struct{ Ctx json.RawMessage }
	if err := json.Unmarshal(b, &c); err != nil {
		s.Warnings = []string{file + ": " + err.Error()}
		return s, nil
	}
	s.Servers = []surface.Server{{
		Name: "only", Scope: surface.ScopeUser, Place: surface.Place{File: file}, Transport: surface.Stdio, Command: "only",
	}}
	if c.Ctx != nil {
		ctx := s.Servers[0]
		ctx.Name, ctx.Own = "ctx", true
		s.Servers = append(s.Servers, ctx)
	}
	return s, nil
}

func (sound) PlanWrap(_ context.Context, req plugins.WrapRequest) (plugins.WrapPlan, error) {
	e := wiring.Edit{Path: filepath.Join(req.Machine.Home, "config.json"), Format: wiring.JSON, Why: "run the hooks"}
	e.Ops = []wiring.Op{{Kind: wiring.Set, Path: []string{"hook"}, Value: quoted(req.Hook)}}
	if req.Gateway {
		e.Ops = append(e.Ops, wiring.Op{Kind: wiring.Set, Path: []string{"ctx"}, Value: quoted(req.GatewayBin)})
	}
	return plugins.WrapPlan{Edits: []wiring.Edit{e}}, nil
}

func (sound) Compile(_ context.Context, req plugins.CompileRequest) (plugins.Compiled, error) {
	c := plugins.Compiled{Files: []plugins.CompiledFile{{Name: "c.json"}}, Launch: []string{"sound"}}
	if req.Gateway {
		c.Files[0].Content = quoted(req.GatewayBin)
	}
	return c, nil
}

func quoted(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}
