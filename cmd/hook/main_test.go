package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/rendezvous"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ctx-hook":       hookMain,
		"ctx-host-fake":  fakeAdapter,
		"ctx-host-hang":  func() { select {} },
		"ctx-host-crash": func() { os.Exit(3) },
		"ctx-host-noisy": func() { os.Stdout.WriteString("hello\n") },
	})
}

// hookMain is ctx-hook with more time, so that a busy machine changes nothing;
// where a script is about that time, PACE says how many times the product's own.
func hookMain() {
	pace := time.Duration(8)
	if n, err := strconv.Atoi(os.Getenv("PACE")); err == nil {
		pace = time.Duration(n)
	}
	for _, d := range []*time.Duration{&most, &mostAtEnd, &afterRoute, &afterUntil, &afterModel} {
		*d *= pace
	}
	main()
}

func TestScripts(t *testing.T) {
	// Sockets have short paths, so their folder must have one.
	root, err := os.MkdirTemp("/tmp", "ctxh")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		WorkdirRoot:         root,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"install": install,
			"gateway": startGateway,
			"listed":  listed,
			"wrapped": wrapped,
		},
	})
}

func layout(getenv func(string) string) paths.Layout {
	return paths.FromEnv([]string{
		"HOME=" + getenv("HOME"), "XDG_STATE_HOME=" + getenv("XDG_STATE_HOME"), "XDG_DATA_HOME=" + getenv("XDG_DATA_HOME"),
	})
}

func setup(env *testscript.Env) error {
	work := env.WorkDir
	env.Setenv("HOME", filepath.Join(work, "home"))
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(work, "config"))
	env.Setenv("XDG_STATE_HOME", filepath.Join(work, "state"))
	env.Setenv("XDG_DATA_HOME", filepath.Join(work, "data"))
	env.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector delays every exit by a second
	env.Setenv("STATE", filepath.Join(work, "state", "ctx"))
	env.Setenv("LOG", filepath.Join(work, "state", "ctx", "log", "hook.log"))
	ws := filepath.Join(work, "ws")
	env.Setenv("WS", ws)
	l := layout(env.Getenv)
	env.Setenv("SURFACE", filepath.Join(l.State, "workspaces", paths.ID(paths.Real(ws))))
	env.Defer(func() { os.RemoveAll(l.Sockets()) })
	for _, dir := range []string{ws, filepath.Join(work, "home"), filepath.Join(l.Data, "plugins")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// install NAME puts this binary there as the adapter of a host, trusted unless
// it is told to be negated: ! install NAME.
func install(ts *testscript.TestScript, neg bool, args []string) {
	l := layout(ts.Getenv)
	self, err := os.Executable()
	ts.Check(err)
	path := filepath.Join(l.Data, "plugins", "ctx-host-"+args[0])
	b, err := os.ReadFile(self)
	ts.Check(err)
	ts.Check(os.Symlink(self, path))
	if neg {
		return
	}
	sum := sha256.Sum256(b)
	ts.Check(trust.Open(l.Trust()).PinPlugin(args[0], path, hex.EncodeToString(sum[:])))
}

// wrapped SERVER... makes the record of a wrap, with these servers behind the
// gateway.
func wrapped(ts *testscript.TestScript, _ bool, args []string) {
	h := wiring.HostRecord{Host: "fake", Gateway: true}
	for _, name := range args {
		h.Fronted = append(h.Fronted, wiring.Fronted{Name: name, Scope: "user"})
	}
	ts.Check(wiring.Open(layout(ts.Getenv).Wraps()).PutHosts(paths.Real(ts.Getenv("WS")), h))
}

// listed SOURCES TOOLS puts into the cache of the workspace what the server
// lists that the file of tools is named after.
func listed(ts *testscript.TestScript, _ bool, args []string) {
	l := layout(ts.Getenv)
	dir, why := state.SafeDir(l, paths.Real(ts.Getenv("WS")))
	if why != "" {
		ts.Fatalf("%s", why)
	}
	lst, err := readListing(ts.MkAbs(args[0]), ts.MkAbs(args[1]))
	ts.Check(err)
	ts.Check(listing.OpenCache(dir, listing.KeyFile(l)).Put(lst))
}

// startGateway CLAIM starts a gateway of this process, which is what the hooks of
// the script descend from. CLAIM is no, could, mine, or hang.
func startGateway(ts *testscript.TestScript, _ bool, args []string) {
	g := &testGateway{out: []byte(args[0] + "\n")}
	switch args[0] {
	case "no":
	case "could":
		g.claim = rendezvous.Could
	case "mine":
		g.claim = rendezvous.Mine
	case "hang":
		g.hang = make(chan struct{})
		ts.Defer(sync.OnceFunc(func() { close(g.hang) }))
	default:
		ts.Fatalf("unknown claim %q", args[0])
	}
	s, err := rendezvous.Listen(layout(ts.Getenv), os.Getpid(), g)
	ts.Check(err)
	ts.Defer(func() {
		if err := s.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			ts.Logf("close: %v", err)
		}
	})
}

type testGateway struct {
	claim rendezvous.Claim
	out   []byte
	hang  chan struct{} // nil: answers at once
}

func (g *testGateway) Offer(context.Context, rendezvous.Request) rendezvous.Claim {
	if g.hang != nil {
		<-g.hang
	}
	return g.claim
}

func (g *testGateway) Handle(ctx context.Context, req rendezvous.Request) rendezvous.Reply {
	c := g.Offer(ctx, req)
	return rendezvous.Reply{Claim: c, Output: g.out}
}
