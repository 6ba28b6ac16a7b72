// Package usage counts completed tool calls, under the name of the server that
// really ran them. It records names and times, never arguments or results.
package usage

import "time"

// Via says who counted a call.
const (
	ViaHook    = "hook"    // the host called the server itself
	ViaGateway = "gateway" // the call went through ctx-gateway
)

// Call is one completed call of an MCP tool.
type Call struct {
	Session string    `json:"session"`
	Host    string    `json:"host"`
	Server  string    `json:"server"`
	Tool    string    `json:"tool"`
	At      time.Time `json:"at"`
	Failed  bool      `json:"failed,omitempty"`
	Via     string    `json:"via"`
}

// Problem is a line of the log that could not be read.
type Problem struct {
	File string
	Line int // counts from 1
	Text string
}
