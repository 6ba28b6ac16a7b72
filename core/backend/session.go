package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// protocolVersion is the newest revision with a session, which is what a server
// needs in order to ask its client for anything. A server answers with the
// newest that it has itself.
const protocolVersion = "2025-11-25"

// Codes that MCP's own SDKs use for what happens between the two ends.
const (
	CodeConnectionClosed = -32000 // the server is not there, or no longer
	CodeRequestTimeout   = -32001 // it did not answer in the time configured for it
)

// session is one connection to one server, from initialize to its end.
type session struct {
	server string
	link   link
	client Client
	log    hclog.Logger
	began  time.Time

	declared json.RawMessage // capabilities
	hello    hello           // the answer to initialize

	progress progressMap

	mu      sync.Mutex
	changed kinds         // lists that are out of date
	wake    chan struct{} // holds one element when changed is not empty
}

// hello is the result of initialize.
type hello struct {
	ProtocolVersion string          `json:"protocolVersion"`
	Capabilities    json.RawMessage `json:"capabilities"`
	ServerInfo      struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"serverInfo"`
	Instructions string `json:"instructions"`
}

// initialize shakes hands.
func (s *session) initialize(ctx context.Context, capabilities json.RawMessage) error {
	if len(capabilities) == 0 {
		capabilities = json.RawMessage("{}")
	}
	s.declared = capabilities
	params, err := json.Marshal(map[string]any{
		"protocolVersion": protocolVersion,
		"capabilities":    capabilities,
		"clientInfo":      map[string]string{"name": "ctx-gateway", "version": version()},
	})
	if err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	result, err := s.link.Call(ctx, "initialize", params)
	if err != nil {
		return s.cause(err)
	}
	if err := json.Unmarshal(result, &s.hello); err != nil {
		return fmt.Errorf("the answer to initialize: %w", err)
	}
	return s.link.Notify("notifications/initialized", nil)
}

// call forwards one request and restores the progress token of its caller in
// what is reported meanwhile.
func (s *session) call(ctx context.Context, method string, params json.RawMessage, onProgress func(json.RawMessage)) (json.RawMessage, error) {
	params, done := s.progress.watch(params, onProgress)
	defer done()
	result, err := s.link.Call(ctx, method, params)
	if err == nil || ctx.Err() != nil || errors.As(err, new(*rpc.Error)) {
		return result, err
	}
	return nil, rpc.Errorf(CodeConnectionClosed, "server %q: %v", s.server, s.cause(err))
}

// cause turns the bare end of a connection into what ended it.
func (s *session) cause(err error) error {
	if !errors.Is(err, rpc.ErrClosed) {
		return err
	}
	select {
	case <-s.link.done():
		return s.link.why()
	case <-time.After(time.Second):
		return err
	}
}

// request answers what a server asks of its client.
func (s *session) request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	switch method {
	case "ping":
		return json.RawMessage("{}"), nil
	case "roots/list", "sampling/createMessage", "elicitation/create":
		if s.client != nil {
			return s.client.Request(ctx, s.server, method, params)
		}
	}
	return nil, rpc.Errorf(rpc.CodeMethodNotFound, "method %s is not available", method)
}

// notification takes what a server tells.
func (s *session) notification(method string, params json.RawMessage) {
	switch method {
	case "notifications/progress":
		s.progress.report(params)
	case "notifications/tools/list_changed":
		s.stale(kinds{tools: true})
	case "notifications/resources/list_changed":
		s.stale(kinds{resources: true})
	case "notifications/prompts/list_changed":
		s.stale(kinds{prompts: true})
	default:
		if s.client != nil {
			s.client.Notify(s.server, method, params)
		}
	}
}

// kinds is a set of lists.
type kinds struct{ tools, resources, prompts bool }

func (s *session) stale(k kinds) {
	s.mu.Lock()
	s.changed.tools = s.changed.tools || k.tools
	s.changed.resources = s.changed.resources || k.resources
	s.changed.prompts = s.changed.prompts || k.prompts
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default: // the one that is in there stands for this, too
	}
}

// takeStale returns which lists are out of date, and takes them for read.
func (s *session) takeStale() kinds {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.changed
	s.changed = kinds{}
	return k
}
