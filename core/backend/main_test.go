package backend

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// patienceOfTests bounds what must happen but has no time to happen in.
const patienceOfTests = 20 * time.Second

var stubDir string

func TestMain(m *testing.M) {
	gatewayMain()
	var err error
	if stubDir, err = os.MkdirTemp("", "ctx-backend-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(stubDir)
	os.Exit(code)
}

var buildStub = sync.OnceValues(func() (string, error) {
	bin := filepath.Join(stubDir, "stubserver")
	out, err := exec.Command("go", "build", "-o", bin, "github.com/ctx-sidecar/ctx/internal/stubserver").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the stub server: %w\n%s", err, out)
	}
	return bin, nil
})

// stub declares a stub server.
func stub(t testing.TB, name string, flags ...string) surface.Server {
	t.Helper()
	bin, err := buildStub()
	if err != nil {
		t.Fatal(err)
	}
	return surface.Server{Name: name, Transport: surface.Stdio, Command: bin, Args: flags}
}

func shell(name, script string) surface.Server {
	return surface.Server{Name: name, Transport: surface.Stdio, Command: "sh", Args: []string{"-c", script}}
}

// host is a Client made of functions.
type host struct {
	capabilities string
	request      func(ctx context.Context, server, method string, params json.RawMessage) (json.RawMessage, error)
	notify       func(server, method string, params json.RawMessage)
}

func (h *host) Capabilities() json.RawMessage { return json.RawMessage(h.capabilities) }

func (h *host) Request(ctx context.Context, server, method string, params json.RawMessage) (json.RawMessage, error) {
	return h.request(ctx, server, method, params)
}

func (h *host) Notify(server, method string, params json.RawMessage) {
	if h.notify != nil {
		h.notify(server, method, params)
	}
}

// newManager makes a Manager for a test that ends with it.
func newManager(t testing.TB, o Options) *Manager {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	m := New(o)
	t.Cleanup(m.Close)
	return m
}

func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patienceOfTests)
	t.Cleanup(cancel)
	return ctx
}

// callTool calls a tool and returns the text of its answer.
func callTool(ctx context.Context, m *Manager, server, tool, arguments string) (string, error) {
	result, err := m.Request(ctx, server, "tools/call", json.RawMessage(`{"name":"`+tool+`","arguments":`+arguments+`}`), nil)
	if err != nil {
		return "", err
	}
	var r struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(result, &r); err != nil || len(r.Content) == 0 {
		return "", fmt.Errorf("odd result %.200s: %v", result, err)
	}
	return r.Content[0].Text, nil
}

// eventually waits until ok says so.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patienceOfTests); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patienceOfTests, what)
		}
	}
}

func toolNames(l listing.Listing) []string {
	var names []string
	for _, tool := range l.Parse() {
		names = append(names, tool.Name)
	}
	return names
}

// await waits for a channel.
func await[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patienceOfTests):
		t.Fatalf("nothing happened within %s", patienceOfTests)
		panic("unreachable")
	}
}
