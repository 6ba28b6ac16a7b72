package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/internal/modelstub"
	"github.com/ctx-sidecar/ctx/plugins"
)

// The tests named TestReal run the real Claude Code, without an account, against
// a stand-in for the model's API. CTX_REALHOSTS names a folder in which npm has
// installed it.

// client is a home and a workspace of the real Claude Code. Its gateway is a
// stub server, its hook a script that writes down what it gets.
type client struct {
	fixture
	program string
}

// realClaude lays out NAME, CONTENT pairs as the fixtures of TestSources do; in
// them {{server NAME}} is an entry that starts a stub server.
func realClaude(t *testing.T, pairs ...string) *client {
	t.Helper()
	install := os.Getenv("CTX_REALHOSTS")
	if install == "" {
		t.Skip("CTX_REALHOSTS is not set: no folder with the real clients")
	}
	found, err := filepath.Glob(filepath.Join(install, "node_modules", "@anthropic-ai", "claude-code-*", "claude"))
	if err != nil || len(found) == 0 {
		t.Skip("no Claude Code in ", install)
	}
	stub, err := buildStub()
	if err != nil {
		t.Fatal(err)
	}
	c := &client{program: found[0]}
	for i := 1; i < len(pairs); i += 2 {
		pairs[i] = serverMacro(stub, pairs[i])
	}
	c.fixture = unpack(t, archive(pairs...))
	c.adapter = newAdapter()
	c.script(t, "ctx-gateway", "exec "+stub+` --mark "$(dirname "$0")/ctx-gateway.mark"`)
	c.script(t, "ctx-hook", `here=$(dirname "$0"); tr -d '\n' >> "$here/$2.events"; echo >> "$here/$2.events"
[ -f "$here/$2.answer" ] && cat "$here/$2.answer"; exit 0`)
	return c
}

// serverMacro makes {{server NAME}} an entry whose server leaves NAME.mark in
// the test's folder when it is started; further words are its arguments, with
// @FILE for a file of that folder.
func serverMacro(stub, text string) string {
	for {
		before, rest, ok := strings.Cut(text, "{{server ")
		if !ok {
			return text
		}
		body, after, _ := strings.Cut(rest, "}}")
		words := strings.Fields(body)
		args := []string{"--mark", "{{ROOT}}/" + words[0] + ".mark"}
		for _, word := range words[1:] {
			if file, ok := strings.CutPrefix(word, "@"); ok {
				word = "{{ROOT}}/" + file
			}
			args = append(args, word)
		}
		text = before + string(mustJSON(serverEntry{Command: stub, Args: args})) + after
	}
}

// buildStub builds the stub server once for all tests.
var buildStub = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ctx-claude-stub-")
	if err != nil {
		return "", err
	}
	stubDir = dir
	path := filepath.Join(dir, "stubserver")
	out, err := exec.Command("go", "build", "-o", path, "github.com/ctx-sidecar/ctx/internal/stubserver").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build stubserver: %w\n%s", err, out)
	}
	return path, nil
})

// stubDir is the folder that TestMain removes at the end.
var stubDir string

func (c *client) script(t *testing.T, name, body string) {
	t.Helper()
	write(t, c.path(name), "#!/bin/sh\n"+body+"\n")
	if err := os.Chmod(c.path(name), 0o755); err != nil {
		t.Fatal(err)
	}
}

func (c *client) path(name string) string { return filepath.Join(c.root, name) }

// write writes a file of the test's folder, with what its text stands for.
func (c *client) write(t *testing.T, name, text string) {
	t.Helper()
	write(t, c.path(name), c.replace(text))
}

// wire applies the plan of a wrap as ctx itself does.
func (c *client) wire(t *testing.T, gateway bool, front ...string) *wiring.Store {
	t.Helper()
	p, err := c.adapter.PlanWrap(t.Context(), plugins.WrapRequest{
		Machine: c.request.Machine, Workspace: c.request.Workspace, Gateway: gateway, Front: front,
		Hook: c.path("ctx-hook"), GatewayBin: c.path("ctx-gateway"),
	})
	if err != nil {
		t.Fatal(err)
	}
	store := wiring.Open(c.path("wraps"))
	change, err := store.Plan(wiring.Owner{Workspace: c.request.Workspace, Host: hostName}, p.Edits)
	if err == nil {
		err = change.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// session is what came of one run.
type session struct {
	turns   []modelstub.Request
	started []string // names of the servers that were started
}

// start is a run to make.
type start struct {
	dir    string // within the test's folder; "" for the workspace
	env    []string
	args   []string
	script []modelstub.Step
}

// run makes one conversation in print mode, with tool search off unless env
// says otherwise.
func (c *client) run(t *testing.T, s start) session {
	t.Helper()
	stub, err := modelstub.Start(s.script)
	if err != nil {
		t.Fatal(err)
	}
	defer stub.Close()
	c.forget(t, "*.mark")
	dir := c.ws()
	if s.dir != "" {
		dir = c.path(s.dir)
	}
	out, err := c.command(t, dir, append([]string{"ANTHROPIC_BASE_URL=" + stub.URL}, s.env...), append([]string{"-p", "hello there"}, s.args...)...)
	if err != nil || len(stub.Turns()) == 0 {
		t.Fatalf("claude: %v, %d turns\n%s", err, len(stub.Turns()), out)
	}
	var started []string
	for _, mark := range c.glob(t, "*.mark") {
		started = append(started, strings.TrimSuffix(filepath.Base(mark), ".mark"))
	}
	slices.Sort(started)
	return session{stub.Turns(), started}
}

// command runs claude with nothing of this process's environment but the path.
func (c *client) command(t *testing.T, dir string, env []string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.program, args...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"HOME=" + c.home(), "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "ANTHROPIC_API_KEY=none", "ENABLE_TOOL_SEARCH=false",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1",
	}, env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func (c *client) glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(c.path(pattern))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func (c *client) forget(t *testing.T, pattern string) {
	t.Helper()
	for _, name := range c.glob(t, pattern) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

// sources reads what the adapter takes a session in the folder to load.
func (c *client) sources(t *testing.T, dir string, env ...string) surface.Sources {
	t.Helper()
	req := c.request
	if dir != "" {
		req.Dir = c.path(dir)
	}
	req.Machine.Env = append(slices.Clone(req.Machine.Env), env...)
	s, err := c.adapter.Sources(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tools names the MCP tools that the first request offers.
func (s session) tools(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, raw := range s.turns[0].Tools() {
		var tool struct{ Name string }
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(tool.Name, "mcp__") {
			names = append(names, tool.Name)
		}
	}
	slices.Sort(names)
	return names
}

// result is what the model was told of one of its calls.
type result struct {
	Content json.RawMessage `json:"content"`
	Error   bool            `json:"is_error"`
}

// refused reports whether a call was not let through, which the host words in
// several ways.
func (r result) refused() bool {
	for _, words := range []string{"haven't granted", "No such tool available", "hook error", "because of the hook"} {
		if r.Error && bytes.Contains(r.Content, []byte(words)) {
			return true
		}
	}
	return false
}

// results are the results of all calls, in their order.
func (s session) results(t *testing.T) []result {
	t.Helper()
	var body struct {
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(s.turns[len(s.turns)-1].Body, &body); err != nil {
		t.Fatal(err)
	}
	var all []result
	for _, m := range body.Messages {
		var blocks []struct {
			Type string `json:"type"`
			result
		}
		if json.Unmarshal(m.Content, &blocks) != nil {
			continue // a message of plain text
		}
		for _, b := range blocks {
			if b.Type == "tool_result" {
				all = append(all, b.result)
			}
		}
	}
	return all
}

// texts are all texts of the first request that the model reads.
func (s session) texts(t *testing.T) string {
	t.Helper()
	var body struct {
		System   json.RawMessage
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(s.turns[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, raw := range append([]json.RawMessage{body.System}, contents(body.Messages)...) {
		var blocks []struct{ Text string }
		var text string
		if json.Unmarshal(raw, &blocks) == nil {
			for _, block := range blocks {
				b.WriteString(block.Text + "\n")
			}
		} else if json.Unmarshal(raw, &text) == nil {
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

func contents(messages []struct{ Content json.RawMessage }) []json.RawMessage {
	var all []json.RawMessage
	for _, m := range messages {
		all = append(all, m.Content)
	}
	return all
}
