package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/rpc"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// logged returns what a stub server was sent.
func logged(t testing.TB, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(strings.ReplaceAll(string(b), " ", "_"))
}

func count(lines []string, line string) int {
	n := 0
	for _, l := range lines {
		if l == line {
			n++
		}
	}
	return n
}

func TestFiftyCallsAtOnce(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	m := newManager(t, Options{Servers: []surface.Server{stub(t, "a", "-log", log), stub(t, "b")}})
	ctx := within(t)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			server := []string{"a", "b"}[i%2]
			text, err := callTool(ctx, m, server, "echo", fmt.Sprintf(`{"text":"%d"}`, i))
			if err != nil || text != fmt.Sprint(i) {
				t.Errorf("call %d got %q, %v", i, text, err)
			}
		})
	}
	wg.Wait()
	if n := count(logged(t, log), "initialize"); n != 1 {
		t.Errorf("started %d times", n)
	}
}

func TestSlowCallDelaysNoOther(t *testing.T) {
	t.Parallel()
	m := newManager(t, Options{Servers: []surface.Server{stub(t, "s")}})
	ctx := within(t)
	slow := make(chan string, 1)
	go func() {
		text, err := callTool(ctx, m, "s", "slow", `{"ms":1500}`)
		slow <- fmt.Sprint(text, err)
	}()
	for range 5 {
		if _, err := m.Request(ctx, "s", "ping", nil, nil); err != nil {
			t.Fatal(err)
		}
		if text, err := callTool(ctx, m, "s", "echo", `{"text":"x"}`); err != nil || text != "x" {
			t.Fatalf("got %q, %v", text, err)
		}
	}
	select {
	case <-slow:
		t.Error("the slow call was over before the fast ones")
	default:
	}
	if got := await(t, slow); got != "took 1.5s<nil>" {
		t.Errorf("got %s", got)
	}
}

func TestGivingUpReachesTheServer(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	m := newManager(t, Options{Servers: []surface.Server{stub(t, "s", "-log", log)}})
	ctx, cancel := context.WithCancel(within(t))
	done := make(chan error, 1)
	go func() {
		_, err := callTool(ctx, m, "s", "slow", `{"ms":60000}`)
		done <- err
	}()
	eventually(t, "the call arrives", func() bool { return count(logged(t, log), "tools/call_slow") == 1 })
	cancel()
	if err := await(t, done); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	eventually(t, "the server stops", func() bool { return count(logged(t, log), "cancelled_tools/call") == 1 })
}

func TestProgressReachesItsOwnCaller(t *testing.T) {
	t.Parallel()
	m := newManager(t, Options{Servers: []surface.Server{stub(t, "a"), stub(t, "b")}})
	ctx := within(t)
	var wg sync.WaitGroup
	for i := range 6 {
		// Callers of different hosts choose the same tokens.
		token := []string{`1`, `1`, `"t"`, `"t"`, `"ctx-1"`, `2`}[i]
		wg.Go(func() {
			var mu sync.Mutex
			var got []string
			_, err := m.Request(ctx, []string{"a", "b"}[i%2], "tools/call",
				json.RawMessage(`{"name":"slow","arguments":{"ms":20},"_meta":{"progressToken":`+token+`,"x":1}}`),
				func(params json.RawMessage) {
					mu.Lock()
					defer mu.Unlock()
					got = append(got, string(params))
				})
			mu.Lock()
			defer mu.Unlock()
			if err != nil || len(got) != 4 {
				t.Fatalf("%d reports, %v", len(got), err)
			}
			for _, g := range got {
				if !strings.Contains(g, `"progressToken":`+token) {
					t.Errorf("token %s is reported as %s", token, g)
				}
			}
		})
	}
	wg.Wait()
}

func TestServersErrorPassesUnchanged(t *testing.T) {
	t.Parallel()
	m := newManager(t, Options{Servers: []surface.Server{stub(t, "s")}})
	_, err := m.Request(within(t), "s", "tools/call", json.RawMessage(`{"name":"nothing"}`), nil)
	var e *rpc.Error
	if !errors.As(err, &e) || e.Code != rpc.CodeInvalidParams || e.Message != "unknown tool nothing" {
		t.Errorf("got %v", err)
	}
	if _, err = m.Request(within(t), "nobody", "ping", nil, nil); !errors.As(err, &e) || !strings.Contains(e.Message, `"nobody"`) {
		t.Errorf("got %v", err)
	}
}

func TestOddOutputHarmsNoCall(t *testing.T) {
	t.Parallel()
	m := newManager(t, Options{Servers: []surface.Server{
		stub(t, "s", "-noise", "-big", "3000000"),
		// A server of four lines that answers in broken UTF-8.
		shell("bytes", `read a; echo '{"jsonrpc":"2.0","id":"ctx-1","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"b"}}}'
			read b; read c; printf '{"jsonrpc":"2.0","id":"ctx-2","result":{"content":[{"type":"text","text":"caf\351"}]}}\n'; read d`),
	}})
	text, err := callTool(within(t), m, "s", "big", `{}`)
	if err != nil || len(text) != 3000000 || !strings.HasPrefix(text, "0123456789") {
		t.Errorf("got %d bytes, %v", len(text), err)
	}
	text, err = callTool(within(t), m, "bytes", "any", `{}`)
	if err != nil || text != "caf\uFFFD" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestDeathOfAServerFailsItsCallsAtOnceAndIsRepaired(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	m := newManager(t, Options{Servers: []surface.Server{stub(t, "s", "-crash-on", "delete_note", "-log", log)}})
	ctx := within(t)
	pending := make(chan error, 1)
	go func() {
		_, err := callTool(ctx, m, "s", "slow", `{"ms":60000}`)
		pending <- err
	}()
	eventually(t, "the call arrives", func() bool { return count(logged(t, log), "tools/call_slow") == 1 })
	_, err := callTool(ctx, m, "s", "delete_note", `{"name":"x"}`)
	for _, err := range []error{err, await(t, pending)} {
		var e *rpc.Error
		if !errors.As(err, &e) || e.Code != CodeConnectionClosed {
			t.Fatalf("got %v", err)
		}
		for _, want := range []string{`server "s"`, "exit status 3", "fatal: crashed on delete_note"} {
			if !strings.Contains(e.Message, want) {
				t.Errorf("%q is not in: %s", want, e.Message)
			}
		}
	}
	if text, err := callTool(ctx, m, "s", "echo", `{"text":"back"}`); err != nil || text != "back" {
		t.Errorf("got %q, %v", text, err)
	}
	lines := logged(t, log)
	if n := count(lines, "tools/call_delete_note"); n != 1 {
		t.Errorf("the call that failed was sent %d times", n)
	}
	if n := count(lines, "initialize"); n != 2 {
		t.Errorf("started %d times", n)
	}
}

func TestAServerThatStopsReadingIsReplaced(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	m := newManager(t, Options{Servers: []surface.Server{shell("s", `
		read a; echo '{"jsonrpc":"2.0","id":"ctx-1","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s"}}}'
		read b
		if [ ! -e '`+mark+`' ]; then exec 0<&-; >'`+mark+`'; exec sleep 1000; fi
		read c; echo '{"jsonrpc":"2.0","id":"ctx-2","result":{"content":[{"type":"text","text":"back"}]}}'; read d`)}})
	m.Refresh(within(t))
	eventually(t, "it stops reading", func() bool { _, err := os.Stat(mark); return err == nil })
	_, err := callTool(within(t), m, "s", "any", `{}`)
	var e *rpc.Error
	if !errors.As(err, &e) || e.Code != CodeConnectionClosed || !strings.Contains(e.Message, "no longer reads its input") {
		t.Errorf("got %v", err)
	}
	if text, err := callTool(within(t), m, "s", "any", `{}`); err != nil || text != "back" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestCallTimeoutIsTheConfiguredOne(t *testing.T) {
	t.Parallel()
	srv := stub(t, "s")
	srv.CallTimeout = 50 * time.Millisecond
	m := newManager(t, Options{Servers: []surface.Server{srv}})
	_, err := callTool(within(t), m, "s", "slow", `{"ms":60000}`)
	var e *rpc.Error
	if !errors.As(err, &e) || e.Code != CodeRequestTimeout || !strings.Contains(e.Message, "50ms") {
		t.Errorf("got %v", err)
	}
}

func TestServerAsksItsClient(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 10)
	h := &host{
		capabilities: `{"roots":{},"elicitation":{},"sampling":{}}`,
		request: func(_ context.Context, server, method string, params json.RawMessage) (json.RawMessage, error) {
			seen <- server + " " + method
			switch method {
			case "roots/list":
				return json.RawMessage(`{"roots":[{"uri":"file:///w"}]}`), nil
			case "sampling/createMessage":
				return nil, rpc.Errorf(-1, "user refused")
			}
			return json.RawMessage(`{"action":"accept","content":{"answer":"42"}}`), nil
		},
	}
	m := newManager(t, Options{Client: h, Servers: []surface.Server{stub(t, "s", "-elicit", "-sample", "-roots")}})
	for tool, want := range map[string]string{"ask": `"answer":"42"`, "think": "user refused (-1)"} {
		if text, err := callTool(within(t), m, "s", tool, `{"question":"?"}`); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: got %q, %v", tool, text, err)
		}
	}
	// list_roots appears once the server has seen the roots.
	m.Refresh(within(t))
	eventually(t, "list_roots is listed", func() bool {
		l := m.Listings()
		return len(l) == 1 && strings.Contains(strings.Join(toolNames(l[0]), " "), "list_roots")
	})
	if text, err := callTool(within(t), m, "s", "list_roots", `{}`); err != nil || !strings.Contains(text, "file:///w") {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestWithdrawnElicitationIsCancelledAtTheHost(t *testing.T) {
	t.Parallel()
	asked, cancelled := make(chan bool, 1), make(chan bool, 1)
	h := &host{capabilities: `{"elicitation":{}}`, request: func(ctx context.Context, _, _ string, _ json.RawMessage) (json.RawMessage, error) {
		asked <- true
		<-ctx.Done()
		cancelled <- true
		return nil, ctx.Err()
	}}
	m := newManager(t, Options{Client: h, Servers: []surface.Server{stub(t, "s", "-elicit")}})
	ctx, cancel := context.WithCancel(within(t))
	go callTool(ctx, m, "s", "ask", `{"question":"?"}`)
	await(t, asked)
	cancel() // the server gives up its question along with the call
	await(t, cancelled)
}
