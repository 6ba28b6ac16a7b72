package main

import (
	"context"
	"embed"
	"fmt"

	"github.com/ctx-sidecar/ctx/plugins"
)

const (
	hostName    = "codex"
	version     = "0.1.0"
	toolPattern = "mcp__{server}__{tool}"
	ownServer   = "ctx"         // the name of our table in [mcp_servers]
	ownProgram  = "ctx-gateway" // what tells our table from a user's of that name
)

// adapter implements [plugins.Adapter] for Codex.
type adapter struct {
	system string // folder of the machine-wide configuration
}

var _ plugins.Adapter = adapter{}

// events are the host's events that we take, in the order in which a session
// has them. SessionEnd may not run longer than 3 seconds, or Codex kills it.
var events = []struct {
	name    string
	matcher string
	timeout int // seconds
}{
	{name: "SessionStart", timeout: 10},
	{name: "UserPromptSubmit", timeout: 5},
	{name: "PostToolUse", matcher: "mcp__.*", timeout: 5},
	{name: "SessionEnd", timeout: 3},
}

// Samples are events that Codex 0.169.0 sent.
//
//go:embed testdata/events/*.json
var samples embed.FS

// Describe implements [plugins.Adapter].
func (adapter) Describe(context.Context) (plugins.Description, error) {
	d := plugins.Description{
		Name: hostName, Title: "Codex", Version: version,
		ClientCapabilities: []byte(`{"elicitation":{"form":{},"url":{}}}`),
	}
	for _, e := range events {
		sample, err := samples.ReadFile("testdata/events/" + e.name + ".json")
		if err != nil {
			return plugins.Description{}, fmt.Errorf("read sample: %w", err)
		}
		d.Events = append(d.Events, plugins.EventSpec{Name: e.name, Sample: sample})
	}
	return d, nil
}
