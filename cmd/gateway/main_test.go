package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/rpc"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// patience bounds what must happen but has no time to happen in.
const patience = 30 * time.Second

var scratch string

// TestMain is every program of the tests: they are this binary under other
// names.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "ctx-gateway":
		main()
		os.Exit(0)
	case "ctx-host-fake":
		fakeAdapter()
		os.Exit(0)
	case "hook":
		hookMain()
		os.Exit(0)
	}
	var err error
	// Sockets have short paths, so their folder must have one.
	if scratch, err = os.MkdirTemp("/tmp", "ctxg"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

var buildStub = sync.OnceValues(func() (string, error) {
	bin := filepath.Join(scratch, "stubserver")
	out, err := exec.Command("go", "build", "-o", bin, "github.com/ctx-sidecar/ctx/internal/stubserver").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the stub server: %w\n%s", err, out)
	}
	return bin, nil
})

// home is one user with one workspace that is wrapped for the fake host.
type home struct {
	t      *testing.T
	dir    string
	ws     string
	env    []string
	layout paths.Layout
	config surface.Sources
	title  string // of the conversation, for [home.coldPrompt]
}

func newHome(t *testing.T) *home {
	t.Helper()
	dir, err := os.MkdirTemp(scratch, "h")
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, dir: dir, ws: filepath.Join(dir, "ws")}
	h.env = []string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "XDG_STATE_HOME=" + filepath.Join(dir, "s"), "XDG_DATA_HOME=" + filepath.Join(dir, "d"),
		"GORACE=atexit_sleep_ms=0", "FAKE_SESSION=conversation-1", "CTX_LOG=debug",
	}
	h.layout = paths.FromEnv(h.env)
	for _, d := range []string{h.ws, filepath.Join(h.layout.Data, "plugins")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h.config = surface.Sources{Host: "fake", Loading: surface.Eager, ToolName: "mcp__{server}__{tool}"}
	h.link(filepath.Join(h.layout.Data, "plugins", "ctx-host-fake"))
	h.link(filepath.Join(dir, "ctx-gateway"))
	h.link(filepath.Join(dir, "hook"))
	b, err := os.ReadFile(filepath.Join(dir, "ctx-gateway"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	if err := trust.Open(h.layout.Trust()).PinPlugin("fake", filepath.Join(h.layout.Data, "plugins", "ctx-host-fake"), hex.EncodeToString(sum[:])); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		if b, err := os.ReadFile(h.layout.Log("gateway")); err == nil {
			t.Logf("log of the gateway:\n%s", b)
		}
	})
	return h
}

// link puts this binary at path. A hard link would change the binary's own
// times, and with them what other tests that run beside this one have checked.
func (h *home) link(path string) {
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, path)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// hook sends one event as a hook of the host's would and returns the answer.
func (h *home) hook(payload string) string {
	h.t.Helper()
	cmd := exec.Command(filepath.Join(h.dir, "hook"), "Event")
	cmd.Dir, cmd.Env, cmd.Stdin = h.ws, h.env, strings.NewReader(payload)
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatal(err)
	}
	return string(out)
}

// stub declares a stub server.
func (h *home) stub(name string, flags ...string) surface.Server {
	h.t.Helper()
	bin, err := buildStub()
	if err != nil {
		h.t.Fatal(err)
	}
	return surface.Server{Name: name, Scope: surface.ScopeProject, Transport: surface.Stdio, Command: bin, Args: flags, Place: surface.Place{File: filepath.Join(h.ws, "fake.json"), Line: 1}}
}

// declare writes the fake host's configuration.
func (h *home) declare(servers ...surface.Server) {
	h.t.Helper()
	h.config.Servers = servers
	h.save()
}

func (h *home) save() {
	h.t.Helper()
	b, err := json.Marshal(h.config)
	if err == nil {
		err = os.WriteFile(filepath.Join(h.ws, "fake.json"), b, 0o600)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// wrap records what is declared as fronted, and approves it.
func (h *home) wrap() {
	h.t.Helper()
	rec := wiring.Record{Workspace: paths.Real(h.ws), Hosts: []wiring.HostRecord{{Host: "fake", Gateway: true}}}
	for _, s := range h.config.Servers {
		rec.Hosts[0].Fronted = append(rec.Hosts[0].Fronted, wiring.Fronted{Name: s.Name, Scope: string(s.Scope), Fingerprint: s.Fingerprint()})
		h.approve(s)
	}
	if err := wiring.Open(h.layout.Wraps()).PutHosts(rec.Workspace, rec.Hosts...); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) approve(s surface.Server) {
	h.t.Helper()
	err := trust.Open(h.layout.Trust()).Approve(trust.ServerID(s, paths.Real(h.ws)), trust.Approval{Fingerprint: s.Fingerprint(), By: "user", Server: s})
	if err != nil {
		h.t.Fatal(err)
	}
}

// gateway is one running ctx-gateway and the host that started it.
type session struct {
	*home
	cmd  *exec.Cmd
	conn *rpc.Conn
	in   io.WriteCloser
	done chan error

	mu     sync.Mutex
	notes  []string
	answer map[string]string // by method: what the host answers
	asked  []string
	exited bool
}

func (h *home) start(args ...string) *session {
	h.t.Helper()
	s := &session{home: h, done: make(chan error, 1), answer: map[string]string{}}
	s.cmd = exec.Command(filepath.Join(h.dir, "ctx-gateway"), append([]string{"--host", "fake"}, args...)...)
	s.cmd.Dir, s.cmd.Env = h.ws, h.env
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		h.t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	s.conn = rpc.NewConn(out, s.in, s)
	go func() {
		s.conn.Run(context.Background())
		s.done <- s.cmd.Wait()
	}()
	h.t.Cleanup(func() {
		if !s.exited {
			s.in.Close()
			s.wait()
		}
	})
	return s
}

// wait waits for the gateway's end.
func (s *session) wait() error {
	s.t.Helper()
	select {
	case err := <-s.done:
		s.exited = true
		return err
	case <-time.After(patience):
		s.cmd.Process.Kill()
		s.t.Fatal("the gateway does not end")
		return nil
	}
}

func (s *session) Request(_ context.Context, req rpc.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, req.Method)
	answer, ok := s.answer[req.Method]
	s.mu.Unlock()
	if !ok {
		_ = s.conn.Reply(req.ID, nil, rpc.Errorf(rpc.CodeMethodNotFound, "no %s", req.Method))
		return
	}
	_ = s.conn.Reply(req.ID, json.RawMessage(answer), nil)
}

func (s *session) Notification(method string, params json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, method+" "+string(params))
}

func (s *session) Problem(err error) { s.t.Errorf("from the gateway: %v", err) }

func (s *session) told(prefix string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.notes, func(n string) bool { return strings.HasPrefix(n, prefix) })
}

func (s *session) ask(method, params string) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return s.conn.Call(ctx, method, json.RawMessage(params))
}

func (s *session) must(method, params string) string {
	s.t.Helper()
	raw, err := s.ask(method, params)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, params, err)
	}
	return string(raw)
}

func (s *session) initialize(capabilities string) string {
	s.t.Helper()
	r := s.must("initialize", `{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"t","version":"1"}}`)
	if err := s.conn.Notify("notifications/initialized", nil); err != nil {
		s.t.Fatal(err)
	}
	return r
}

// call calls a kernel tool and returns the whole result: that of a search once
// no server starts any more, for which a search waits only so long itself.
func (s *session) call(name, arguments string) string {
	s.t.Helper()
	for end := time.Now().Add(patience); ; {
		result := s.must("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
		if !strings.Contains(result, "is still starting; search again") || time.Now().After(end) {
			return result
		}
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in %s", w, text)
		}
	}
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}
