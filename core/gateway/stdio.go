package gateway

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// drain is how long answers that are on their way may still take once the host
// asks no more.
const drain = 2 * time.Second

// ServeStdio serves one host on a pair of streams until in or ctx ends.
func ServeStdio(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	s := &stdio{}
	s.conn = rpc.NewConn(in, out, s)
	s.gateway = New(o, hostConn{s.conn})
	defer s.gateway.Close()
	err := s.conn.Run(ctx)
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	// What is not answered by then has no one left who waits for it.
	_ = s.conn.Wait(waiting)
	return err
}

type stdio struct {
	conn    *rpc.Conn
	gateway *Gateway
}

// Request implements [rpc.Handler].
func (s *stdio) Request(ctx context.Context, req rpc.Request) {
	result, err := s.gateway.Handle(ctx, req.ID, req.Method, req.Params)
	if err := s.conn.Reply(req.ID, result, err); err != nil {
		s.gateway.log.Warn("answer not delivered", "method", req.Method, "error", err)
	}
}

// Notification implements [rpc.Handler].
func (s *stdio) Notification(method string, params json.RawMessage) {
	s.gateway.Notification(method, params)
}

// Problem implements [rpc.Handler].
func (s *stdio) Problem(err error) { s.gateway.log.Warn("from the host", "error", err) }

// hostConn is a host at the other end of a stream.
type hostConn struct{ conn *rpc.Conn }

func (h hostConn) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return h.conn.Call(ctx, method, params)
}

func (h hostConn) Notify(method string, params json.RawMessage) error {
	return h.conn.Notify(method, params)
}
