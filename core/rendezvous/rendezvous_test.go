package rendezvous

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/paths"
)

// gateway claims what its offer says and answers with its name.
type gateway struct {
	name  string
	claim Claim

	mu      sync.Mutex
	handled []Request
}

func (g *gateway) Offer(context.Context, Request) Claim { return g.claim }

func (g *gateway) Handle(_ context.Context, req Request) Reply {
	if g.claim == No {
		return Reply{}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.handled = append(g.handled, req)
	return Reply{Claim: g.claim, Output: []byte(g.name)}
}

// user lays out a user whose sockets have short enough paths anywhere.
func user(t *testing.T) paths.Layout {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ctx-rdv-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return paths.Layout{State: dir}
}

// listen starts a gateway under the parent of this process, as if that were
// the host that also runs the hook.
func listen(t *testing.T, l paths.Layout, h Handler) *Server {
	t.Helper()
	s, err := Listen(l, os.Getppid(), h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestGatewayAnswersItsHook(t *testing.T) {
	t.Parallel()
	l := user(t)
	g := &gateway{name: `{"a":1}`, claim: Could}
	listen(t, l, g)

	req := Request{Host: "claude", Event: "SessionStart", Dir: "/w", Env: []string{"A=b"}, Payload: []byte("{}\x00\xff")}
	out, ok := Send(t.Context(), l, req)
	if !ok || string(out) != `{"a":1}` {
		t.Fatalf("Send = %q, %v", out, ok)
	}
	got := g.handled[0]
	if got.Op != OpHandle || got.Event != "SessionStart" || !bytes.Equal(got.Payload, req.Payload) || got.Env[0] != "A=b" {
		t.Errorf("the gateway saw %+v", got)
	}
}

func TestWhoAnswersAmongSeveral(t *testing.T) {
	t.Parallel()
	tests := []struct {
		claims []Claim
		want   Claim // of the gateway that must answer, No for the cold path
	}{
		{[]Claim{No}, No},
		{[]Claim{Could}, Could},
		{[]Claim{No, No}, No},
		{[]Claim{No, Could}, Could},
		{[]Claim{Could, Mine}, Mine},
		{[]Claim{Could, Could, Mine}, Mine},
		{[]Claim{Could, Could}, No},
		{[]Claim{Could, No, Could}, No},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.claims), func(t *testing.T) {
			t.Parallel()
			l := user(t)
			for _, c := range tt.claims {
				listen(t, l, &gateway{name: fmt.Sprint(c), claim: c})
			}
			out, ok := Send(t.Context(), l, Request{})
			if want := fmt.Sprint(tt.want); tt.want == No && ok || tt.want != No && string(out) != want {
				t.Errorf("Send = %q, %v; want the answer of %s", out, ok, want)
			}
		})
	}
}

func TestGatewayOfAnotherHostProcessIsNotAsked(t *testing.T) {
	t.Parallel()
	other := exec.Command("sleep", "60")
	if err := other.Start(); err != nil {
		t.Skip("no sleep(1):", err)
	}
	defer func() { other.Process.Kill(); other.Wait() }()
	l := user(t)
	s, err := Listen(l, other.Process.Pid, &gateway{claim: Mine})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, ok := Send(t.Context(), l, Request{}); ok {
		t.Error("a gateway of a process that is no ancestor answered")
	}
}

func TestProcessIDGivenAgainIsNotTheHost(t *testing.T) {
	t.Parallel()
	l := user(t)
	g := &gateway{claim: Mine}
	s := listen(t, l, g)
	host, err := inspect(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	host.start++
	stale := filepath.Join(l.Sockets(), socketName(host, "00000000"))
	if err := os.Rename(s.path, stale); err != nil {
		t.Fatal(err)
	}
	if _, ok := Send(t.Context(), l, Request{}); ok {
		t.Error("a socket of an earlier process with the same id was used")
	}
}

// hung accepts connections, as the kernel does for a stopped process, and
// never answers.
func hung(t *testing.T, l paths.Layout, id string) {
	t.Helper()
	host, err := inspect(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	if err := makeFolder(l.Sockets()); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("unix", filepath.Join(l.Sockets(), socketName(host, id)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
}

func TestHungGatewayIsGivenUp(t *testing.T) {
	t.Parallel()
	l := user(t)
	hung(t, l, "00000000")
	done := make(chan bool)
	go func() { _, ok := Send(context.Background(), l, Request{}); done <- ok }()
	select {
	case ok := <-done:
		if ok {
			t.Error("a gateway that never answered handled the event")
		}
	case <-time.After(30 * time.Second):
		t.Fatal("Send waits for a hung gateway")
	}
}

func TestHungGatewayBesideAnother(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		claim Claim
		want  bool
	}{
		{Mine, true},
		// The session may be that of the silent one.
		{Could, false},
	} {
		t.Run(fmt.Sprint(tt.claim), func(t *testing.T) {
			t.Parallel()
			l := user(t)
			listen(t, l, &gateway{name: "alive", claim: tt.claim})
			hung(t, l, "00000000")
			if out, ok := Send(t.Context(), l, Request{}); ok != tt.want {
				t.Errorf("Send = %q, %v", out, ok)
			}
		})
	}
}

func TestGatewayGoneIsGivenUp(t *testing.T) {
	t.Parallel()
	l := user(t)
	s := listen(t, l, &gateway{claim: Mine})
	s.ln.Close() // as if killed: the socket file stays
	if _, err := os.Stat(s.path); err != nil {
		t.Fatal(err)
	}
	if _, ok := Send(t.Context(), l, Request{}); ok {
		t.Error("a dead gateway answered")
	}

	// The next gateway tidies up, and is not in doubt because of the dead one.
	listen(t, l, &gateway{name: "next", claim: Could})
	if _, err := os.Stat(s.path); err == nil {
		t.Error("the socket of the dead gateway is still there")
	}
	if out, ok := Send(t.Context(), l, Request{}); !ok || string(out) != "next" {
		t.Errorf("Send = %q, %v", out, ok)
	}
}

func TestALiveGatewayOfAHostThatIsNotSeenKeepsItsSocket(t *testing.T) {
	t.Parallel()
	l := user(t)
	if err := makeFolder(l.Sockets()); err != nil {
		t.Fatal(err)
	}
	here, err := inspect(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	sockets := map[string]*net.UnixListener{}
	for _, host := range []process{
		{pid: 1 << 30, start: 1},               // no such process in this namespace
		{pid: here.pid, start: here.start + 1}, // another one has this id here
	} {
		path := filepath.Join(l.Sockets(), socketName(host, "00000000"))
		ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		ln.SetUnlinkOnClose(false)
		t.Cleanup(func() { ln.Close() })
		sockets[path] = ln
	}
	listen(t, l, &gateway{claim: Could})
	for path, ln := range sockets {
		if _, err := os.Stat(path); err != nil {
			t.Error("the socket of a live gateway was taken away:", err)
		}
		ln.Close() // as if killed
	}
	listen(t, l, &gateway{claim: Could})
	for path := range sockets {
		if _, err := os.Stat(path); err == nil {
			t.Error("the socket of a dead gateway is still there:", path)
		}
	}
}

func TestCloseTakesTheSocketAway(t *testing.T) {
	t.Parallel()
	l := user(t)
	s := listen(t, l, &gateway{claim: Mine})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(l.Sockets())
	if err != nil || len(entries) != 0 {
		t.Errorf("left in the folder: %v, %v", entries, err)
	}
}

func TestFolderOpenToOthersIsRefused(t *testing.T) {
	t.Parallel()
	spoil := map[string]func(t *testing.T, dir string){
		"group may enter": func(t *testing.T, dir string) {
			if err := os.Chmod(dir, 0o710); err != nil {
				t.Fatal(err)
			}
		},
		"a link": func(t *testing.T, dir string) {
			if err := os.Rename(dir, dir+"2"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(dir+"2", dir); err != nil {
				t.Fatal(err)
			}
		},
		"someone else's": func(t *testing.T, dir string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			if err := os.Chown(dir, 1, 1); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, spoil := range spoil {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := user(t)
			g := &gateway{claim: Mine}
			listen(t, l, g)
			spoil(t, l.Sockets())
			if _, ok := Send(t.Context(), l, Request{}); ok {
				t.Error("the hook sent the event into it")
			}
			if s, err := Listen(l, os.Getppid(), g); err == nil {
				s.Close()
				t.Error("a gateway listens in it")
			}
		})
	}
}

func TestHugeEventTakesTheColdPath(t *testing.T) {
	t.Parallel()
	l := user(t)
	g := &gateway{claim: Mine, name: "here"}
	listen(t, l, g)
	if _, ok := Send(t.Context(), l, Request{Payload: make([]byte, mostBytes)}); ok {
		t.Error("a message over the bound was handled")
	}
	if out, ok := Send(t.Context(), l, Request{Payload: make([]byte, 1<<20)}); !ok || string(out) != "here" {
		t.Errorf("afterwards Send = %q, %v", out, ok)
	}
}

type panicky struct{ gateway }

func (p *panicky) Handle(context.Context, Request) Reply { panic("fault") }

func TestFaultInOneEventIsNotTheGatewaysEnd(t *testing.T) {
	t.Parallel()
	l := user(t)
	listen(t, l, &panicky{})
	for range 2 {
		if _, ok := Send(t.Context(), l, Request{}); ok {
			t.Error("a handler that panics handled the event")
		}
	}
}

func TestGarbageOnTheSocket(t *testing.T) {
	t.Parallel()
	l := user(t)
	s := listen(t, l, &gateway{claim: Mine, name: "here"})
	for _, garbage := range []string{"", "GET / HTTP/1.0\r\n\r\n", "\xff\xff\xff\xff", "\x00\x00\x00\x02[]", strings.Repeat("\x00", 64)} {
		c, err := net.Dial("unix", s.path)
		if err != nil {
			t.Fatal(err)
		}
		c.Write([]byte(garbage))
		c.Close()
	}
	if out, ok := Send(t.Context(), l, Request{}); !ok || string(out) != "here" {
		t.Errorf("afterwards Send = %q, %v", out, ok)
	}
}

func TestManyEventsAtOnce(t *testing.T) {
	t.Parallel()
	l := user(t)
	g := &gateway{claim: Mine, name: "here"}
	listen(t, l, g)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if out, ok := Send(t.Context(), l, Request{}); !ok || string(out) != "here" {
				t.Errorf("Send = %q, %v", out, ok)
			}
		})
	}
	wg.Wait()
}

func TestHostIsTheNearestAncestorThatIsNoShell(t *testing.T) {
	t.Parallel()
	if os.Getenv("CTX_TEST_HOST_PID") != "" {
		fmt.Print(HostPID())
		os.Exit(0)
	}
	// exec.Command starts a shell, which starts this binary again.
	cmd := exec.Command("sh", "-c", `"$0" -test.run='^TestHostIsTheNearestAncestorThatIsNoShell$'; true`, os.Args[0])
	cmd.Env = append(os.Environ(), "CTX_TEST_HOST_PID=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprint(os.Getpid()); string(out) != want {
		t.Errorf("HostPID = %s, want %s", out, want)
	}
}
