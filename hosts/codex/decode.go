package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/plugins"
)

// hookInput is what Codex writes to a hook's stdin; which fields are there
// depends on the event.
type hookInput struct {
	SessionID      string          `json:"session_id"`
	TranscriptPath *string         `json:"transcript_path"`
	Cwd            string          `json:"cwd"`
	Event          string          `json:"hook_event_name"`
	PermissionMode string          `json:"permission_mode"`
	Source         string          `json:"source"`
	Prompt         string          `json:"prompt"`
	ToolName       string          `json:"tool_name"`
	ToolInput      json.RawMessage `json:"tool_input"`
	ToolUseID      string          `json:"tool_use_id"`
}

var kinds = map[string]event.Kind{
	"SessionStart":     event.SessionStart,
	"UserPromptSubmit": event.Prompt,
	"PostToolUse":      event.ToolAfter,
	"SessionEnd":       event.SessionEnd,
}

// Decode implements [plugins.Adapter].
func (a adapter) Decode(_ context.Context, raw plugins.RawEvent) (event.Event, error) {
	var in hookInput
	if err := json.Unmarshal(raw.Payload, &in); err != nil {
		return event.Event{}, fmt.Errorf("codex event %s: %w", raw.Name, err)
	}
	if in.Event == "" {
		in.Event = raw.Name
	}
	ev := event.Event{
		Host:           hostName,
		Name:           in.Event,
		Kind:           kinds[in.Event],
		Session:        in.SessionID,
		Source:         source(in.Source),
		Dir:            in.Cwd,
		Prompt:         in.Prompt,
		PermissionMode: in.PermissionMode,
		Unattended:     in.PermissionMode == "bypassPermissions",
	}
	if ev.Dir == "" {
		ev.Dir = raw.Dir
	}
	if in.TranscriptPath != nil {
		ev.Transcript = *in.TranscriptPath
	}
	if ev.Kind == event.ToolAfter {
		// Codex runs this hook after calls that succeeded alone, so there is no
		// failure to report.
		ev.Tool = a.toolUse(in, raw.Machine, ev.Dir)
	}
	return ev, nil
}

// source maps the ways in which a conversation starts. A fork goes on from
// where another conversation stands, as a resumed one does.
func source(s string) event.Source {
	switch s {
	case "fork":
		return event.Resume
	default:
		return event.Source(s)
	}
}
