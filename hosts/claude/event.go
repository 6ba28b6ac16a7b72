package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/plugins"
)

// hookEvent is one event of the host's that ctx-hook is wired to.
type hookEvent struct {
	name    string
	kind    event.Kind
	matcher string // a regular expression on the tool's name, "" for an event without tools
	timeout int    // seconds after which the host goes on without the hook
}

// A failed call has an event of its own; without it only successes would count
// as use. All hooks of SessionEnd together get 1.5 s.
var events = []hookEvent{
	{"SessionStart", event.SessionStart, "", 10},
	{"UserPromptSubmit", event.Prompt, "", 5},
	{"PreToolUse", event.ToolBefore, "mcp__plugin_ctx_ctx__.*", 5},
	{"PostToolUse", event.ToolAfter, "mcp__.*", 5},
	{"PostToolUseFailure", event.ToolAfter, "mcp__.*", 5},
	{"SessionEnd", event.SessionEnd, "", 1},
}

func kindOf(name string) event.Kind {
	for _, e := range events {
		if e.name == name {
			return e.kind
		}
	}
	return event.Other
}

// input is what every event of Claude Code's may carry.
type input struct {
	Session        string          `json:"session_id"`
	Title          string          `json:"session_title"`
	Transcript     string          `json:"transcript_path"`
	Dir            string          `json:"cwd"`
	Name           string          `json:"hook_event_name"`
	PermissionMode string          `json:"permission_mode"`
	Source         string          `json:"source"`
	Prompt         string          `json:"prompt"`
	ToolName       string          `json:"tool_name"`
	ToolInput      json.RawMessage `json:"tool_input"`
	ToolID         string          `json:"tool_use_id"`
	Server         struct {
		Name string `json:"name"`
	} `json:"mcp_server"` // missing before 2.1.3xx
}

// Decode reads an event. Its folder is where the session was started, for cwd
// follows the model's own "cd".
func (a *adapter) Decode(_ context.Context, raw plugins.RawEvent) (event.Event, error) {
	var in input
	if err := json.Unmarshal(raw.Payload, &in); err != nil {
		return event.Event{}, fmt.Errorf("claude %s: %w", raw.Name, err)
	}
	if in.Session == "" {
		return event.Event{}, fmt.Errorf("claude %s: %w", raw.Name, errors.New("an event without session_id"))
	}
	name := in.Name
	if name == "" {
		name = raw.Name
	}
	ev := event.Event{
		Host: hostName, Name: name, Kind: kindOf(name),
		Session: in.Session, Title: in.Title, Transcript: in.Transcript, Dir: in.Dir,
		PermissionMode: in.PermissionMode,
		Unattended:     in.PermissionMode == "bypassPermissions",
	}
	if dir := paths.Lookup(raw.Machine.Env, "CLAUDE_PROJECT_DIR"); filepath.IsAbs(dir) {
		ev.Dir = dir
	}
	if ev.Dir == "" {
		ev.Dir = raw.Dir
	}
	switch ev.Kind {
	case event.SessionStart:
		ev.Source = sourceOf(in.Source)
	case event.Prompt:
		ev.Prompt = in.Prompt
	case event.ToolBefore, event.ToolAfter:
		ev.Tool = toolUse(in)
		ev.Tool.Failed = name == "PostToolUseFailure"
	}
	return ev, nil
}

// sourceOf takes a fork for a resumed conversation: its context is there.
func sourceOf(s string) event.Source {
	switch s {
	case "fork":
		return event.Resume
	case string(event.Startup), string(event.Resume), string(event.Clear), string(event.Compact):
		return event.Source(s)
	}
	return ""
}

// output is the one JSON document that a hook may print.
type output struct {
	Specific specific `json:"hookSpecificOutput"`
}

type specific struct {
	Event    string         `json:"hookEventName"`
	Context  string         `json:"additionalContext,omitempty"`
	Decision event.Decision `json:"permissionDecision,omitempty"`
	Reason   string         `json:"permissionDecisionReason,omitempty"`
}

// Encode says only what the event can carry: a decision before a tool, a
// context everywhere but at the end of a session.
func (a *adapter) Encode(_ context.Context, ev event.Event, r event.Reply) ([]byte, error) {
	out := specific{Event: ev.Name}
	switch ev.Kind {
	case event.SessionStart, event.Prompt, event.ToolAfter:
		out.Context = r.Context
	case event.ToolBefore:
		out.Context = r.Context
		if r.Decision != event.NoOpinion {
			out.Decision, out.Reason = r.Decision, r.Reason
		}
	}
	if out == (specific{Event: ev.Name}) {
		return nil, nil
	}
	return json.Marshal(output{out})
}
