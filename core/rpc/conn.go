package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
)

// Conn is one end of a conversation. Its methods may be called concurrently,
// also before [Conn.Run].
type Conn struct {
	in      io.Reader
	out     *queue
	handler Handler
	next    atomic.Int64
	serving sync.WaitGroup // requests being answered

	mu      sync.Mutex
	calls   map[string]chan answer        // by id as it stands in JSON; nil once closed
	serves  map[string]context.CancelFunc // requests of the other end's, by id as it came
	closed  chan struct{}
	closeBy error
}

type answer struct {
	result json.RawMessage
	err    error
}

// NewConn makes an end that reads r and writes w. Each message is one Write.
func NewConn(r io.Reader, w io.Writer, h Handler) *Conn {
	c := &Conn{
		in:      r,
		handler: h,
		calls:   map[string]chan answer{},
		serves:  map[string]context.CancelFunc{},
		closed:  make(chan struct{}),
	}
	c.out = newQueue(w, c.Close)
	return c
}

// Call sends a request and waits for its result, whose bytes are as they came.
// The error is an [*Error] when the other end answered with one, the cause of
// ctx when that ended first (the request is then withdrawn), and wraps
// [ErrClosed] when the conversation ended.
func (c *Conn) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	id := `"ctx-` + strconv.FormatInt(c.next.Add(1), 10) + `"`
	arrived := make(chan answer, 1)
	c.mu.Lock()
	if c.calls == nil {
		err := c.closeBy
		c.mu.Unlock()
		return nil, err
	}
	c.calls[id] = arrived
	c.mu.Unlock()

	if err := c.out.put(requestLine(id, method, params)); err != nil {
		c.forget(id)
		return nil, fmt.Errorf("%w: %w", ErrClosed, err)
	}
	select {
	case a := <-arrived:
		return a.result, a.err
	case <-ctx.Done():
		if c.forget(id) && method != "initialize" { // MCP forbids withdrawing that one
			_ = c.Notify("notifications/cancelled", json.RawMessage(`{"requestId":`+id+`,"reason":"the caller gave up"}`))
		}
		return nil, context.Cause(ctx)
	}
}

// forget drops a call and reports whether it was still waiting.
func (c *Conn) forget(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, waiting := c.calls[id]
	delete(c.calls, id)
	return waiting
}

// Notify sends a notification. It does not wait for the other end to read it.
func (c *Conn) Notify(method string, params json.RawMessage) error {
	return c.out.put(requestLine("", method, params))
}

// Reply answers the request with the given id: with err if it is not nil (an
// [*Error] as it is, anything else as an internal error), else with result. A
// request that the other end has withdrawn gets no answer.
func (c *Conn) Reply(id, result json.RawMessage, err error) error {
	c.mu.Lock()
	cancel, known := c.serves[string(id)]
	delete(c.serves, string(id))
	c.mu.Unlock()
	if withdrawn := known && cancel == nil; withdrawn {
		return nil
	}
	return c.out.put(responseLine(id, result, err))
}

// Run reads until the stream or ctx ends, and returns nil for a stream that
// ended regularly. Calls that still wait then fail. When ctx ends first, a
// reader that is an [io.Closer] is closed.
func (c *Conn) Run(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- c.read(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
		if closer, ok := c.in.(io.Closer); ok {
			closer.Close()
		}
	}
	c.Close(err)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Wait waits until every request that was read has been answered and written,
// or ctx ends. It is for after [Conn.Run], when the other end asks no more.
func (c *Conn) Wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		c.serving.Wait()
		c.out.flush()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close makes every call, waiting or to come, fail with an error that wraps
// [ErrClosed] and cause. It closes neither stream. Only the first Close counts.
func (c *Conn) Close(cause error) {
	if cause == nil {
		cause = io.EOF
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		return
	}
	c.closeBy = fmt.Errorf("%w: %w", ErrClosed, cause)
	for _, arrived := range c.calls {
		arrived <- answer{err: c.closeBy}
	}
	c.calls = nil
	close(c.closed)
}

// Closed is closed once the conversation has ended.
func (c *Conn) Closed() <-chan struct{} { return c.closed }

func (c *Conn) read(ctx context.Context) error {
	in := newLines(c.in)
	for {
		line, err := in.next()
		if err != nil {
			return err
		}
		if line[0] == '[' {
			c.batch(ctx, line)
			continue
		}
		c.message(ctx, line)
	}
}

// batch takes each message of a batch by itself; answers go out one by one,
// which every MCP client accepts, and none waits for the slowest.
func (c *Conn) batch(ctx context.Context, line []byte) {
	var parts []raw
	if err := json.Unmarshal(line, &parts); err != nil {
		c.skip(line, err)
		return
	}
	for _, part := range parts {
		c.message(ctx, part)
	}
}

func (c *Conn) message(ctx context.Context, line []byte) {
	var m envelope
	if err := json.Unmarshal(line, &m); err != nil {
		c.skip(line, err)
		return
	}
	switch {
	case m.Method != "" && m.ID.present():
		c.serve(ctx, Request{json.RawMessage(m.ID), m.Method, json.RawMessage(m.Params)})
	case m.Method == "notifications/cancelled":
		c.withdraw(m.Params)
	case m.Method != "":
		c.handler.Notification(m.Method, json.RawMessage(m.Params))
	case m.ID.present():
		c.deliver(m)
	default:
		c.skip(line, errors.New("neither a request nor a response"))
	}
}

func (c *Conn) deliver(m envelope) {
	c.mu.Lock()
	arrived, ok := c.calls[string(m.ID)]
	delete(c.calls, string(m.ID))
	c.mu.Unlock()
	if !ok {
		return // the caller gave up meanwhile
	}
	if m.Error.present() { // some send "error":null beside a result
		arrived <- answer{err: parseError(m.Error)}
		return
	}
	if m.Result == nil {
		arrived <- answer{err: Errorf(CodeInternal, "it answered with neither a result nor an error")}
		return
	}
	arrived <- answer{result: json.RawMessage(m.Result)}
}

func (c *Conn) serve(ctx context.Context, req Request) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	c.serves[string(req.ID)] = cancel
	c.mu.Unlock()
	c.serving.Go(func() {
		defer cancel()
		defer func() {
			if p := recover(); p != nil {
				c.handler.Problem(fmt.Errorf("%s: panic: %v\n%s", req.Method, p, debug.Stack()))
				_ = c.Reply(req.ID, nil, Errorf(CodeInternal, "internal error"))
			}
		}()
		c.handler.Request(ctx, req)
	})
}

// withdraw cancels a request of the other end's. Its entry stays, without a
// cancel function, so that Reply knows to keep silent.
func (c *Conn) withdraw(params []byte) {
	var p struct {
		RequestID raw `json:"requestId"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		c.skip(params, err)
		return
	}
	c.mu.Lock()
	cancel := c.serves[string(p.RequestID)]
	if cancel != nil {
		c.serves[string(p.RequestID)] = nil
	}
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

func (c *Conn) skip(line []byte, err error) {
	c.handler.Problem(&LineError{Line: line[:min(len(line), 256)], Err: err})
}
