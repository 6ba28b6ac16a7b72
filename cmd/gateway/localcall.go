package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/gateway"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/localtool"
	"github.com/ctx-sidecar/ctx/core/rpc"
	"github.com/ctx-sidecar/ctx/core/surface"
)

const (
	localTime   = 300 * time.Second // that a tool of the workspace's may take
	localOutput = 16 << 20          // bytes that it may answer
	localErrors = 4 << 10           // bytes of the end of its stderr that are shown
)

// withLocal are the servers behind a session, the workspace's own tools among
// them. Those need no server: each call runs an executable below the spawner.
type withLocal struct {
	*backend.Manager
	local *local
	env   []string
	limit time.Duration
}

var _ gateway.Backends = withLocal{}

// SetServers implements [gateway.Backends].
func (b withLocal) SetServers(servers []surface.Server) {
	b.Manager.SetServers(slices.DeleteFunc(slices.Clone(servers), is))
}

// Listings implements [gateway.Backends].
func (b withLocal) Listings() []listing.Listing {
	all := b.Manager.Listings()
	if own, ok := b.local.listing(); ok {
		all = append(all, own)
	}
	return all
}

// owns reports whether a server is that of the workspace's own tools.
func (b withLocal) owns(server string) bool {
	b.local.mu.Lock()
	defer b.local.mu.Unlock()
	return b.local.named == server
}

// Await implements [gateway.Backends].
func (b withLocal) Await(ctx context.Context, server string) error {
	if b.owns(server) {
		return nil
	}
	return b.Manager.Await(ctx, server)
}

// Request implements [gateway.Backends].
func (b withLocal) Request(ctx context.Context, server, method string, params json.RawMessage, onProgress func(json.RawMessage)) (json.RawMessage, error) {
	switch {
	case !b.owns(server):
		return b.Manager.Request(ctx, server, method, params, onProgress)
	case method != "tools/call":
		return nil, rpc.Errorf(rpc.CodeMethodNotFound, "method %s is not available", method)
	}
	var call struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &call); err != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "tools/call: %v", err)
	}
	text, err := b.run(ctx, call.Name, call.Arguments)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx) // nobody waits for it any more
	}
	if err != nil {
		return localResult(err.Error(), true)
	}
	return localResult(text, false)
}

func localResult(text string, failed bool) (json.RawMessage, error) {
	type block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	return json.Marshal(struct {
		Content []block `json:"content"`
		IsError bool    `json:"isError,omitempty"`
	}{[]block{{"text", text}}, failed})
}

// run runs a tool of the workspace's. What runs are the bytes that the user
// approved, from a copy that only the user can write: they are read once, and
// whether they may run is decided about what was read.
func (b withLocal) run(ctx context.Context, name string, arguments json.RawMessage) (string, error) {
	t, ok := b.local.tool(name)
	if !ok {
		return "", fmt.Errorf("%s:%s is not as the user approved it, or is gone: ctx trust list", localtool.Server, name)
	}
	env, err := t.Environment(arguments)
	if err != nil {
		return "", err
	}
	text, err := t.Bytes()
	if err != nil {
		return "", fmt.Errorf("%s: %w", t.ID(), err)
	}
	path, err := b.local.copies.Put(t, text)
	if err != nil {
		return "", fmt.Errorf("%s: its private copy: %w", t.ID(), err)
	}
	limited, cancel := context.WithTimeoutCause(ctx, b.limit, fmt.Errorf("it took longer than %s and was ended", b.limit))
	defer cancel()
	x, err := b.Manager.Run(limited, backend.Program{
		Path: path, Env: append(slices.Clone(b.env), env...), Dir: b.local.Workspace, Input: arguments, Most: localOutput,
	})
	output := strings.ToValidUTF8(string(x.Output), "\uFFFD")
	switch {
	case errors.Is(err, syscall.ENOENT):
		err = fmt.Errorf("its interpreter, which the first line names, is not there")
	case err == nil && !x.OK:
		err = errors.New(x.Status)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w%s%s", t.ID(), err, section("stderr", x.Errors), section("stdout", x.Output))
	}
	return output, nil
}

// section is the end of what a tool that failed has written.
func section(name string, text []byte) string {
	text = text[max(0, len(text)-localErrors):]
	if s := strings.TrimSpace(strings.ToValidUTF8(string(text), "\uFFFD")); s != "" {
		return "\n[" + name + "]\n" + s
	}
	return ""
}
