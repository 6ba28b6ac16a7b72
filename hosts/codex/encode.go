package main

import (
	"context"
	"encoding/json"

	"github.com/ctx-sidecar/ctx/core/event"
)

// hookOutput is all that we ever answer. Codex takes an unknown key, or plain
// text that begins with "[" or "{", for a failure of the hook.
type hookOutput struct {
	Specific hookSpecific `json:"hookSpecificOutput"`
}

type hookSpecific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// Encode implements [plugins.Adapter]. Codex takes context on SessionStart and
// UserPromptSubmit; a decision has no place here, since calls to our tools are
// answered for by the gateway.
func (adapter) Encode(_ context.Context, ev event.Event, r event.Reply) ([]byte, error) {
	if r.Context == "" || ev.Kind != event.SessionStart && ev.Kind != event.Prompt {
		return nil, nil
	}
	return json.Marshal(hookOutput{hookSpecific{Event: ev.Name, Context: r.Context}})
}
