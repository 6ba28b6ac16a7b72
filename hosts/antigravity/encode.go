package main

import (
	"context"
	"encoding/json"

	"github.com/ctx-sidecar/ctx/core/event"
)

// invocationOutput is what a PreInvocation hook may answer. A message that is
// ephemeral goes to the model and not into the conversation.
type invocationOutput struct {
	Inject []step `json:"injectSteps,omitempty"`
}

type step struct {
	Ephemeral string `json:"ephemeralMessage"`
}

// Encode implements [plugins.Adapter]. Nothing to say is an empty object, for
// each of our events.
func (adapter) Encode(_ context.Context, ev event.Event, r event.Reply) ([]byte, error) {
	var out invocationOutput
	if ev.Name == "PreInvocation" && r.Context != "" {
		out.Inject = []step{{Ephemeral: r.Context}}
	}
	return json.Marshal(out)
}
