// Package rpc is one end of a JSON-RPC 2.0 conversation over a stream of lines,
// with the two habits that MCP adds to it: a call whose caller gives up is
// withdrawn with notifications/cancelled, and a request that the other end
// withdraws has its context cancelled.
//
// Params and results are raw: the bytes that came are the bytes that are handed
// on. Both ends of a proxy are therefore one parse of the envelope each.
package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Codes of JSON-RPC 2.0.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
)

// ErrClosed is what a call fails with when the conversation ends before its
// answer arrives.
var ErrClosed = errors.New("connection closed")

// Error is the error of a response.
type Error struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error implements error: the message and the code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Errorf makes an Error without data.
func Errorf(code int64, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Request is a request of the other end's. ID is its id as it came, to be given
// back to [Conn.Reply].
type Request struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage // nil when there are none
}

// Handler takes what the other end begins by itself.
type Handler interface {
	// Request answers one request with exactly one [Conn.Reply]. It runs in a
	// goroutine of its own; ctx ends when the other end withdraws the request
	// or the context of [Conn.Run] ends.
	Request(ctx context.Context, req Request)

	// Notification takes one notification. Notifications arrive in order, on
	// the goroutine that reads, before any later response is delivered: it must
	// not wait for anything that the same connection brings.
	Notification(method string, params json.RawMessage)

	// Problem is told what was skipped or went wrong without ending the
	// conversation: a [*LineError], or a Request that panicked. It may be called
	// from several goroutines at once.
	Problem(err error)
}

// LineError is a line that is no JSON-RPC message. It was skipped.
type LineError struct {
	Line []byte // its beginning, at most 256 bytes
	Err  error
}

// Error implements error. The line itself may hold secrets and is left out.
func (e *LineError) Error() string { return "not a JSON-RPC message: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }
