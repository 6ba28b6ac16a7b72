package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// greeting is what the answer to initialize says beyond the protocol's own
// negotiation.
type greeting struct {
	instructions string
	resources    bool
	prompts      bool
}

type greetingKey struct{}

// newMCPServer makes the server that answers everything but tools, resources
// and prompts: negotiation, ping, log levels, unknown methods.
func newMCPServer(version string) *server.MCPServer {
	hooks := &server.Hooks{}
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, r *mcp.InitializeResult) {
		hello, ok := ctx.Value(greetingKey{}).(greeting)
		if !ok {
			return
		}
		r.Instructions = hello.instructions
		if !hello.resources {
			r.Capabilities.Resources = nil
		}
		if !hello.prompts {
			r.Capabilities.Prompts = nil
		}
		if !hello.resources && !hello.prompts {
			r.Capabilities.Completions = nil
		}
	})
	return server.NewMCPServer("ctx", version,
		server.WithToolCapabilities(true),
		server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true),
		server.WithCompletions(),
		server.WithLogging(),
		server.WithHooks(hooks),
	)
}

// lifecycle lets the MCP library answer.
func (g *Gateway) lifecycle(ctx context.Context, id json.RawMessage, method string, params json.RawMessage) (json.RawMessage, error) {
	message := encode(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", id, method, params})
	raw, err := json.Marshal(g.mcp.HandleMessage(g.mcp.WithContext(ctx, g.peer), message))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	var reply struct {
		Result json.RawMessage `json:"result"`
		Error  *rpc.Error      `json:"error"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	if reply.Error != nil {
		return nil, reply.Error
	}
	return reply.Result, nil
}

// peer is the host as the MCP library knows it.
type peer struct {
	level atomic.Value // mcp.LoggingLevel
}

var _ server.SessionWithLogging = (*peer)(nil)

func (*peer) Initialize()       {}
func (*peer) Initialized() bool { return true }
func (*peer) SessionID() string { return "host" }

// NotificationChannel is nil: the library sends nothing by itself, since none
// of the tools are its own.
func (*peer) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }

func (p *peer) SetLogLevel(l mcp.LoggingLevel) { p.level.Store(l) }

func (p *peer) GetLogLevel() mcp.LoggingLevel {
	l, _ := p.level.Load().(mcp.LoggingLevel)
	return l
}
