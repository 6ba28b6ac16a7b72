// Package modelstub stands in for a model's API in tests: it serves the
// Anthropic Messages API and the OpenAI Responses API on loopback, answers from
// a script, and keeps every request. What a host tells its model is then a fact
// that a test can read.
//
//	stub, err := modelstub.Start([]modelstub.Step{
//		{Tool: "mcp__memory__read_graph", Input: map[string]any{}},
//		{Text: "done"},
//	})
//
// A host is pointed at [Server.URL]: Claude Code by ANTHROPIC_BASE_URL, Codex by
// base_url of a model provider, with "/v1" behind it.
package modelstub

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Step is one answer of the model: a call of Tool, or Text where Tool is empty.
// Only requests that offer tools use up a step; after the last one every answer
// is the text "done".
type Step struct {
	Tool      string `json:"tool,omitempty"`
	Namespace string `json:"namespace,omitempty"` // Responses API alone: "mcp__github" of a grouped tool
	Input     any    `json:"input,omitempty"`     // arguments; nil is {}
	Text      string `json:"text,omitempty"`
}

// arguments is Input as JSON.
func (s Step) arguments() ([]byte, error) {
	if s.Input == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(s.Input)
}

// Request is one request as the host sent it.
type Request struct {
	Path string          // without the query: "/v1/messages"
	Body json.RawMessage // nil where there was none, or none that is JSON
}

// Server is a running stand-in.
type Server struct {
	URL string // "http://127.0.0.1:PORT", without a slash at the end

	http *http.Server

	mu       sync.Mutex
	script   []Step
	answered int
	requests []Request
}

// Start serves the script on a free port of loopback until Close.
func Start(script []Step) (*Server, error) {
	for _, step := range script {
		if _, err := step.arguments(); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + l.Addr().String(), script: slices.Clone(script)}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go s.http.Serve(l) // ends with ErrServerClosed
	return s, nil
}

// Close stops serving, without waiting for requests that are under way.
func (s *Server) Close() error { return s.http.Close() }

// Requests returns what has been received so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Turns returns the requests that carried a conversation with tools: those that
// a script step answered, in the same order.
func (s *Server) Turns() []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return !r.isTurn() })
}

func (r Request) isTurn() bool {
	switch {
	case strings.HasSuffix(r.Path, "/messages"):
		return len(r.Tools()) > 0
	case strings.HasSuffix(r.Path, "/responses"):
		return true
	}
	return false
}

// Tools returns the tool definitions that the request offers, unchanged.
func (r Request) Tools() []json.RawMessage {
	var body struct{ Tools []json.RawMessage }
	// A body that does not parse offers no tools.
	_ = json.Unmarshal(r.Body, &body)
	return body.Tools
}

// ServeHTTP answers one request of a host.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil && !errors.Is(err, context.Canceled) {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req := Request{Path: r.URL.Path}
	if json.Valid(raw) {
		req.Body = raw
	}
	step, n := s.take(req)
	post := r.Method == http.MethodPost
	switch {
	case post && strings.HasSuffix(req.Path, "/messages/count_tokens"):
		answer(w, map[string]any{"input_tokens": 10})
	case post && strings.HasSuffix(req.Path, "/messages"):
		messages(w, req, step, n)
	case post && strings.HasSuffix(req.Path, "/responses"):
		responses(w, step, n)
	default:
		answer(w, map[string]any{})
	}
}

// take records a request and returns the step that answers it and its number.
// Hosts also ask for titles and the like, without tools: these get a text that
// is not in the script.
func (s *Server) take(req Request) (Step, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	n := len(s.requests)
	if !req.isTurn() {
		return Step{Text: "ok"}, n
	}
	if s.answered == len(s.script) {
		return Step{Text: "done"}, n
	}
	s.answered++
	return s.script[s.answered-1], n
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // a host that went away needs no answer
}
