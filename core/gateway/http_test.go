package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/rpc"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// web is a gateway over HTTP, with the fake servers of each of its sessions.
type web struct {
	*httptest.Server
	mu       sync.Mutex
	backends []*closing
}

type closing struct {
	fakeBackends
	closed chan struct{}
}

func (c *closing) Close() { close(c.closed) }

func serveWeb(t *testing.T, tools map[string][]string, prepare func(*closing)) *web {
	t.Helper()
	w := &web{}
	rules := &Rules{}
	for name := range tools {
		rules.Servers = append(rules.Servers, surface.Server{Name: name})
	}
	rules.Gate = gate.New(surface.Sources{Servers: rules.Servers})
	dir := t.TempDir()
	h := NewHTTP("test", "s3cret", func(session string) Options {
		b := hook.NewBinding("testhost", "/ws", session)
		cfg := config.Default()
		cfg.Gateway.NarrowAbove = 0
		return Options{
			HostName: "testhost", Config: cfg, Policy: &fakePolicy{rules: rules}, Binding: b,
			Memory: NewMemory(state.Open(dir), b), Usage: &fakeUsage{}, Approvals: &fakeApprovals{},
			Backends: func(c backend.Client, changed func(string)) Backends {
				f := &closing{closed: make(chan struct{})}
				f.client, f.changed, f.listings = c, changed, map[string]listing.Listing{}
				for name, raw := range tools {
					f.listings[name] = list(name, raw...)
				}
				if prepare != nil {
					prepare(f)
				}
				w.mu.Lock()
				defer w.mu.Unlock()
				w.backends = append(w.backends, f)
				return f
			},
		}
	})
	w.Server = httptest.NewServer(h)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); h.Sweep(ctx) }()
	t.Cleanup(func() { stop(); <-done; w.Server.CloseClientConnections(); w.Server.Close() })
	return w
}

// send sends one message as a client of this machine with the right token would.
func (w *web) send(t *testing.T, body string, header ...string) *http.Response {
	t.Helper()
	return w.ask(t, http.MethodPost, body, header...)
}

func (w *web) ask(t *testing.T, method, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequest(method, w.URL+Path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer s3cret")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOnlyThisMachineWithTheTokenIsLetIn(t *testing.T) {
	t.Parallel()
	w := serveWeb(t, twoServers, nil)
	for name, c := range map[string]struct {
		header []string
		status int
	}{
		"no token":          {[]string{"Authorization", ""}, 401},
		"wrong token":       {[]string{"Authorization", "Bearer s3cre"}, 401},
		"a page":            {[]string{"Origin", "https://example.com"}, 403},
		"a rebound name":    {[]string{"Host", "evil.example:80"}, 403},
		"a sandboxed page":  {[]string{"Origin", "null"}, 403},
		"a local tool":      {[]string{"Origin", "http://localhost:6274"}, 200},
		"lower-case scheme": {[]string{"Authorization", "bearer s3cret"}, 200},
		"no JSON":           {[]string{"Content-Type", "text/plain"}, 415},
	} {
		if r := w.send(t, hello, c.header...); r.StatusCode != c.status {
			t.Errorf("%s: %d, want %d", name, r.StatusCode, c.status)
		}
	}
	if r := w.send(t, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`); !strings.Contains(body(t, r), "-32601") {
		t.Error("server/discover is answered")
	}
}

func TestWhoeverNamesNoSessionIsRefused(t *testing.T) {
	t.Parallel()
	w := serveWeb(t, twoServers, nil)
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		for session, status := range map[string]int{"": 400, "nobody": 404} {
			r := w.ask(t, method, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Mcp-Session-Id", session)
			if r.StatusCode != status {
				t.Errorf("%s with session %q: %d, want %d", method, session, r.StatusCode, status)
			}
		}
	}
	if r := w.ask(t, http.MethodPut, "{}"); r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("PUT: %d", r.StatusCode)
	}
}

func TestAnotherClientOverHTTP(t *testing.T) {
	t.Parallel()
	w := serveWeb(t, twoServers, nil)
	c, err := client.NewStreamableHttpClient(w.URL+Path, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer s3cret"}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	init, err := c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{ProtocolVersion: "2025-11-25", ClientInfo: mcp.Implementation{Name: "t", Version: "1"}}})
	if err != nil || init.ProtocolVersion != "2025-11-25" || !strings.Contains(init.Instructions, "memory (2)") {
		t.Fatalf("%+v, %v", init, err)
	}
	tools, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil || len(tools.Tools) != 4 {
		t.Fatalf("%+v, %v", tools, err)
	}
	r, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: callTool, Arguments: map[string]any{"tool": "memory:read_graph"}}})
	if err != nil || r.IsError {
		t.Fatalf("%+v, %v", r, err)
	}
	// The client itself ends sessions without the token, so the test does.
	del, err := http.NewRequestWithContext(ctx, http.MethodDelete, w.URL+Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	del.Header = http.Header{"Authorization": {"Bearer s3cret"}, "Mcp-Session-Id": {c.GetSessionId()}}
	resp, err := http.DefaultClient.Do(del)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	resp.Body.Close()
	select {
	case <-w.backends[0].closed:
	case <-time.After(time.Minute):
		t.Error("the session's servers go on after it was ended")
	}
	if r := w.send(t, `{"jsonrpc":"2.0","id":9,"method":"ping"}`, "Mcp-Session-Id", c.GetSessionId()); r.StatusCode != 404 {
		t.Errorf("a session that has ended: %d", r.StatusCode)
	}
}

// events reads the messages of a stream.
func events(t *testing.T, r io.Reader) <-chan string {
	messages := make(chan string, 16)
	go func() {
		defer close(messages)
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
				messages <- string(data)
			}
		}
	}()
	return messages
}

func TestTheListeningStreamTellsOfChanges(t *testing.T) {
	t.Parallel()
	w := serveWeb(t, map[string][]string{"fs": {readText}}, nil)
	id := w.send(t, hello).Header.Get("Mcp-Session-Id")
	listen, err := http.NewRequest(http.MethodGet, w.URL+Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	listen.Header = http.Header{"Authorization": {"Bearer s3cret"}, "Mcp-Session-Id": {id}, "Accept": {"text/event-stream"}}
	resp, err := http.DefaultClient.Do(listen)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	defer resp.Body.Close()
	w.send(t, `{"jsonrpc":"2.0","id":2,"method":"prompts/list"}`, "Mcp-Session-Id", id)
	more := list("fs", readText)
	more.Prompts = []json.RawMessage{json.RawMessage(`{"name":"hello"}`)}
	w.backends[0].set(more)
	if note := <-events(t, resp.Body); !strings.Contains(note, "notifications/prompts/list_changed") {
		t.Errorf("told %s", note)
	}
}

func TestQuestionsAndProgressTravelOnTheRequestsOwnStream(t *testing.T) {
	t.Parallel()
	w := serveWeb(t, twoServers, func(c *closing) {
		c.answer = func(_ context.Context, _, _ string, _ json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error) {
			progress(json.RawMessage(`{"progressToken":"p","progress":1}`))
			return json.RawMessage(`{"content":[],"n":1}`), nil
		}
	})
	first, second := w.send(t, hello), w.send(t, hello)
	id := first.Header.Get("Mcp-Session-Id")
	if id == "" || id == second.Header.Get("Mcp-Session-Id") {
		t.Fatalf("session %q", id)
	}
	r := w.send(t, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call_tool_write","arguments":{"tool":"fs:write_file"},"_meta":{"progressToken":"p"}}}`, "Mcp-Session-Id", id)
	if got := r.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("%s: %s", got, body(t, r))
	}
	messages := events(t, r.Body)
	question := <-messages
	if !strings.Contains(question, "elicitation/create") {
		t.Fatalf("first comes %s", question)
	}
	var q message
	if err := json.Unmarshal([]byte(question), &q); err != nil {
		t.Fatal(err)
	}
	if r := w.send(t, `{"jsonrpc":"2.0","id":`+string(q.ID)+`,"result":{"action":"accept"}}`, "Mcp-Session-Id", id); r.StatusCode != 202 {
		t.Errorf("answer: %d", r.StatusCode)
	}
	if p := <-messages; p != `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}` {
		t.Errorf("then %s", p)
	}
	if a := <-messages; a != `{"jsonrpc":"2.0","id":2,"result":{"content":[],"n":1}}` {
		t.Errorf("then %s", a)
	}
}

func TestAFaultInOneRequestEndsThatOneAlone(t *testing.T) {
	t.Parallel()
	w := serveWeb(t, twoServers, func(c *closing) {
		c.answer = func(_ context.Context, _, _ string, params json.RawMessage, _ func(json.RawMessage)) (json.RawMessage, error) {
			if strings.Contains(string(params), "boom") {
				panic("fault")
			}
			return json.RawMessage(`{"content":[]}`), nil
		}
	})
	id := w.send(t, hello).Header.Get("Mcp-Session-Id")
	for argument, want := range map[string]string{"boom": "internal error", "fine": `"content":[]`} {
		r := w.send(t, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"call_tool","arguments":{"tool":"memory:read_graph","arguments":{"x":"`+argument+`"}}}}`, "Mcp-Session-Id", id)
		if got := body(t, r); !strings.Contains(got, want) {
			t.Errorf("%s: %s", argument, got)
		}
	}
}

func TestARequestIsWithdrawnByNotificationAndByHangingUp(t *testing.T) {
	t.Parallel()
	begun, over := make(chan bool, 2), make(chan error, 2)
	w := serveWeb(t, twoServers, func(c *closing) {
		c.answer = func(ctx context.Context, _, _ string, _ json.RawMessage, _ func(json.RawMessage)) (json.RawMessage, error) {
			begun <- true
			<-ctx.Done()
			over <- ctx.Err()
			return nil, rpc.Errorf(rpc.CodeInternal, "withdrawn")
		}
	})
	id := w.send(t, hello).Header.Get("Mcp-Session-Id")
	const call = `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"call_tool","arguments":{"tool":"memory:read_graph"}}}`
	done := make(chan bool)
	go func() { defer close(done); w.send(t, call, "Mcp-Session-Id", id) }()
	<-begun
	w.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`, "Mcp-Session-Id", id)
	<-over
	<-done

	ctx, hangUp := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL+Path, strings.NewReader(call))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer s3cret"}, "Mcp-Session-Id": {id}}
	go func() { <-begun; hangUp() }()
	if resp, err := http.DefaultClient.Do(r); err == nil {
		resp.Body.Close()
		t.Error("answered")
	}
	<-over
}
