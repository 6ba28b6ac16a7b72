// Package event says what a host tells ctx and what ctx answers, in words that
// belong to no host. An adapter turns its host's JSON into an [Event] and a
// [Reply] back into its host's JSON; nothing else in ctx reads either form.
package event

import "encoding/json"

// Kind is what happened. An event that no part of ctx acts on has [Other].
type Kind string

const (
	Other        Kind = ""
	SessionStart Kind = "session_start" // a conversation begins, resumes, is cleared or compacted
	Prompt       Kind = "prompt"        // the user sent a message
	ToolBefore   Kind = "tool_before"   // the host is about to run a tool and asks for permission
	ToolAfter    Kind = "tool_after"    // a tool has run
	SessionEnd   Kind = "session_end"
)

// Source tells how a session came to start. Hosts that do not say leave it empty.
type Source string

const (
	Startup Source = "startup"
	Resume  Source = "resume"
	Clear   Source = "clear"
	Compact Source = "compact"
)

// Event is one host event.
type Event struct {
	Host           string // the adapter's name: "claude"
	Name           string // the host's own name of the event: "UserPromptSubmit"
	Kind           Kind
	Session        string // the host's id of the conversation
	Title          string // what the host or the user calls the conversation, "" where this event does not say
	Source         Source
	Dir            string // absolute working folder of the session
	Transcript     string // absolute path, "" when the host keeps none
	Prompt         string // the user's message, for Kind Prompt
	PermissionMode string // the host's own word, "" when it has none
	// Unattended is true where the user has switched the host's own questions
	// off for this session, so that asking would only refuse.
	Unattended bool
	Tool       *ToolUse // for ToolBefore and ToolAfter
}

// ToolUse is the tool of a [ToolBefore] or [ToolAfter] event.
type ToolUse struct {
	ID     string // the host's id of this call
	Name   string // as the host names it: "mcp__github__get_issue", "Bash"
	Server string // MCP server as the host names it, "" for a tool of the host's own
	Tool   string // the server's own tool name, "" for a tool of the host's own
	Ours   bool   // a tool of ctx-gateway's own; Tool is then its name there
	Input  json.RawMessage
	Failed bool // ToolAfter: the host says that the call failed
}

// Decision is the answer to a [ToolBefore] event.
type Decision string

const (
	NoOpinion Decision = "" // the host decides as it would without ctx
	Allow     Decision = "allow"
	Ask       Decision = "ask"
	Deny      Decision = "deny"
)

// Reply is what ctx answers. The zero Reply says nothing.
type Reply struct {
	Context  string // text for the model: ASCII, at most 1,200 bytes
	Decision Decision
	Reason   string // of the decision, one line, for the user and the model
}

// Empty reports whether there is nothing to tell the host.
func (r Reply) Empty() bool { return r == Reply{} }
