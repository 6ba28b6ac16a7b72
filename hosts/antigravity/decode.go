package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/plugins"
)

// hookInput is what Antigravity writes to a hook's stdin. It does not say which
// event it is; the hook's arguments do.
type hookInput struct {
	Conversation  string          `json:"conversationId"`
	Workspaces    []string        `json:"workspacePaths"`
	Transcript    string          `json:"transcriptPath"`
	InvocationNum *int            `json:"invocationNum"`
	InitialSteps  int             `json:"initialNumSteps"`
	Step          int             `json:"stepIdx"`
	ToolCall      *toolCall       `json:"toolCall"`
	Error         json.RawMessage `json:"error"`
}

type toolCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// Decode implements [plugins.Adapter].
func (adapter) Decode(_ context.Context, raw plugins.RawEvent) (event.Event, error) {
	var in hookInput
	if err := json.Unmarshal(raw.Payload, &in); err != nil {
		return event.Event{}, fmt.Errorf("antigravity event %s: %w", raw.Name, err)
	}
	ev := event.Event{
		Host:       hostName,
		Name:       raw.Name,
		Session:    in.Conversation,
		Dir:        in.dir(raw),
		Transcript: in.Transcript,
	}
	if ev.Session == "" {
		ev.Session = paths.Lookup(raw.Machine.Env, "ANTIGRAVITY_CONVERSATION_ID")
	}
	switch raw.Name {
	case "PreInvocation":
		in.invocation(&ev)
	case "PostToolUse":
		if in.ToolCall != nil {
			ev.Kind = event.ToolAfter
			ev.Tool = in.toolUse()
		}
	}
	return ev, nil
}

// invocation reads the event before a call of the model. The first call after
// each message of the user has number 0; the message itself stands in the
// transcript alone. Where it cannot be read there is nothing to act on, but the
// beginning of a conversation is one.
func (in hookInput) invocation(ev *event.Event) {
	if in.InvocationNum == nil || *in.InvocationNum != 0 {
		return
	}
	ev.Prompt = unanswered(in.Transcript)
	switch {
	case ev.Prompt != "":
		ev.Kind = event.Prompt
	case in.InitialSteps <= 1:
		ev.Kind, ev.Source = event.SessionStart, event.Startup
	}
}

// dir is the first workspace folder. Without any (agy -p has none unless it is
// given one) the hook's own folder does not do: it is that of hooks.json.
func (in hookInput) dir(raw plugins.RawEvent) string {
	for _, dir := range in.Workspaces {
		if dir = strings.TrimPrefix(dir, "file://"); filepath.IsAbs(dir) {
			return dir
		}
	}
	return raw.Machine.Home
}

// toolUse reads the tool. Every MCP call is one of the host's own tool
// call_mcp_tool, with the server and the tool among its arguments.
func (in hookInput) toolUse() *event.ToolUse {
	use := &event.ToolUse{
		ID:     fmt.Sprint(in.Step),
		Name:   in.ToolCall.Name,
		Input:  in.ToolCall.Args,
		Failed: failed(in.Error),
	}
	server, tool, input := in.ToolCall.mcp()
	if server == "" {
		return use
	}
	use.Server, use.Tool, use.Ours, use.Input = server, tool, server == ownServer, input
	return use
}

// mcp reads what an MCP call calls, and with which input; server is "" for a
// call of anything else.
func (c toolCall) mcp() (server, tool string, input json.RawMessage) {
	var args map[string]json.RawMessage
	if c.Name != "call_mcp_tool" || json.Unmarshal(c.Args, &args) != nil {
		return "", "", nil
	}
	server, tool = argument(args, "servername", "server"), argument(args, "toolname", "tool", "name")
	if server == "" || tool == "" {
		return "", "", nil
	}
	input = c.Args
	for key, value := range args {
		if fold(key) == "arguments" && json.Valid(unquoted(value)) {
			input = unquoted(value)
		}
	}
	return server, tool, input
}

// argument finds the first of some names among arguments, whatever their case
// and separators.
func argument(args map[string]json.RawMessage, names ...string) string {
	for _, name := range names {
		for key, value := range args {
			if fold(key) != name {
				continue
			}
			var s string
			if json.Unmarshal(unquoted(value), &s) == nil && s != "" {
				return s
			}
		}
	}
	return ""
}

// unquoted is a value that may have been written as JSON within a JSON string,
// as some versions do.
func unquoted(value json.RawMessage) json.RawMessage {
	var s string
	if json.Unmarshal(value, &s) == nil && json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	return value
}

func fold(key string) string {
	return strings.ToLower(strings.ReplaceAll(key, "_", ""))
}

// failed reads the error of a call: absent, null, "" or {} for none.
func failed(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", `""`, "{}", "false":
		return false
	}
	return true
}
