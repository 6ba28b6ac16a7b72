package backend

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// stubURL starts a stub server that is reached by URL.
func stubURL(t *testing.T, flags ...string) string {
	t.Helper()
	srv := stub(t, "", append([]string{"-http", "127.0.0.1:0"}, flags...)...)
	cmd := exec.Command(srv.Command, srv.Args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the stub server says no URL")
	}
	return lines.Text()
}

func TestServerIsReachedByURL(t *testing.T) {
	t.Parallel()
	file, raw := definitions(t, 50)
	h := &host{capabilities: `{"elicitation":{}}`, request: func(context.Context, string, string, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"action":"accept","content":{"answer":"42"}}`), nil
	}}
	m := newManager(t, Options{Client: h, Servers: []surface.Server{
		{Name: "raw", Transport: surface.HTTP, URL: stubURL(t, "-tools", file, "-page", "20")},
		{Name: "s", Transport: surface.HTTP, URL: stubURL(t, "-elicit", "-list-changed-after", "1s")},
	}})
	m.Refresh(within(t))
	l := m.Listings()
	if len(l) != 2 || len(l[0].Tools) != 50 || string(l[0].Tools[7]) != raw[7] {
		t.Fatalf("listed %d: %+v", len(l), m.Status())
	}
	if text, err := callTool(within(t), m, "s", "ask", `{"question":"?"}`); err != nil || !strings.Contains(text, `"answer":"42"`) {
		t.Errorf("elicitation: got %q, %v", text, err)
	}
	reports := 0
	_, err := m.Request(within(t), "s", "tools/call", json.RawMessage(`{"name":"slow","arguments":{"ms":20},"_meta":{"progressToken":5}}`), func(p json.RawMessage) {
		if strings.Contains(string(p), `"progressToken":5`) {
			reports++
		}
	})
	if err != nil || reports != 4 {
		t.Errorf("%d reports of progress, %v", reports, err)
	}
	eventually(t, "the late tool is listed", func() bool { return strings.Contains(strings.Join(toolNames(m.Listings()[1]), " "), "late") })
}

func TestWithdrawnCallReachesAServerByURL(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	m := newManager(t, Options{Servers: []surface.Server{{Name: "s", Transport: surface.HTTP, URL: stubURL(t, "-log", log)}}})
	ctx, cancel := context.WithCancel(within(t))
	go callTool(ctx, m, "s", "slow", `{"ms":60000}`)
	eventually(t, "the call arrives", func() bool { return count(logged(t, log), "tools/call_slow") == 1 })
	cancel()
	eventually(t, "the server stops", func() bool { return count(logged(t, log), "cancelled_tools/call") == 1 })
}

func TestHeadersComeFromEverywhere(t *testing.T) {
	t.Parallel()
	got := make(chan http.Header, 10)
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case got <- r.Header:
		default:
		}
		http.Error(w, "no", http.StatusTeapot)
	}))
	t.Cleanup(ts.Close)
	m := newManager(t, Options{
		Env: []string{"KEY=k1", "TOKEN=t1", "OTHER=o1", "PATH=/usr/bin:/bin"},
		Servers: []surface.Server{{
			Name: "s", Transport: surface.HTTP, URL: ts.URL + "/${KEY}", Expand: true,
			Headers: map[string]string{"X-Key": "${KEY}", "X-Won": "no"}, HeaderEnv: map[string]string{"X-Other": "OTHER", "X-None": "NONE"},
			BearerEnv: "TOKEN", HeadersCmd: `echo "{\"X-Won\":\"$OTHER\"}"`,
		}},
	})
	_, err := m.Request(within(t), "s", "ping", nil, nil)
	h := await(t, got)
	for name, want := range map[string]string{"X-Key": "k1", "X-Other": "o1", "Authorization": "Bearer t1", "X-Won": "o1", "X-None": ""} {
		if h.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, h.Get(name), want)
		}
	}
	if err == nil || strings.Contains(err.Error(), "k1") || strings.Contains(err.Error(), "t1") {
		t.Errorf("got %v", err)
	}
	if w := m.Status()[0].Warnings; len(w) != 1 || !strings.Contains(w[0], "NONE") {
		t.Errorf("warnings %q", w)
	}
}

func TestHeadersCommandThatFailsSaysSoAndNotWhatItPrinted(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"echo s3cret; exit 4": "exit status 4", "echo s3cret": "JSON object", `echo '{"A":1,"s3cret":2}'`: "JSON object",
	} {
		m := newManager(t, Options{Servers: []surface.Server{{Name: "s", Transport: surface.HTTP, URL: "http://127.0.0.1:1", HeadersCmd: command}}})
		_, err := m.Request(within(t), "s", "ping", nil, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: got %v", command, err)
		}
	}
}

func TestServerThatWantsALoginIsNamed(t *testing.T) {
	t.Parallel()
	url := stubURL(t, "-bearer", "right")
	m := newManager(t, Options{Env: []string{"TOKEN=right"}, Servers: []surface.Server{
		{Name: "in", Transport: surface.HTTP, URL: url, BearerEnv: "TOKEN"}, {Name: "out", Transport: surface.HTTP, URL: url},
	}})
	m.Refresh(within(t))
	s := m.Status()
	if s[0].State != Ready || s[0].NeedsOAuth {
		t.Errorf("status %+v", s[0])
	}
	if s[1].State != Failed || !s[1].NeedsOAuth || !strings.Contains(s[1].Error, "OAuth") {
		t.Errorf("status %+v", s[1])
	}
}

func TestForgottenSessionBeginsAnewWithoutASecondCall(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	// initialize begins a session of: initialized, GET, tools/list and one more.
	m := newManager(t, Options{Servers: []surface.Server{{Name: "s", Transport: surface.HTTP, URL: stubURL(t, "-log", log, "-forget-after", "4")}}})
	m.Refresh(within(t))
	failed := 0
	for range 12 {
		if _, err := callTool(within(t), m, "s", "echo", `{"text":"x"}`); err != nil {
			failed++
			if !strings.Contains(err.Error(), "forgotten") {
				t.Errorf("got %v", err)
			}
		}
	}
	lines := logged(t, log)
	if failed == 0 || count(lines, "initialize") < 2 || count(lines, "tools/call_echo")+failed != 12 {
		t.Errorf("%d failed, log %v", failed, lines)
	}
}

func TestOlderSSEServerIsReached(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("old", "1")
	s.AddTool(mcp.NewTool("hello"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("hello"), nil
	})
	ts := httptest.NewServer(server.NewSSEServer(s))
	t.Cleanup(ts.Close)
	h := &host{capabilities: `{"roots":{}}`}
	m := newManager(t, Options{Client: h, Servers: []surface.Server{{Name: "s", Transport: surface.SSE, URL: ts.URL + "/sse"}}})
	if text, err := callTool(within(t), m, "s", "hello", `{}`); err != nil || text != "hello" {
		t.Errorf("got %q, %v", text, err)
	}
	m.Refresh(within(t))
	if l := m.Listings(); len(l) != 1 || !slices.Equal(toolNames(l[0]), []string{"hello"}) {
		t.Errorf("listed %+v, %+v", l, m.Status())
	}
}

func TestCallsFailWhenAnOlderServersStreamIsLost(t *testing.T) {
	t.Parallel()
	called, release := make(chan bool), make(chan bool)
	t.Cleanup(func() { close(release) })
	s := server.NewMCPServer("old", "1")
	s.AddTool(mcp.NewTool("hello"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("hello"), nil
	})
	s.AddTool(mcp.NewTool("wait"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		called <- true
		<-release
		return mcp.NewToolResultText("too late"), nil
	})
	ts := httptest.NewServer(server.NewSSEServer(s))
	t.Cleanup(ts.Close)
	m := newManager(t, Options{Servers: []surface.Server{{Name: "s", Transport: surface.SSE, URL: ts.URL + "/sse"}}})
	m.Refresh(within(t))
	done := make(chan error, 1)
	go func() {
		_, err := callTool(t.Context(), m, "s", "wait", `{}`)
		done <- err
	}()
	await(t, called)
	ts.CloseClientConnections()
	if err := await(t, done); err == nil || !strings.Contains(err.Error(), "connection lost") {
		t.Errorf("got %v", err)
	}
	if text, err := callTool(within(t), m, "s", "hello", `{}`); err != nil || text != "hello" {
		t.Errorf("after that: got %q, %v", text, err)
	}
}

func TestURLThatNeverAnswersIsGivenUp(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	ts := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(ts.Close)
	t.Cleanup(func() { close(release) })
	for _, kind := range []surface.Transport{surface.HTTP, surface.SSE} {
		m := newManager(t, Options{Servers: []surface.Server{{Name: "s", Transport: kind, URL: ts.URL, StartTimeout: 100 * time.Millisecond}}})
		m.Refresh(within(t))
		if s := m.Status()[0]; s.State != Failed || !s.Hung {
			t.Errorf("%s: status %+v", kind, s)
		}
	}
}

// answering starts a server that shakes hands and answers everything else with
// a status and a body.
func answering(t *testing.T, status int, body string) surface.Server {
	t.Helper()
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		w.Header().Set("Content-Type", "application/json")
		switch json.NewDecoder(r.Body).Decode(&m); {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.Method == "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s"}}}`, m.ID)
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			w.WriteHeader(status)
			fmt.Fprint(w, strings.ReplaceAll(body, "ID", string(m.ID)))
		}
	}))
	t.Cleanup(ts.Close)
	return surface.Server{Name: "s", Transport: surface.HTTP, URL: ts.URL}
}

// talking starts a server that says the same to everybody and hangs up.
func talking(t *testing.T, words string) surface.Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(c).ReadString('\n')
			fmt.Fprint(c, words)
			c.Close()
		}
	}()
	return surface.Server{Name: "s", Transport: surface.HTTP, URL: "http://" + l.Addr().String()}
}

func TestAnAnswerWithoutAResultIsAnError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status int
		body   string
		want   string
	}{
		{http.StatusForbidden, `{"message":"Forbidden"}`, "neither a result nor an error (403 Forbidden)"},
		{http.StatusForbidden, `{}`, "neither a result nor an error (403 Forbidden)"},
		{http.StatusBadGateway, `null`, "neither a result nor an error (502 Bad Gateway)"},
		{http.StatusOK, `{"jsonrpc":"2.0","id":ID}`, "neither a result nor an error (200 OK)"},
		{http.StatusBadRequest, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no such tool"}}`, "no such tool (-32602)"},
		{http.StatusBadGateway, `<html>`, "502: <html>"},
	} {
		m := newManager(t, Options{Servers: []surface.Server{answering(t, tt.status, tt.body)}})
		result, err := m.Request(within(t), "s", "tools/call", json.RawMessage(`{"name":"x"}`), nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%d %s: got %s, %v", tt.status, tt.body, result, err)
		}
	}
}

func TestCredentialsDoNotFollowARedirectOutOfEncryption(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		hops    []string // of one host, in that order
		refused bool
	}{
		{[]string{"https", "http"}, true},
		{[]string{"http", "https", "http"}, true},
		{[]string{"http", "https"}, false},
		{[]string{"https", "https"}, false},
		{[]string{"http", "http"}, false},
	} {
		var hops []*http.Request
		for _, scheme := range tt.hops {
			hops = append(hops, httptest.NewRequest(http.MethodPost, scheme+"://example.com/mcp", nil))
		}
		last := len(hops) - 1
		err := sameHost(hops[last], hops[:last])
		if (err != nil) != tt.refused || tt.refused && !strings.Contains(err.Error(), "with https") {
			t.Errorf("%v: %v", tt.hops, err)
		}
	}
}

func TestCredentialsDoNotFollowARedirectToAnotherHost(t *testing.T) {
	t.Parallel()
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(other.Close)
	ts := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(ts.Close)
	m := newManager(t, Options{Servers: []surface.Server{{Name: "s", Transport: surface.HTTP, URL: ts.URL, Headers: map[string]string{"X-Key": "k"}}}})
	if _, err := m.Request(within(t), "s", "ping", nil, nil); err == nil || reached {
		t.Errorf("reached %v, %v", reached, err)
	}
}
