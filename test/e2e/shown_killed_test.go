package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

// Whatever is killed, and whenever: no process stays, and no file is half
// written.
func TestKilledAtAnyMomentLeavesNothing(t *testing.T) {
	t.Parallel()
	needClients(t)
	for _, after := range []time.Duration{0, 30 * time.Millisecond, 200 * time.Millisecond, 1500 * time.Millisecond} {
		for _, victim := range []string{"ctx-gateway", "stubserver", "claude"} {
			t.Run(fmt.Sprint(victim, " ", after), func(t *testing.T) {
				t.Parallel()
				u := newUser(t)
				dir := u.workspace("w", func(dir string) map[string]any {
					all := notes("a")(dir)
					stubborn := []string{"--ignore-eof", "--ignore-term", "--mark", dir + "/MARK-stubborn"}
					all["stubborn"] = args{"command": stub, "args": stubborn}
					all["grandchild"] = args{"command": "sh", "args": []string{"-c", stub + " --ignore-term --mark " + dir + "/MARK-grandchild & wait"}}
					return all
				})
				u.wrap(dir, "claude")
				// Nothing is known of them any more, so that all start at once.
				if err := os.Remove(dir + "/.ctx-surface/probe-cache.json"); err != nil {
					t.Fatal(err)
				}
				u.unmark(dir)
				m, err := modelstub.Start([]modelstub.Step{
					call("call_tool", args{"tool": "a:slow", "arguments": args{"ms": 20000}}),
				})
				if err != nil {
					t.Fatal(err)
				}
				defer m.Close()
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				host := exec.CommandContext(ctx, filepath.Join(clients, "node_modules/.bin/claude"), append([]string{"-p", "go"}, approved...)...)
				host.Dir = dir
				host.Env = u.environ("ANTHROPIC_BASE_URL="+m.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
					"DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1", "ENABLE_TOOL_SEARCH=false")
				if err := host.Start(); err != nil {
					t.Fatal(err)
				}
				for u.pids(victim, host.Process.Pid) == nil {
					if ctx.Err() != nil {
						t.Fatalf("%s never started", victim)
					}
					time.Sleep(5 * time.Millisecond)
				}
				time.Sleep(after)
				for _, pid := range u.pids(victim, host.Process.Pid) {
					syscall.Kill(pid, syscall.SIGKILL)
				}
				if victim == "stubserver" {
					time.Sleep(100 * time.Millisecond)
					host.Process.Signal(syscall.SIGTERM)
				} else if victim == "ctx-gateway" {
					u.gone(ctx, host.Process.Pid) // while the host goes on
				}
				host.Process.Kill()
				host.Wait()
				u.gone(ctx, 0)
				u.wholeFiles(dir)
			})
		}
	}
}

// pids are the processes of this user that run a program: the host, or one of
// those that [user.processes] finds.
func (u *user) pids(program string, host int) []int {
	if program == "claude" {
		if len(u.processes()) == 0 {
			return nil // too early to leave anything
		}
		return []int{host}
	}
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		u.t.Fatal(err)
	}
	var found []int
	for _, path := range all {
		line, _ := os.ReadFile(path) // of one that just ended: nothing
		words := strings.Split(string(line), "\x00")
		env, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
		mine := strings.Contains(string(line), filepath.Dir(u.home)) || strings.Contains(string(env), u.home)
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && mine && filepath.Base(words[0]) == program {
			found = append(found, pid)
		}
	}
	return found
}

// gone waits until no process of ours is left; host is one that may restart the
// gateway, 0 when it has ended.
func (u *user) gone(ctx context.Context, host int) {
	u.t.Helper()
	for {
		left := u.processes()
		if host != 0 { // hooks come and go
			var servers []string
			for _, line := range left {
				if strings.HasPrefix(line, stub) {
					servers = append(servers, line)
				}
			}
			left = servers
		}
		if len(left) == 0 {
			return
		}
		if ctx.Err() != nil {
			u.t.Fatalf("still there: %q", left)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// wholeFiles fails for what is not JSON of all that we keep.
func (u *user) wholeFiles(dir string) {
	u.t.Helper()
	for _, pattern := range []string{
		dir + "/.ctx-surface/*", dir + "/.ctx-surface/sessions/*", dir + "/.claude/*.json",
		u.home + "/.local/state/ctx/*.json", u.home + "/.local/state/ctx/wraps/*.json", u.home + "/.local/state/ctx/wraps/files/*.json",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			u.t.Fatal(err)
		}
		for _, path := range found {
			name := filepath.Base(path)
			switch info, err := os.Lstat(path); {
			case err != nil || info.IsDir() || strings.HasSuffix(name, ".lock"):
			case strings.HasSuffix(name, ".jsonl"):
				for line := range strings.Lines(u.read(path)) {
					if !json.Valid([]byte(line)) {
						u.t.Errorf("%s has the line %q", path, line)
					}
				}
			case strings.HasSuffix(name, ".json"):
				if text := u.read(path); !json.Valid([]byte(text)) {
					u.t.Errorf("%s is %q", path, text)
				}
			case strings.HasSuffix(name, ".bad"):
				u.t.Errorf("%s was found broken", path)
			}
		}
	}
}
