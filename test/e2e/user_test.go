package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

// patience is how long a program may take before the test calls it hung.
const patience = 3 * time.Minute

// user is someone with a home of their own, and nothing in it.
type user struct {
	t    *testing.T
	home string
	env  []string // beyond HOME and PATH
}

func newUser(t *testing.T) *user {
	t.Helper()
	// Short, for the sockets below it; resolved, as hosts report their folders.
	dir, err := os.MkdirTemp("", "u-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	u := &user{t: t, home: filepath.Join(dir, "home")}
	u.write("home/.keep", "", u.home+"/..")
	os.Remove(filepath.Join(u.home, ".keep"))
	return u
}

// write makes a file below dir, with the folders it needs.
func (u *user) write(name, content, dir string) string {
	u.t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		u.t.Fatal(err)
	}
	return path
}

func (u *user) environ(extra ...string) []string {
	env := []string{
		"HOME=" + u.home,
		"PATH=" + filepath.Join(prefix, "bin") + ":" + os.Getenv("PATH"),
		"LANG=C.UTF-8",
	}
	return append(append(env, u.env...), extra...)
}

// result is how a program ended.
type result struct {
	code     int
	out, err string
}

// run runs a program in dir until it ends.
func (u *user) run(dir string, env []string, name string, args ...string) result {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, 5*time.Second
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if ctx.Err() != nil {
		u.t.Fatalf("%s %q hangs\n%s\n%s", name, args, out.String(), errOut.String())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		u.t.Fatalf("%s: %v", name, err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errOut.String()}
}

// ctx runs ctx and wants it to end well.
func (u *user) ctx(dir string, args ...string) string {
	u.t.Helper()
	r := u.tryCtx(dir, args...)
	if r.code != 0 {
		u.t.Fatalf("ctx %s: exit %d\n%s%s", strings.Join(args, " "), r.code, r.out, r.err)
	}
	return r.out
}

func (u *user) tryCtx(dir string, args ...string) result {
	u.t.Helper()
	return u.run(dir, u.environ(), filepath.Join(prefix, "bin", "ctx"), args...)
}

// wrap puts the gateway before every server of host in workspace.
func (u *user) wrap(workspace, host string) string {
	u.t.Helper()
	return u.ctx(workspace, "wrap", "setup", "--gateway", "--host", host, "--yes")
}

// hook runs ctx-hook as a host does and returns what it prints. Whatever
// happens, a hook ends with 0 and says nothing on stderr.
func (u *user) hook(dir, host, event, payload string) string {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(prefix, "bin/ctx-hook"), host, event)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, u.environ(), strings.NewReader(payload)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil || errOut.Len() > 0 {
		u.t.Errorf("ctx-hook %s %s: %v: %s", host, event, err, errOut.String())
	}
	return out.String()
}

// session is one run of a host against a scripted model.
type session struct {
	result
	stub *modelstub.Server
	t    *testing.T
}

// needClients skips a test where the real clients are not installed.
func needClients(t *testing.T) {
	t.Helper()
	if clients == "" {
		t.Skip("needs the real clients: make e2e")
	}
}

// claude runs the real Claude Code once, without a terminal, tool search off
// unless an argument of the form KEY=VALUE, put before the others, says else.
func (u *user) claude(dir string, script []modelstub.Step, args ...string) *session {
	u.t.Helper()
	s := u.stub(script)
	env := u.environ("ANTHROPIC_BASE_URL="+s.stub.URL, "ANTHROPIC_API_KEY=dummy",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1")
	toolSearch := "ENABLE_TOOL_SEARCH=false"
	for len(args) > 0 && strings.HasPrefix(args[0], "ENABLE_TOOL_SEARCH=") {
		toolSearch, args = args[0], args[1:]
	}
	env = append(env, toolSearch)
	program := filepath.Join(clients, "node_modules/.bin/claude")
	s.result = u.run(dir, env, program, append([]string{"-p", "go", "--output-format", "json"}, args...)...)
	return s
}

// approved are the arguments with which Claude Code takes the servers of a
// .mcp.json without asking, and asks for nothing else either.
var approved = []string{"--settings", `{"enableAllProjectMcpServers":true}`, "--permission-mode", "bypassPermissions"}

// codex runs the real Codex once, with all of its own questions switched off.
func (u *user) codex(dir, model string, script []modelstub.Step, args ...string) *session {
	u.t.Helper()
	return u.askingCodex(dir, model, script, append(args, "--dangerously-bypass-approvals-and-sandbox")...)
}

// askingCodex is codex with its questions left on. Nobody is there to answer.
func (u *user) askingCodex(dir, model string, script []modelstub.Step, args ...string) *session {
	u.t.Helper()
	return u.codexAsked(dir, model, "go", script, args...)
}

// codexAsked is askingCodex with a prompt.
func (u *user) codexAsked(dir, model, prompt string, script []modelstub.Step, args ...string) *session {
	u.t.Helper()
	s := u.stub(script)
	env := u.environ("CODEX_HOME="+filepath.Join(u.home, ".codex"), "STUB_KEY=dummy")
	all := []string{
		"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust",
		"-c", "model=" + model, "-c", "model_provider=stub", "-c", "model_providers.stub.name=stub",
		"-c", "model_providers.stub.env_key=STUB_KEY", "-c", "model_providers.stub.wire_api=responses",
		"-c", "model_providers.stub.base_url=" + s.stub.URL + "/v1",
	}
	s.result = u.run(dir, env, filepath.Join(clients, "node_modules/.bin/codex"), append(append(all, args...), prompt)...)
	return s
}

func (u *user) stub(script []modelstub.Step) *session {
	u.t.Helper()
	stub, err := modelstub.Start(script)
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { stub.Close() })
	return &session{stub: stub, t: u.t}
}

// tool is one tool that a host offered to its model.
type tool struct {
	name string // "mcp__github__get_issue"; Codex's groups are unfolded
	raw  json.RawMessage
}

// mcpTools returns the MCP tools of the first turn.
func (s *session) mcpTools() []tool {
	s.t.Helper()
	var found []tool
	for _, raw := range s.turn(0).Tools() {
		var t struct {
			Name  string
			Tools []json.RawMessage
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			s.t.Fatal(err)
		}
		if !strings.HasPrefix(t.Name, "mcp__") {
			continue
		}
		if len(t.Tools) == 0 {
			found = append(found, tool{t.Name, raw})
		}
		for _, member := range t.Tools {
			var m struct{ Name string }
			if err := json.Unmarshal(member, &m); err != nil {
				s.t.Fatal(err)
			}
			found = append(found, tool{strings.TrimSuffix(t.Name, "__") + "__" + m.Name, member})
		}
	}
	return found
}

func names(tools []tool) []string {
	list := make([]string, len(tools))
	for i, t := range tools {
		list[i] = t.name
	}
	return list
}

func size(tools []tool) int {
	n := 0
	for _, t := range tools {
		n += len(t.raw)
	}
	return n
}

// turn is the nth request of the conversation.
func (s *session) turn(n int) modelstub.Request {
	s.t.Helper()
	turns := s.stub.Turns()
	if len(turns) <= n {
		s.t.Fatalf("the host made %d turns: exit %d\n%s\n%s", len(turns), s.code, s.out, s.err)
	}
	return turns[n]
}

// said is the conversation as the model last saw it, as JSON text.
func (s *session) said() string {
	s.t.Helper()
	turns := s.stub.Turns()
	if len(turns) == 0 {
		s.turn(0)
	}
	var body struct{ Messages, Input json.RawMessage }
	if err := json.Unmarshal(turns[len(turns)-1].Body, &body); err != nil {
		s.t.Fatal(err)
	}
	return string(body.Messages) + string(body.Input)
}

// call is the script step that calls one of our tools on Claude Code.
func call(kernel string, input any) modelstub.Step {
	return modelstub.Step{Tool: "mcp__plugin_ctx_ctx__" + kernel, Input: input}
}

// onCodex is the same for Codex.
func onCodex(kernel string, input any) modelstub.Step {
	return modelstub.Step{Tool: kernel, Namespace: "mcp__ctx", Input: input}
}

type args = map[string]any

// mustSay fails unless the conversation holds every text, which must be one
// that survives JSON's escaping.
func (s *session) mustSay(texts ...string) {
	s.t.Helper()
	said := s.said()
	for _, text := range texts {
		if !strings.Contains(said, text) {
			s.t.Errorf("the conversation never shows %q; it ends with:\n%s", text, said[max(0, len(said)-3000):])
		}
	}
}

func (s *session) mustNotSay(texts ...string) {
	s.t.Helper()
	said := s.said()
	for _, text := range texts {
		if i := strings.Index(said, text); i >= 0 {
			s.t.Errorf("the conversation shows %q: ...%s...", text, said[max(0, i-300):min(len(said), i+300)])
		}
	}
}

// reference makes the three reference servers (39 tools). Each start leaves a
// line in DIR/parents that says which program started it.
func (u *user) reference(dir string) map[string]any {
	u.t.Helper()
	needClients(u.t)
	u.write("data/note.txt", "the word is larkspur\n", dir)
	start := u.write("start.sh", fmt.Sprintf("#!/bin/sh\ntr '\\0' ' ' < /proc/$PPID/cmdline >> '%s/parents'; echo >> '%s/parents'; exec node \"$@\"\n", dir, dir), dir)
	if err := os.Chmod(start, 0o755); err != nil {
		u.t.Fatal(err)
	}
	module := func(name string) string {
		return filepath.Join(clients, "node_modules/@modelcontextprotocol/server-"+name+"/dist/index.js")
	}
	return map[string]any{
		"everything": args{"command": start, "args": []string{module("everything")}},
		"filesystem": args{"command": start, "args": []string{module("filesystem"), dir + "/data"}},
		"memory":     args{"command": start, "args": []string{module("memory")}, "env": args{"MEMORY_FILE_PATH": dir + "/memory.json"}},
	}
}

// workspace makes a git work tree whose .mcp.json declares the servers.
func (u *user) workspace(name string, servers func(dir string) map[string]any) string {
	u.t.Helper()
	dir := filepath.Join(filepath.Dir(u.home), name)
	u.write("README.md", "# "+name+"\n", dir)
	if r := u.run(dir, u.environ(), "git", "init", "-q", "."); r.code != 0 {
		u.t.Fatal(r.err)
	}
	if servers != nil {
		b, err := json.MarshalIndent(args{"mcpServers": servers(dir)}, "", "  ")
		if err != nil {
			u.t.Fatal(err)
		}
		u.write(".mcp.json", string(b), dir)
	}
	return dir
}

// parents names the programs that started a reference server of the workspace.
func (u *user) parents(dir string) string {
	b, err := os.ReadFile(filepath.Join(dir, "parents"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		u.t.Fatal(err)
	}
	return string(b)
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}
