package gateway

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// upstream is the host as the servers behind the gateway see it: it can what
// the host has declared, and its answers are the host's own.
type upstream struct {
	gateway *Gateway

	mu       sync.Mutex
	declared map[string]json.RawMessage
}

// passedOn are the client capabilities that servers may be told of: each needs
// nothing but forwarding.
var passedOn = map[string]string{
	"roots/list":             "roots",
	"sampling/createMessage": "sampling",
	"elicitation/create":     "elicitation",
}

// declare takes the capabilities from the params of initialize.
func (u *upstream) declare(params json.RawMessage) {
	var p struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	// Params that do not parse are answered with an error by the protocol's own
	// negotiation; nothing is then declared.
	_ = json.Unmarshal(params, &p)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.declared = map[string]json.RawMessage{}
	for _, name := range passedOn {
		if c, ok := p.Capabilities[name]; ok && string(c) != "null" {
			u.declared[name] = c
		}
	}
}

func (u *upstream) can(capability string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, ok := u.declared[capability]
	return ok
}

// canAsk reports whether the host shows a form to its user.
func (u *upstream) canAsk() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	raw, ok := u.declared["elicitation"]
	var modes struct {
		Form json.RawMessage `json:"form"`
		URL  json.RawMessage `json:"url"`
	}
	return ok && json.Unmarshal(raw, &modes) == nil && (modes.Form != nil || modes.URL == nil)
}

// Capabilities is what is declared to servers.
func (u *upstream) Capabilities() json.RawMessage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return encode(u.declared)
}

// Request forwards a server's request to the host.
func (u *upstream) Request(ctx context.Context, server, method string, params json.RawMessage) (json.RawMessage, error) {
	if method == "ping" {
		return json.RawMessage(`{}`), nil
	}
	if capability, ok := passedOn[method]; !ok || !u.can(capability) {
		return nil, rpc.Errorf(rpc.CodeMethodNotFound, "the host cannot answer %s", method)
	}
	return u.gateway.host.Call(ctx, method, params)
}

// Notify forwards a server's notification to the host. Changed lists do not
// come this way: the manager of the servers reads the new list first.
func (u *upstream) Notify(server, method string, params json.RawMessage) {
	switch method {
	case "notifications/message", "notifications/elicitation/complete":
	case "notifications/resources/updated":
		params = u.gateway.ownURI(server, params)
	default:
		return
	}
	if err := u.gateway.host.Notify(method, params); err != nil {
		u.gateway.log.Debug("notification not delivered", "server", server, "method", method, "error", err)
	}
}
