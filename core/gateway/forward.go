package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/rpc"
)

// forward lets the server run its tool and returns the server's own answer. No
// call is ever sent twice: only the model knows whether that would do harm.
func (g *Gateway) forward(ctx context.Context, c *catalog, t listing.Tool, r request) (json.RawMessage, error) {
	if refusal := g.permit(ctx, c.rules, t, r.Arguments); refusal != nil {
		return refusal, nil
	}
	// What is known of the tool may be from an earlier session of the server.
	if err := g.backends.Await(ctx, t.Server); err != nil {
		return g.unanswered(ctx, t, err)
	}
	if refusal := g.overtaken(ctx, c, t); refusal != nil {
		return refusal, nil
	}
	raw, err := g.backends.Request(ctx, t.Server, "tools/call", callParams(t.Name, r.Arguments, r.Meta), g.progress(r.Meta))
	if err != nil {
		return g.unanswered(ctx, t, err)
	}
	g.record.call(g.session(), t, failed(raw))
	if g.opts.Capabilities != nil {
		go g.opts.Capabilities.Registry().Used(t.Server, t.Name) // it may write a file
	}
	return g.kept.Cut(raw, g.opts.Config.MaxResponseTokens, g.promisesStructure(t)), nil
}

// overtaken returns the refusal of a call that was judged by what c knows of a
// tool, where the rules no longer admit it or its server has defined it otherwise
// since; nil when the call may still be made. The catalogs are compared, not the baselines: another session
// may have taken the definition down, and the user decided about it, before this
// one ever saw it.
func (g *Gateway) overtaken(ctx context.Context, c *catalog, t listing.Tool) json.RawMessage {
	now := g.current(ctx)
	if now == c {
		return nil
	}
	id := t.ID()
	if v := now.rules.Gate.Rule(t.Server, t.Name); v.Decision == event.Deny {
		return denied(t, v)
	}
	if !now.rules.admits(t.Server, t.Name) {
		return refuse("%s was not called: what brought it in has been disabled meanwhile", line(id, 100))
	}
	if h := now.isHeld(id); h != nil {
		return h.refusal()
	}
	if w := now.isWithheld(id); w != nil {
		return w.refusal()
	}
	if i, ok := now.byID[id]; ok && tier(now.tools[i]) > tier(t) {
		return refuse("%s is defined otherwise by now and was not called: it may do more than before (%s). See it with %s, then call it again.", line(id, 100), tier(now.tools[i]), describeTool)
	}
	return nil
}

// unanswered tells a server's own error, which the host gets as it is, from a
// server that is not there. The latter becomes a result: some hosts take the
// code of a lost connection for the loss of their own.
func (g *Gateway) unanswered(ctx context.Context, t listing.Tool, err error) (json.RawMessage, error) {
	var answered *rpc.Error
	switch {
	case !errors.As(err, &answered) && ctx.Err() != nil:
		return nil, err // the host has withdrawn the call
	case answered != nil && !notThere(answered, t.Server):
		g.record.call(g.session(), t, true)
		return nil, answered
	case answered != nil:
		return refuse("%s was not answered: %s. It was not tried again.", t.ID(), line(answered.Message, 500)), nil
	}
	return refuse("%s was not answered: %s. It was not tried again.", t.ID(), line(err.Error(), 500)), nil
}

// notThere recognises the errors of [backend.Manager] itself.
func notThere(e *rpc.Error, server string) bool {
	return (e.Code == backend.CodeConnectionClosed || e.Code == backend.CodeRequestTimeout) &&
		strings.HasPrefix(e.Message, fmt.Sprintf("server %q", server))
}

// callParams puts the params of a call together from the bytes as they came.
func callParams(name string, arguments, meta json.RawMessage) json.RawMessage {
	if len(arguments) == 0 {
		arguments = json.RawMessage(`{}`)
	}
	b := make([]byte, 0, len(name)+len(arguments)+len(meta)+48)
	b = append(append(b, `{"name":`...), encode(name)...)
	b = append(append(b, `,"arguments":`...), arguments...)
	if len(meta) > 0 {
		b = append(append(b, `,"_meta":`...), meta...)
	}
	return append(b, '}')
}

// promisesStructure reports whether the host was shown an output schema, and
// may refuse a result that does not keep to it.
func (g *Gateway) promisesStructure(t listing.Tool) bool {
	return g.mode != kernelOnly && bytes.Contains(t.Raw, []byte(`"outputSchema"`))
}

func failed(raw json.RawMessage) bool {
	if !bytes.Contains(raw, []byte(`"isError"`)) {
		return false
	}
	var r struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal(raw, &r) == nil && r.IsError
}

// progress hands a server's progress on to the host; nil when the host has not
// asked for any.
func (g *Gateway) progress(meta json.RawMessage) func(json.RawMessage) {
	var m struct {
		Token json.RawMessage `json:"progressToken"`
	}
	if json.Unmarshal(meta, &m) != nil || len(m.Token) == 0 {
		return nil
	}
	return func(params json.RawMessage) {
		if err := g.host.Notify("notifications/progress", params); err != nil {
			g.log.Debug("progress not delivered", "error", err)
		}
	}
}
