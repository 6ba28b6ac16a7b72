package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// host starts a process with the arguments and returns its id.
func host(t *testing.T, args ...string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), sleeper+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err) // the new program is not in place before it has spoken
	}
	return cmd.Process.Pid
}

func sourcesWith(t *testing.T, pid int) surface.Sources {
	t.Helper()
	dir := t.TempDir()
	a := &adapter{managed: dir + "/none"}
	s, err := a.Sources(t.Context(), plugins.SourcesRequest{
		Machine:   plugins.Machine{Home: dir, Env: []string{fmt.Sprint(hostPID, "=", pid)}},
		Workspace: dir,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRulesOnTheCommandLineOfTheSession(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("command lines of others are read from /proc")
	}
	pid := host(t, "-p", "a prompt", "--allowedTools", "mcp__a__x,mcp__b", "Bash(git log:*, x)",
		"--disallowed-tools=mcp__c__* mcp__d", "--verbose",
		"--settings", `{"permissions":{"deny":["mcp__f"]}}`, // given again, it does not count
		"--settings", `{"permissions":{"ask":["mcp__e"]},"env":{"ENABLE_TOOL_SEARCH":"0"}}`)
	s := sourcesWith(t, pid)
	g := gate.New(s)
	got := map[string]event.Decision{}
	for _, server := range []string{"a", "b", "c", "d", "e", "f"} {
		got[server] = g.Rule(server, "x").Decision
	}
	want := map[string]event.Decision{"a": event.Allow, "b": event.Allow, "c": event.Deny, "d": event.Deny, "e": event.Ask, "f": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	if s.Loading != surface.Eager {
		t.Error("the environment of --settings does not count")
	}
	if slices.Contains(s.Unseen, unseenCommandLine) {
		t.Errorf("unseen: %q", s.Unseen)
	}
}

func TestUnreadableCommandLineIsSaid(t *testing.T) {
	t.Parallel()
	s := sourcesWith(t, 1<<30) // beyond any process id
	if !slices.Contains(s.Unseen, unseenCommandLine) {
		t.Errorf("unseen: %q", s.Unseen)
	}
}

func TestServersOnTheCommandLineOfTheSession(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("command lines of others are read from /proc")
	}
	dir := t.TempDir()
	write(t, dir+"/mcp.json", `{"mcpServers": {"filed": {"command": "x"}, "ctx": {"command": "/bin/ctx-gateway"}}}`)
	s := sourcesWith(t, host(t, "--mcp-config", dir+"/mcp.json", `{"mcpServers": {"inline": {"command": "x"}}}`, "--strict-mcp-config"))
	got := map[string]bool{}
	for _, server := range s.Servers {
		got[server.Name] = server.Direct != ""
		if server.Own != (server.Name == "ctx") {
			t.Errorf("%s is ours: %v", server.Name, server.Own)
		}
	}
	if diff := cmp.Diff(map[string]bool{"filed": true, "inline": true, "ctx": false}, got); diff != "" {
		t.Errorf("servers, and whether they stay direct (-want +got):\n%s", diff)
	}
}
