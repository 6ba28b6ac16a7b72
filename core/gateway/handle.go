package gateway

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// errDiscover refuses server/discover: answering it would commit the host to the
// stateless protocol, which has no requests from servers to hosts.
var errDiscover = rpc.Errorf(rpc.CodeMethodNotFound, "this server speaks the protocol up to 2025-11-25: send initialize")

// Handle answers one request of the host's. The error is for a JSON-RPC error
// response.
func (g *Gateway) Handle(ctx context.Context, id json.RawMessage, method string, params json.RawMessage) (json.RawMessage, error) {
	switch method {
	case "initialize":
		hello := g.greet(ctx, params)
		return g.lifecycle(context.WithValue(ctx, greetingKey{}, hello), id, method, params)
	case "server/discover":
		return nil, errDiscover
	case "tools/list":
		if l := g.opts.Capabilities; l != nil {
			defer l.Listed()
		}
		return g.listTools(ctx)
	case "tools/call":
		return g.callTool(ctx, params)
	case "resources/list":
		return g.listResources(ctx)
	case "resources/templates/list":
		return g.listTemplates(ctx)
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return g.resource(ctx, method, params)
	case "prompts/list":
		return g.listPrompts(ctx)
	case "prompts/get":
		return g.getPrompt(ctx, params)
	case "completion/complete":
		return g.complete(ctx, params)
	case "logging/setLevel":
		for _, s := range g.current(ctx).servers {
			if s.offers.Logging != nil {
				go g.forwardLevel(s.name, params)
			}
		}
	}
	return g.lifecycle(ctx, id, method, params)
}

// forwardLevel tells a server what to log; what becomes of it does not concern
// the host's own request.
func (g *Gateway) forwardLevel(server string, params json.RawMessage) {
	ctx, cancel := context.WithTimeout(g.ctx, time.Minute)
	defer cancel()
	if _, err := g.backends.Request(ctx, server, "logging/setLevel", params, nil); err != nil {
		g.log.Debug("log level not set", "server", server, "error", err)
	}
}

// Notification takes one notification of the host's.
func (g *Gateway) Notification(method string, params json.RawMessage) {
	switch method {
	case "notifications/roots/list_changed":
		go func() {
			for _, s := range g.current(g.ctx).servers {
				g.backends.Notify(s.name, method, params)
			}
		}()
	case "notifications/initialized", "notifications/cancelled", "notifications/progress":
		// The connection itself withdraws what is cancelled.
	default:
		g.log.Debug("notification ignored", "method", method)
	}
}

// greet takes what the host declares and starts the servers behind; it does not
// wait for any of them.
func (g *Gateway) greet(ctx context.Context, params json.RawMessage) greeting {
	g.upstream.declare(params)
	g.begin(ctx)
	c := g.current(ctx)
	hello := greeting{instructions: c.without(g.opts.Memory.load().Hidden).instructions(g.mode == everything)}
	for _, s := range c.servers {
		hello.resources = hello.resources || !s.listed || s.offers.Resources != nil
		hello.prompts = hello.prompts || !s.listed || s.offers.Prompts != nil
	}
	return hello
}

// begin settles, once, how this session lists its tools, and starts the servers.
func (g *Gateway) begin(ctx context.Context) {
	g.ready.Do(func() {
		if g.opts.Capabilities != nil {
			g.offers.Bundles, g.offers.Skills = g.opts.Capabilities.Offers(ctx)
		}
		g.mode = chooseMode(g.opts.Config, g.current(ctx), g.offers)
		g.log.Info("session begins", "host", g.opts.HostName, "mode", g.mode, "tools", len(g.current(ctx).tools))
		if g.mode == narrow || g.mode == reveal {
			g.record.remember.Store(true)
		}
		if g.mode != kernelOnly || g.offers.any() {
			go g.watch(g.ctx)
		}
		if g.mode != everything {
			g.reader.begin()
			g.reader.notice(g.current(ctx))
		}
		go g.backends.Start()
		if g.opts.Capabilities != nil {
			g.opts.Capabilities.Begin(ctx)
		}
	})
}
