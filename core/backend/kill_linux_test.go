package backend

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/backend/internal/spawner"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// goneWithin is the promise: nothing of a gateway's is left after it.
const goneWithin = 5 * time.Second

var marks atomic.Int64

// newMark is a variable by which a test knows its own processes.
func newMark() string {
	return fmt.Sprintf("CTX_TEST_MARK=%d-%d-%d", os.Getpid(), marks.Add(1), time.Now().UnixNano())
}

// marked lists the living processes that have mark in their environment. A
// zombie has no environment.
func marked(mark string) []int {
	var pids []int
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is good
	for _, f := range files {
		if env, err := os.ReadFile(f); err == nil && bytes.Contains(env, []byte(mark+"\x00")) {
			pid, _ := strconv.Atoi(strings.Split(f, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

// mustGo fails the test when a process is still there after the time promised,
// and then kills it.
func mustGo(t *testing.T, name, mark string) {
	t.Helper()
	deadline := time.Now().Add(goneWithin)
	left := marked(mark)
	for len(left) > 0 && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
		left = marked(mark)
	}
	for _, pid := range left {
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		t.Errorf("%s: still there after %s: %q", name, goneWithin, cmdline)
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// spawnerOf finds the spawner of a gateway.
func spawnerOf(t *testing.T, gateway int) int {
	t.Helper()
	var found int
	eventually(t, "the gateway has a spawner", func() bool {
		stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is good
		for _, f := range stats {
			var state string
			var pid, parent int
			stat, _ := os.ReadFile(f)
			n, _ := fmt.Sscanf(string(stat), "%d ("+spawner.Name+") %1s %d", &pid, &state, &parent)
			if n == 3 && parent == gateway {
				found = pid
			}
		}
		return found != 0
	})
	return found
}

func gone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || bytes.Contains(stat, []byte(") Z "))
}

// leaver is the one of [stubbornServers] whose first process leaves.
const leaver = "first process leaves"

// stubbornServers are of every kind that is known to stay behind, by what is
// special. The first process of the leaver leaves when leave is called.
func stubbornServers(t *testing.T) (all map[string]surface.Server, leave func()) {
	t.Helper()
	gate := filepath.Join(t.TempDir(), "leave")
	leave = func() {
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Error(err)
		}
	}
	stay := stub(t, "s", "-ignore-eof", "-ignore-term")
	command := stay.Command + " -ignore-eof -ignore-term"
	trap := `trap "" TERM HUP INT; `
	servers := map[string]surface.Server{
		"ordinary":                          stub(t, "s"),
		"ignores EOF and SIGTERM":           stay,
		"grandchild, as npx starts":         shell("s", trap+"exec 3<&0; "+command+" <&3 & wait; wait"),
		"great-grandchild":                  shell("s", `sh -c '`+command+`'; true`),
		"background process beside it":      shell("s", trap+`sleep 1000 & exec `+command),
		"forks twice":                       shell("s", `( (`+trap+`sleep 1000; sleep 1000) & ); exec `+command),
		leaver:                              shell("s", `exec 3<&0; `+command+` <&3 & until [ -e '`+gate+`' ]; do sleep 0.05; done`),
		"stopped":                           shell("s", `sleep 1000 & kill -STOP $!; exec `+command),
		"starts new ones while it is ended": shell("s", trap+`(while :; do sleep 0.05; done) & exec `+command),
	}
	if _, err := exec.LookPath("setsid"); err == nil {
		servers["session of its own"] = shell("s", trap+`exec 3<&0; setsid `+command+` <&3 & wait; wait`)
		servers["session of its own, forked twice"] = shell("s", `(setsid sh -c '`+trap+`sleep 1000; sleep 1000' &); exec `+command)
	}
	return servers, leave
}

func TestNothingSurvivesAKilledGateway(t *testing.T) {
	t.Parallel()
	type running struct {
		name, mark string
		gateway    *exec.Cmd
		spawner    int
	}
	var all []running
	servers, leave := stubbornServers(t)
	for name, srv := range servers {
		mark := newMark()
		gateway := startGateway(t, mark, "ready", srv)
		if len(marked(mark)) < 2 { // the gateway itself is one
			t.Errorf("%s: no server runs: the test shows nothing", name)
		}
		all = append(all, running{name, mark, gateway, spawnerOf(t, gateway.Process.Pid)})
	}
	leave()
	for _, r := range all {
		r.gateway.Process.Kill()
	}
	for _, r := range all {
		mustGo(t, r.name, r.mark)
		eventually(t, r.name+": the spawner is gone", func() bool { return gone(r.spawner) })
	}
}

func TestNothingSurvivesAGatewayKilledWhileItStarts(t *testing.T) {
	t.Parallel()
	mark := newMark()
	var servers []surface.Server
	for i, flags := range [][]string{
		{"-delay-start", "1000s"}, {"-hang"}, {"-ignore-term", "-delay-start", "1000s"}, {"-ignore-eof", "-ignore-term", "-hang"}, {},
	} {
		servers = append(servers, stub(t, strconv.Itoa(i), flags...))
	}
	servers = append(servers, shell("sh", `trap "" TERM; sleep 1000 & while :; do sleep 1; done`))
	for _, wait := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} {
		gateway := startGateway(t, mark, "started", servers...)
		time.Sleep(wait)
		gateway.Process.Kill()
		gateway.Wait()
	}
	// What was ordered just before the end is started after it, and ended.
	time.Sleep(200 * time.Millisecond)
	mustGo(t, "while starting", mark)
}

func TestNothingSurvivesAKilledSpawner(t *testing.T) {
	t.Parallel()
	mark := newMark()
	gateway := startGateway(t, mark, "ready", stub(t, "a", "-ignore-eof", "-ignore-term"), stub(t, "b"))
	if n := len(marked(mark)); n < 3 {
		t.Fatalf("%d processes run: the test shows nothing", n)
	}
	syscall.Kill(spawnerOf(t, gateway.Process.Pid), syscall.SIGKILL)
	eventually(t, "the servers are gone", func() bool { return len(marked(mark)) == 1 }) // the gateway itself
}

func TestServersGoWithGatewayAndSpawnerKilledAtOnce(t *testing.T) {
	t.Parallel()
	mark := newMark()
	gateway := startGateway(t, mark, "ready", stub(t, "a", "-ignore-eof", "-ignore-term"))
	if n := len(marked(mark)); n < 2 {
		t.Fatalf("%d processes run: the test shows nothing", n)
	}
	gateway.Process.Signal(syscall.SIGSTOP) // it must not notice and help
	syscall.Kill(spawnerOf(t, gateway.Process.Pid), syscall.SIGKILL)
	gateway.Process.Kill()
	mustGo(t, "both killed", mark)
}

func TestRestOfAServerGoesWithItsFirstProcess(t *testing.T) {
	t.Parallel()
	mark := newMark()
	command := stub(t, "s").Command
	m := newManager(t, Options{
		Env:     append(os.Environ(), mark),
		Servers: []surface.Server{shell("s", "exec 3<&0; "+command+" -ignore-eof -ignore-term <&3 & wait")},
	})
	if _, err := callTool(within(t), m, "s", "echo", `{"text":"x"}`); err != nil {
		t.Fatal(err)
	}
	if n := len(marked(mark)); n != 2 {
		t.Fatalf("%d processes run: the test shows nothing", n)
	}
	syscall.Kill(m.Status()[0].PID, syscall.SIGKILL)
	mustGo(t, "the rest", mark)
}

func TestKilledSpawnerIsReplaced(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "messages")
	m := newManager(t, Options{Servers: []surface.Server{stub(t, "s", "-log", log)}})
	if _, err := callTool(within(t), m, "s", "echo", `{"text":"x"}`); err != nil {
		t.Fatal(err)
	}
	pending := make(chan error, 1)
	go func() {
		_, err := callTool(within(t), m, "s", "slow", `{"ms":60000}`)
		pending <- err
	}()
	eventually(t, "the call is under way", func() bool {
		text, _ := os.ReadFile(log)
		return strings.Contains(string(text), "slow")
	})
	m.spawner.process.Process.Kill()
	if err := await(t, pending); err == nil || !strings.Contains(err.Error(), `server "s"`) {
		t.Errorf("got %v", err)
	}
	if text, err := callTool(within(t), m, "s", "echo", `{"text":"y"}`); err != nil || text != "y" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestSpawnerOutlivesWhatIsMeantForTheGateway(t *testing.T) {
	t.Parallel()
	mark := newMark()
	gateway := startGateway(t, mark, "ready", stub(t, "a", "-ignore-eof", "-ignore-term"))
	pid := spawnerOf(t, gateway.Process.Pid)

	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || string(cmdline) != spawner.Name+"\x00" {
		t.Errorf("command line %q, %v", cmdline, err)
	}
	if env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err != nil || len(env) != 0 {
		t.Errorf("it holds the gateway's environment (%d bytes), %v", len(env), err)
	}
	if sid, _ := syscall.Getpgid(pid); sid != pid {
		t.Errorf("it is in group %d, not one of its own", sid)
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP} {
		syscall.Kill(pid, sig)
	}
	time.Sleep(100 * time.Millisecond)
	if gone(pid) || len(marked(mark)) != 2 {
		t.Fatal("SIGINT or SIGHUP ended it")
	}
	syscall.Kill(pid, syscall.SIGTERM)
	eventually(t, "all are gone after SIGTERM", func() bool { return gone(pid) && len(marked(mark)) == 1 })
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	var closing sync.WaitGroup
	servers, leave := stubbornServers(t)
	for name, srv := range servers {
		mark := newMark()
		m := New(Options{Servers: []surface.Server{srv}, Env: append(os.Environ(), mark), Dir: t.TempDir()})
		m.Start()
		if a := m.backend("s").begin(true); a != nil {
			await(t, a.ready)
		}
		if len(marked(mark)) == 0 {
			t.Errorf("%s: no server runs: the test shows nothing", name)
		}
		if name == leaver {
			leave()
		}
		closing.Go(func() {
			m.Close()
			if left := marked(mark); len(left) > 0 {
				t.Errorf("%s: %d processes are left", name, len(left))
				mustGo(t, name, mark)
			}
		})
	}
	closing.Wait()
}

func TestCloseWhileServersHang(t *testing.T) {
	t.Parallel()
	mark := newMark()
	m := New(Options{
		Servers: []surface.Server{stub(t, "a", "-hang", "-ignore-term"), stub(t, "b", "-delay-start", "1000s"), shell("c", "sleep 1000")},
		Env:     append(os.Environ(), mark), Dir: t.TempDir(),
	})
	m.Start()
	eventually(t, "all run", func() bool { return len(marked(mark)) >= 3 })
	m.Close()
	mustGo(t, "while starting", mark)
}
