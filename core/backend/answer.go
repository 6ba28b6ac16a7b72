package backend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// requested takes a request of the server's. mcp-go gives its handler 30
// seconds, in which no user has filled in a form: the answer is sent from here,
// whenever there is one.
func (r *remote) requested(_ context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	id, err := json.Marshal(req.ID)
	if err != nil {
		return nil, err
	}
	var params json.RawMessage
	if req.Params != nil {
		if params, err = json.Marshal(req.Params); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(r.ctx)
	r.mu.Lock()
	r.serving[string(id)] = cancel
	r.mu.Unlock()
	go func() {
		defer cancel()
		result, err := r.events.request(ctx, req.Method, params)
		withdrawn := ctx.Err() != nil
		r.mu.Lock()
		delete(r.serving, string(id))
		r.mu.Unlock()
		if withdrawn {
			return
		}
		if err := r.answer(id, result, err); err != nil {
			r.log.Warn("an answer did not reach the server", "method", req.Method, "error", withoutWords(err))
		}
	}()
	return nil, nil
}

// answer posts a response.
func (r *remote) answer(id, result json.RawMessage, failure error) error {
	message := struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   *rpc.Error      `json:"error,omitempty"`
	}{JSONRPC: "2.0", ID: id, Result: result}
	if failure != nil {
		message.Result = nil
		if !errors.As(failure, &message.Error) {
			message.Error = rpc.Errorf(rpc.CodeInternal, "%v", failure)
		}
	}
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	ctx, answered := withStatus(r.ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if s := r.transport.GetSessionId(); s != "" {
		req.Header.Set(transport.HeaderKeySessionID, s)
	}
	if v, ok := r.version.Load().(string); ok {
		req.Header.Set(transport.HeaderKeyProtocolVersion, v)
	}
	for k, v := range r.headers {
		req.Header.Set(k, v)
	}
	resp, err := r.http.Do(req)
	if err != nil {
		return quoting(err, answered)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("it answered %s", answered)
	}
	return nil
}
