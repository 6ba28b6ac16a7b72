package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// limit is when an answer is given up on.
const limit = time.Minute

// server is a running MCP server on stdio.
type server struct {
	cmd   *exec.Cmd
	conn  *rpc.Conn
	stdin io.Closer
	hello struct {
		Instructions string `json:"instructions"`
	}
}

// full is what a capable host declares.
const full = `{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"roots":{"listChanged":true},"sampling":{}},"clientInfo":{"name":"bench","version":"1"}}`

// start starts a server and shakes hands.
func (w *world) start(program string, args ...string) (*server, error) {
	s := &server{cmd: exec.Command(program, args...)}
	s.cmd.Dir, s.cmd.Env = w.work, w.env()
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.stdin, s.conn = in, rpc.NewConn(out, in, deaf{})
	go s.conn.Run(context.Background()) // ends with the process
	hello, err := s.call("initialize", full)
	if err == nil {
		err = json.Unmarshal(hello, &s.hello)
	}
	if err == nil {
		err = s.conn.Notify("notifications/initialized", nil)
	}
	if err != nil {
		s.kill()
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return s, nil
}

// gateway starts ctx-gateway as Claude Code would.
func (w *world) gateway() (*server, error) {
	return w.start(w.b.program("ctx-gateway"), "--host", "claude", "--workspace", w.work)
}

func (s *server) call(method, params string) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return s.conn.Call(ctx, method, json.RawMessage(params))
}

// tool calls a tool and fails if the answer is an error.
func (s *server) tool(name string, arguments any) (json.RawMessage, error) {
	params, err := json.Marshal(object{"name": name, "arguments": arguments})
	if err != nil {
		return nil, err
	}
	raw, err := s.call("tools/call", string(params))
	if err != nil {
		return nil, err
	}
	var r struct{ IsError bool }
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, err
	}
	if r.IsError {
		return nil, fmt.Errorf("%s: %s", name, raw)
	}
	return raw, nil
}

func (s *server) tools() ([]json.RawMessage, error) {
	raw, err := s.call("tools/list", "{}")
	if err != nil {
		return nil, err
	}
	var r struct{ Tools []json.RawMessage }
	return r.Tools, json.Unmarshal(raw, &r)
}

func (s *server) close() {
	s.stdin.Close()
	done := make(chan struct{})
	go func() { s.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		s.kill()
	}
}

func (s *server) kill() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

// deaf is a host that can do nothing.
type deaf struct{}

func (deaf) Request(context.Context, rpc.Request) {}
func (deaf) Notification(string, json.RawMessage) {}
func (deaf) Problem(error)                        {}
