package plugins

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// The test binary is itself every adapter that the tests start: a link to it
// with the name of one makes it behave as that one.
var adapters = map[string]func(){
	"ctx-host-echo":    func() { Serve(echo{name: "echo"}) },
	"ctx-host-liar":    func() { Serve(echo{name: "claude"}) },
	"ctx-host-crash":   func() { fmt.Fprintln(os.Stderr, "no such library: libacme"); os.Exit(7) },
	"ctx-host-panic":   func() { panic("config is nil") },
	"ctx-host-garbage": func() { fmt.Println("Welcome to my adapter!"); time.Sleep(time.Minute) },
	"ctx-host-mute":    func() { time.Sleep(time.Minute) },
	"ctx-host-future":  func() { fmt.Println("1|7|unix|/nowhere|grpc|"); time.Sleep(time.Minute) },
	"ctx-host-dead":    func() { fmt.Println("1|1|unix|/nowhere|grpc|"); time.Sleep(time.Minute) },
	"ctx-host-deaf":    serveDeaf,
	"ctx-host-greedy":  serveGreedy,
	"ctx-host-family":  serveFamily,
}

func TestMain(m *testing.M) {
	if as, ok := adapters[filepath.Base(os.Args[0])]; ok {
		as()
		return
	}
	if role := os.Getenv("PLUGINS_TEST_HOST"); role != "" {
		hosts[role]()
		return
	}
	os.Exit(m.Run())
}

// link makes the named adapter and returns its path.
func link(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// echo answers with what it was asked, where the types allow it.
type echo struct{ name string }

func (e echo) Describe(context.Context) (Description, error) {
	return Description{Name: e.name, Title: "Echo", Version: "1", Events: []EventSpec{{"start", []byte("{}")}}}, nil
}

func (echo) Detect(_ context.Context, m Machine) (Detection, error) {
	return Detection{Installed: true, Program: m.Home, Config: fmt.Sprint(m.Env), Version: strconv.Itoa(os.Getpid())}, nil
}

func (echo) Decode(ctx context.Context, raw RawEvent) (event.Event, error) {
	switch raw.Name {
	case "fail":
		return event.Event{}, errors.New("config.json:3:7: unexpected ]")
	case "panic":
		panic("out of luck")
	case "slow":
		<-ctx.Done()
		return event.Event{}, ctx.Err()
	case "die":
		os.Exit(3)
	case "stdin":
		b, err := io.ReadAll(os.Stdin)
		return event.Event{Prompt: string(b)}, err
	case "env":
		return event.Event{Prompt: fmt.Sprint(os.Environ())}, nil
	case "print":
		fmt.Println("on stdout")
		fmt.Fprintln(os.Stderr, "on stderr")
	}
	return event.Event{Host: "echo", Name: raw.Name, Dir: raw.Dir, Prompt: string(raw.Payload)}, nil
}

func (echo) Encode(_ context.Context, _ event.Event, r event.Reply) ([]byte, error) {
	if r.Empty() {
		return nil, nil
	}
	return json.Marshal(r)
}

func (echo) Sources(_ context.Context, req SourcesRequest) (surface.Sources, error) {
	return surface.Sources{Host: "echo", Files: []string{req.Workspace, req.Dir}, Unseen: req.Fronted}, nil
}

func (echo) PlanWrap(_ context.Context, req WrapRequest) (WrapPlan, error) {
	return WrapPlan{Notes: []string{req.Workspace, string(req.Scope), req.Hook, req.GatewayBin}, Next: req.Front}, nil
}

func (echo) Compile(_ context.Context, req CompileRequest) (Compiled, error) {
	return Compiled{Launch: []string{req.Workspace, req.Profile, req.Dir}}, nil
}

// serveDeaf serves, and takes no notice of its stdin: an adapter in another
// language, say.
func serveDeaf() { serveDeafAs("deaf") }

func serveDeafAs(name string) {
	r, _, err := os.Pipe() // never ends
	if err != nil {
		panic(err)
	}
	os.Stdin = r
	Serve(echo{name: name})
}

// serveFamily has a child of its own that holds its streams.
func serveFamily() {
	child := exec.Command("sleep", "60")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		panic(err)
	}
	Serve(echo{name: "family"})
}

// serveGreedy takes what it can get from descriptor 0 for as long as it lives,
// and tells the world if it got anything.
func serveGreedy() {
	go func() {
		b := make([]byte, 1)
		if n, _ := os.NewFile(0, "stdin").Read(b); n > 0 {
			fmt.Fprintln(os.Stderr, "the adapter read a byte of its host's stdin")
			os.Exit(9)
		}
	}()
	serveDeafAs("greedy")
}
