package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// webSession is one client over HTTP.
type webSession struct {
	http    *HTTP
	id      string
	gateway *Gateway

	mu      sync.Mutex
	used    time.Time
	last    int                           // requests sent to the client
	pending map[string]chan message       // those that wait for its answer, by id
	running map[string]context.CancelFunc // the client's own requests, by id
	streams []*stream                     // of the requests that are being answered
}

var _ Host = (*webSession)(nil)

func (s *webSession) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
}

func (s *webSession) idle() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.streams) > 0 {
		return 0
	}
	return time.Since(s.used)
}

// serve takes one message of the client's.
func (s *webSession) serve(w http.ResponseWriter, r *http.Request, m message) {
	switch {
	case m.isRequest():
		s.request(w, r, m)
		return
	case m.Method == "notifications/cancelled":
		s.cancel(m.Params)
	case m.Method != "":
		s.gateway.Notification(m.Method, m.Params)
	default:
		s.mu.Lock()
		arrived := s.pending[string(m.ID)]
		delete(s.pending, string(m.ID))
		s.mu.Unlock()
		if arrived != nil {
			arrived <- m
		}
	}
	w.WriteHeader(http.StatusAccepted)
}

func (s *webSession) cancel(params json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.mu.Lock()
	cancel := s.running[string(p.RequestID)]
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// request answers one request: as JSON, unless something has to be said to the
// client before, which makes the answer a stream of events. A client that hangs
// up has withdrawn its request.
func (s *webSession) request(w http.ResponseWriter, r *http.Request, m message) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	out := &stream{w: w, streams: strings.Contains(r.Header.Get("Accept"), "text/event-stream"), token: progressToken(m.Params)}
	s.mu.Lock()
	s.running[string(m.ID)] = cancel
	s.streams = append(s.streams, out)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, string(m.ID))
		s.streams = slices.DeleteFunc(s.streams, func(o *stream) bool { return o == out })
		s.used = time.Now()
	}()
	result, err := s.handle(ctx, m)
	out.end(envelope(m.ID, result, err))
}

// handle keeps a fault in one request from ending the others.
func (s *webSession) handle(ctx context.Context, m message) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.gateway.log.Error("panic", "method", m.Method, "error", p, "stack", string(debug.Stack()))
			err = rpc.Errorf(rpc.CodeInternal, "internal error")
		}
	}()
	return s.gateway.Handle(ctx, m.ID, m.Method, m.Params)
}

// Call implements [Host]: the question travels on the stream of a request that
// is being answered, since it is in the course of one that servers ask.
func (s *webSession) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	s.mu.Lock()
	s.last++
	id := fmt.Sprintf(`"ctx-%d"`, s.last)
	arrived := make(chan message, 1)
	s.pending[id] = arrived
	open := slices.Clone(s.streams)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.pending, id)
	}()
	question := encode(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", json.RawMessage(id), method, params})
	if !slices.ContainsFunc(backward(open), func(o *stream) bool { return o.send(question) }) {
		return nil, rpc.Errorf(rpc.CodeInternal, "the client listens to no stream on which it could be asked for %s", method)
	}
	select {
	case m := <-arrived:
		if m.Error != nil {
			return nil, m.Error
		}
		return m.Result, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Notify implements [Host]. Progress goes to the request that it is about, all
// else to the listening stream.
func (s *webSession) Notify(method string, params json.RawMessage) error {
	note := encode(struct {
		JSONRPC string          `json:"jsonrpc"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params,omitempty"`
	}{"2.0", method, params})
	s.mu.Lock()
	open := backward(slices.Clone(s.streams))
	s.mu.Unlock()
	if method == "notifications/progress" {
		var p struct {
			Token json.RawMessage `json:"progressToken"`
		}
		_ = json.Unmarshal(params, &p) // without a token it is nobody's
		for _, o := range open {
			if o.token != nil && bytes.Equal(o.token, p.Token) && o.send(note) {
				return nil
			}
		}
		return errors.New("the request is over")
	}
	err := s.http.listening(s.id, method, params)
	if err != nil && method == "notifications/message" && slices.ContainsFunc(open, func(o *stream) bool { return o.send(note) }) {
		return nil
	}
	return err
}

func backward(open []*stream) []*stream {
	slices.Reverse(open)
	return open
}

func progressToken(params json.RawMessage) json.RawMessage {
	var p struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(params, &p) // no token is the usual case
	return p.Meta.Token
}

func asRPC(err error) *rpc.Error {
	var e *rpc.Error
	if errors.As(err, &e) {
		return e
	}
	return rpc.Errorf(rpc.CodeInternal, "%v", err)
}
