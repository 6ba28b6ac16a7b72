// Package client talks to a gateway of ctx's own as a host would: it starts
// ctx-gateway, speaks MCP on its stdin and stdout, and ends it.
package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/ctx-sidecar/ctx/core/rpc"
	"github.com/ctx-sidecar/ctx/internal/buildinfo"
)

// Options say which gateway is started and for whom.
type Options struct {
	Program   string // absolute path of ctx-gateway
	Args      []string
	Workspace string // absolute; its working folder
	Env       []string

	// Ask answers what a server behind the gateway asks of the user; nil
	// declines everything.
	Ask func(message string) bool
}

// Gateway is a running gateway.
type Gateway struct {
	Instructions string // the index

	cmd    *exec.Cmd
	conn   *rpc.Conn
	stdin  io.Closer
	stderr tail
	opts   Options
}

// endTime is how long the gateway may take to end its servers and itself once
// its stdin is closed.
const endTime = 10 * time.Second

// Start starts a gateway and shakes hands with it. It runs until Close.
func Start(ctx context.Context, o Options) (*Gateway, error) {
	g := &Gateway{opts: o, cmd: exec.Command(o.Program, o.Args...)}
	g.cmd.Dir, g.cmd.Env, g.cmd.Stderr = o.Workspace, o.Env, &g.stderr
	in, err := g.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := g.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the gateway: %w", err)
	}
	g.stdin = in
	g.conn = rpc.NewConn(out, in, g)
	go g.conn.Run(context.WithoutCancel(ctx)) // ends with the gateway's stdout
	if err := g.initialize(ctx); err != nil {
		g.Close()
		return nil, g.explain(err)
	}
	return g, nil
}

func (g *Gateway) initialize(ctx context.Context) error {
	var hello struct {
		Instructions string `json:"instructions"`
	}
	err := g.call(ctx, "initialize", map[string]any{
		"protocolVersion": "2025-11-25",
		"capabilities":    map[string]any{"roots": map[string]any{}, "elicitation": map[string]any{}},
		"clientInfo":      map[string]string{"name": "ctx", "version": buildinfo.Version},
	}, &hello)
	if err != nil {
		return err
	}
	g.Instructions = hello.Instructions
	return g.conn.Notify("notifications/initialized", nil)
}

// Tools lists the tools that a host would be given.
func (g *Gateway) Tools(ctx context.Context) ([]json.RawMessage, error) {
	var r struct {
		Tools []json.RawMessage `json:"tools"`
	}
	err := g.call(ctx, "tools/list", map[string]any{}, &r)
	return r.Tools, g.explain(err)
}

// Answer is the result of a tool call.
type Answer struct {
	Content           []json.RawMessage `json:"content"`
	StructuredContent json.RawMessage   `json:"structuredContent,omitempty"`
	IsError           bool              `json:"isError,omitempty"`
}

// Text is the text of the answer's content; other kinds are named.
func (a Answer) Text() string {
	var parts []string
	for _, raw := range a.Content {
		var c struct{ Type, Text string }
		if err := json.Unmarshal(raw, &c); err != nil || c.Type != "text" {
			parts = append(parts, fmt.Sprintf("(%s, %d bytes)", c.Type, len(raw)))
			continue
		}
		parts = append(parts, c.Text)
	}
	return strings.Join(parts, "\n")
}

// Call calls one of the gateway's own tools.
func (g *Gateway) Call(ctx context.Context, tool string, arguments any) (Answer, error) {
	var a Answer
	err := g.call(ctx, "tools/call", map[string]any{"name": tool, "arguments": arguments}, &a)
	return a, g.explain(err)
}

func (g *Gateway) call(ctx context.Context, method string, params, into any) error {
	b, err := json.Marshal(params)
	if err != nil {
		return err
	}
	result, err := g.conn.Call(ctx, method, b)
	if err != nil {
		return err
	}
	return json.Unmarshal(result, into)
}

// explain adds the gateway's last words to the end of the conversation.
func (g *Gateway) explain(err error) error {
	if err == nil {
		return nil
	}
	if said := g.stderr.String(); said != "" {
		return fmt.Errorf("gateway: %w; it said: %s", err, said)
	}
	return fmt.Errorf("gateway: %w", err)
}

// Close ends the gateway and waits until it is gone, with all that it started.
func (g *Gateway) Close() {
	g.stdin.Close()
	done := make(chan struct{})
	go func() { g.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(endTime):
		g.cmd.Process.Kill()
		<-done
	}
}

// Request answers what the gateway asks of its host; see [rpc.Handler].
func (g *Gateway) Request(_ context.Context, req rpc.Request) {
	result, err := g.answer(req)
	g.conn.Reply(req.ID, result, err)
}

func (g *Gateway) answer(req rpc.Request) (json.RawMessage, error) {
	switch req.Method {
	case "ping":
		return json.RawMessage("{}"), nil
	case "roots/list":
		root := url.URL{Scheme: "file", Path: g.opts.Workspace}
		return json.Marshal(map[string]any{"roots": []map[string]string{{"uri": root.String()}}})
	case "elicitation/create":
		var q struct {
			Message         string `json:"message"`
			RequestedSchema struct {
				Required []string `json:"required"`
			} `json:"requestedSchema"`
		}
		if err := json.Unmarshal(req.Params, &q); err != nil {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "%v", err)
		}
		// A terminal gives a yes or a no, not the fields of a form.
		if len(q.RequestedSchema.Required) == 0 && g.opts.Ask != nil && g.opts.Ask(q.Message) {
			return json.RawMessage(`{"action":"accept","content":{}}`), nil
		}
		return json.RawMessage(`{"action":"decline"}`), nil
	}
	return nil, rpc.Errorf(rpc.CodeMethodNotFound, "%s: not something that ctx can do", req.Method)
}

// Notification takes what the gateway tells; see [rpc.Handler].
func (g *Gateway) Notification(string, json.RawMessage) {}

// Problem takes a line that is no message; see [rpc.Handler].
func (g *Gateway) Problem(err error) { fmt.Fprintln(&g.stderr, err) }

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	const most = 2000
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
