package plugins

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/event"
)

// patience is how long a test waits for what must happen before it calls it a
// hang.
const patience = 30 * time.Second

func start(t *testing.T, name string, o Options) *Client {
	t.Helper()
	if o.StartTimeout == 0 {
		o.StartTimeout = patience
	}
	c, err := OpenPath(t.Context(), link(t, name), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func pidOf(t *testing.T, c *Client) int {
	t.Helper()
	d, err := c.Detect(t.Context(), Machine{})
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(d.Version)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestAnAdapterAnswers(t *testing.T) {
	t.Parallel()
	c := start(t, "ctx-host-echo", Options{})
	d, err := c.Describe(t.Context())
	if err != nil || d.Title != "Echo" || string(d.Events[0].Sample) != "{}" {
		t.Errorf("Describe = %+v, %v", d, err)
	}
	if c.ProtocolMinor() != ProtocolMinor {
		t.Errorf("ProtocolMinor = %d, want %d", c.ProtocolMinor(), ProtocolMinor)
	}
	var calls sync.WaitGroup
	for i := range 50 {
		calls.Go(func() {
			want := strings.Repeat("x", i*1000)
			ev, err := c.Decode(t.Context(), RawEvent{Name: "text", Payload: []byte(want)})
			if err != nil || ev.Prompt != want {
				t.Errorf("call %d: %d bytes, %v", i, len(ev.Prompt), err)
			}
		})
	}
	calls.Wait()
}

func TestAMessageOfManyMegabytesArrives(t *testing.T) {
	t.Parallel()
	c := start(t, "ctx-host-echo", Options{})
	payload := bytes.Repeat([]byte("0123456789abcdef"), 2<<20) // 32 MiB
	ev, err := c.Decode(t.Context(), RawEvent{Name: "text", Payload: payload})
	if err != nil || ev.Prompt != string(payload) {
		t.Fatalf("%d of %d bytes, %v", len(ev.Prompt), len(payload), err)
	}
	tooMuch := make([]byte, maxMessage+1)
	if _, err := c.Decode(t.Context(), RawEvent{Name: "text", Payload: tooMuch}); err == nil {
		t.Fatal("a message over the limit was taken")
	}
	if _, err := c.Decode(t.Context(), RawEvent{Name: "text"}); err != nil {
		t.Fatalf("after a message over the limit: %v", err)
	}
}

func TestErrorsOfAnAdapter(t *testing.T) {
	t.Parallel()
	c := start(t, "ctx-host-echo", Options{})
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for _, tt := range []struct {
		event string
		ctx   context.Context
		want  string
		is    error
	}{
		{"fail", t.Context(), "adapter echo: decode fail: config.json:3:7: unexpected ]", nil},
		{"panic", t.Context(), "adapter echo: decode panic: the adapter panicked: out of luck", nil},
		{"slow", soon, "adapter echo: decode slow: context deadline exceeded", context.DeadlineExceeded},
	} {
		_, err := c.Decode(tt.ctx, RawEvent{Name: tt.event})
		if err == nil || err.Error() != tt.want || tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("%s: %v, want %s", tt.event, err, tt.want)
		}
		if _, err := c.Decode(t.Context(), RawEvent{Name: "text"}); err != nil {
			t.Errorf("the call after %s: %v", tt.event, err)
		}
	}
	_, err := c.Decode(t.Context(), RawEvent{Name: "die"})
	var exited *ExitedError
	if !errors.As(err, &exited) || exited.Hint() == "" {
		t.Errorf("an adapter that dies in a call: %v", err)
	}
}

func TestAClosedAdapterIsGone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ctx-host-echo", "ctx-host-deaf", "ctx-host-family"} {
		c := start(t, name, Options{})
		pid := pidOf(t, c)
		c.Close()
		c.Close()
		waitGone(t, pid)
		if _, err := c.Detect(t.Context(), Machine{}); err == nil {
			t.Errorf("%s answers after Close", name)
		}
	}
}

// waitGone waits until a process, and every other one of its group, has ended.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		err := syscall.Kill(-pid, 0)
		if errors.Is(err, syscall.ESRCH) || zombie(pid) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process group %d is still there", pid)
		}
	}
}

// zombie reports whether a process has ended and waits to be reaped, which not
// every process 1 does for those it inherits.
func zombie(pid int) bool {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(rest, "Z")
}

func TestStartFailuresSayWhatToDo(t *testing.T) {
	t.Parallel()
	script := func(content string) string {
		return write(t, filepath.Join(t.TempDir(), "ctx-host-script"), content, 0o755)
	}
	for _, tt := range []struct {
		name, path string
		want, hint string
		check      func(error) bool
	}{
		{"crash", link(t, "ctx-host-crash"), "no such library: libacme", "plugins.Serve", is[*HandshakeError]},
		{"panic", link(t, "ctx-host-panic"), "without a handshake; it said: panic: config is nil", "plugins.Serve", is[*HandshakeError]},
		{"garbage", link(t, "ctx-host-garbage"), `printed "Welcome to my adapter!"`, "prints nothing before", is[*HandshakeError]},
		{"another version", link(t, "ctx-host-future"), "speaks protocol 7 and ctx speaks 1", "update ctx", is[*VersionError]},
		{"no socket", link(t, "ctx-host-dead"), "adapter dead:", "ctx plugins check", is[*StartError]},
		{"another name", link(t, "ctx-host-liar"), `describes itself as "claude"`, "ctx plugins check", is[*StartError]},
		{"for another machine", script("\x7fELF\x01nonsense"), "exec format error", "build it for this machine", is[*os.PathError]},
		{"not there", filepath.Join(t.TempDir(), "ctx-host-none"), "no such file", "build it", is[*os.PathError]},
		{"a shell script that prints", script("#!/bin/sh\necho hello\n"), `printed "hello"`, "prints nothing", is[*HandshakeError]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := OpenPath(t.Context(), tt.path, Options{StartTimeout: patience})
			var start *StartError
			if !errors.As(err, &start) || !strings.Contains(err.Error(), tt.want) || !tt.check(err) {
				t.Fatalf("error %v (%T), want %q", err, err, tt.want)
			}
			if !strings.Contains(start.Hint(), tt.hint) {
				t.Errorf("hint %q, want %q", start.Hint(), tt.hint)
			}
		})
	}
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

func TestAHandshakeThatNeverComes(t *testing.T) {
	t.Parallel()
	_, err := OpenPath(t.Context(), link(t, "ctx-host-mute"), Options{StartTimeout: 100 * time.Millisecond})
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || !strings.Contains(err.Error(), "adapter mute: it did not start within 100ms") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = OpenPath(ctx, link(t, "ctx-host-mute"), Options{StartTimeout: patience})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("under a deadline: %v", err)
	}
	_, err = OpenPath(ctx, link(t, "ctx-host-echo"), Options{StartTimeout: patience})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the deadline: %v", err)
	}
}

func TestAdaptersGetNoSecrets(t *testing.T) {
	t.Parallel()
	c := start(t, "ctx-host-echo", Options{Env: []string{
		"HOME=/home/u", "PATH=/bin", "GITHUB_TOKEN=s3cret", "LC_ALL=C", "XDG_DATA_HOME=/d", "TMPDIR=/tmp", "CTX_LOG=debug", "LD_PRELOAD=/evil.so",
	}})
	ev, err := c.Decode(t.Context(), RawEvent{Name: "env"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"HOME=/home/u", "PATH=/bin", "LC_ALL=C", "XDG_DATA_HOME=/d", "TMPDIR=/tmp", "CTX_LOG=debug"} {
		if !strings.Contains(ev.Prompt, want) {
			t.Errorf("%s is missing: %s", want, ev.Prompt)
		}
	}
	for _, secret := range []string{"GITHUB_TOKEN", "s3cret", "LD_PRELOAD"} {
		if strings.Contains(ev.Prompt, secret) {
			t.Errorf("%s went to the adapter", secret)
		}
	}
}

func TestWhatAnAdapterPrintsIsLogged(t *testing.T) {
	t.Parallel()
	var out syncBuffer
	c := start(t, "ctx-host-echo", Options{Log: hclog.New(&hclog.LoggerOptions{Level: hclog.Debug, Output: &out})})
	if _, err := c.Decode(t.Context(), RawEvent{Name: "print"}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if s := out.String(); strings.Contains(s, "on stdout") && strings.Contains(s, "on stderr") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the log has %q", out.String())
		}
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestNothingIsLeftOfASocket(t *testing.T) {
	tmp := t.TempDir()
	echo := link(t, "ctx-host-echo")
	failing := []string{link(t, "ctx-host-crash"), link(t, "ctx-host-future"), link(t, "ctx-host-dead"), "/no/ctx-host-none"}
	t.Setenv("TMPDIR", tmp)
	empty := func(when string) {
		t.Helper()
		if left, err := os.ReadDir(tmp); err != nil || len(left) != 0 {
			t.Errorf("%s: %v %v", when, left, err)
		}
	}
	c, err := OpenPath(t.Context(), echo, Options{StartTimeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	empty("while it runs")
	if _, err := c.Encode(t.Context(), event.Event{}, event.Reply{Context: "x"}); err != nil {
		t.Error(err)
	}
	c.Close()
	empty("after Close")
	for _, path := range failing {
		if _, err := OpenPath(t.Context(), path, Options{StartTimeout: patience}); err == nil {
			t.Errorf("%s started", path)
		}
		empty("after " + path)
	}
}

func TestATemporaryFolderTooDeepForASocket(t *testing.T) {
	echo := link(t, "ctx-host-echo")
	deep := filepath.Join(t.TempDir(), strings.Repeat("deep/", 30))
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", deep)
	c, err := OpenPath(t.Context(), echo, Options{StartTimeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
