package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// antigravity is a conversation on a host that does what Antigravity is said to
// do: it runs the wired commands, and writes its transcript before it calls the
// model. No Antigravity was at hand.
type antigravity struct {
	*user
	dir, id string
	conn    *rpc.Conn
	end     func()
	steps   []string // lines of the transcript
}

func (u *user) antigravity(dir, id string) *antigravity {
	u.t.Helper()
	a := &antigravity{user: u, dir: dir, id: id}
	var config struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		}
	}
	u.json(filepath.Join(u.home, ".gemini", "config", "mcp_config.json"), &config)
	ours := config.MCPServers["ctx"]
	cmd := exec.Command(ours.Command, ours.Args...)
	cmd.Dir, cmd.Env = dir, u.environ()
	for k, v := range ours.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		u.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		u.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		u.t.Fatal(err)
	}
	a.conn = rpc.NewConn(out, in, a)
	go a.conn.Run(context.Background())
	a.end = func() { in.Close(); _ = cmd.Wait() }
	u.t.Cleanup(a.end)
	a.ask("initialize", args{"protocolVersion": "2025-06-18", "capabilities": args{}, "clientInfo": args{"name": "antigravity", "version": "1.4.0"}})
	if err := a.conn.Notify("notifications/initialized", nil); err != nil {
		u.t.Fatal(err)
	}
	return a
}

// Request, Notification and Problem implement [rpc.Handler].
func (a *antigravity) Request(_ context.Context, r rpc.Request) {
	_ = a.conn.Reply(r.ID, nil, rpc.Errorf(rpc.CodeMethodNotFound, "no %s", r.Method))
}
func (a *antigravity) Notification(string, json.RawMessage) {}
func (a *antigravity) Problem(err error)                    { a.t.Errorf("from the gateway: %v", err) }

func (a *antigravity) ask(method string, params any) string {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	b, err := json.Marshal(params)
	if err != nil {
		a.t.Fatal(err)
	}
	raw, err := a.conn.Call(ctx, method, b)
	if err != nil {
		a.t.Fatalf("%s: %v", method, err)
	}
	return string(raw)
}

func (a *antigravity) call(tool string, arguments any) string {
	a.t.Helper()
	return a.ask("tools/call", args{"name": tool, "arguments": arguments})
}

func (a *antigravity) step(source, kind, content string) {
	a.steps = append(a.steps, strings.TrimSpace(toLine(a.t, args{
		"step_index": len(a.steps), "source": source, "type": kind, "status": "DONE", "content": content,
	})))
}

// says writes the user's message into the transcript.
func (a *antigravity) says(text string) {
	a.step("USER_EXPLICIT", "USER_INPUT", "<USER_REQUEST>\n"+text+"\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nlocal time\n</ADDITIONAL_METADATA>")
}

// model is the nth call of the model since the user's message: the hook runs
// before it, and what that injects is returned.
func (a *antigravity) model(n int) string {
	a.t.Helper()
	transcript := a.write(".gemini/antigravity-cli/brain/"+a.id+"/.system_generated/logs/transcript.jsonl", strings.Join(a.steps, "\n")+"\n", a.home)
	var groups map[string]map[string]json.RawMessage
	a.json(filepath.Join(a.home, ".gemini", "config", "hooks.json"), &groups)
	var hooks []struct{ Command string }
	if err := json.Unmarshal(groups["ctx"]["PreInvocation"], &hooks); err != nil || len(hooks) != 1 {
		a.t.Fatalf("%v: %s", err, groups["ctx"]["PreInvocation"])
	}
	cmd := exec.Command("sh", "-c", hooks[0].Command)
	cmd.Dir, cmd.Env = filepath.Join(a.home, ".gemini", "config"), a.environ("ANTIGRAVITY_CONVERSATION_ID="+a.id)
	cmd.Stdin = strings.NewReader(toLine(a.t, args{
		"conversationId": a.id, "workspacePaths": []string{a.dir}, "transcriptPath": transcript,
		"artifactDirectoryPath": filepath.Dir(transcript), "modelName": "gemini-pro-agent",
		"invocationNum": n, "initialNumSteps": len(a.steps),
	}))
	out, err := cmd.Output()
	if err != nil {
		a.t.Fatal(err)
	}
	var answer struct {
		InjectSteps []struct{ EphemeralMessage string }
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		a.t.Fatalf("%v: %s", err, out)
	}
	a.step("MODEL", "PLANNER_RESPONSE", "done")
	said := ""
	for _, s := range answer.InjectSteps {
		said += s.EphemeralMessage
	}
	return said
}

func (u *user) json(path string, into any) {
	u.t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		u.t.Fatal(err)
	}
}

// byWords leaves the user without a model, so that what a prompt brings in does
// not hang on what models are trained on.
func (u *user) byWords() { u.env = append(u.env, "CTX_ORT_LIB="+filepath.Join(u.home, "nothing")) }

func TestAntigravityRulesToAskHoldBehindTheGateway(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.byWords()
	u.write(".gemini/config/mcp_config.json", "{}\n", u.home)
	u.write(".gemini/antigravity-cli/settings.json", `{"permissions":{"allow":["mcp(*)"],"ask":["mcp(diary/write_note)"]}}`+"\n", u.home)
	dir := u.workspace("w", nil)
	u.tapped(dir)
	u.wrap(dir, "antigravity")

	a := u.antigravity(dir, "0b5f2b52-6a3e-4c7e-9d0e-5f1c7a8e9b11")
	a.call("capability", enableIt)
	if out := a.call("call_tool_write", writeNote); !strings.Contains(out, "diary:write_note was not called") || !strings.Contains(out, "ctx approve") {
		t.Errorf("the user was not asked: %s", out)
	}
	if out := a.call("call_tool", readNote); strings.Contains(out, "was not called") {
		t.Errorf("asked about what is allowed: %s", out)
	}
}

func TestAntigravityPromptBringsInACapabilityOnceAPrompt(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.byWords()
	u.write(".gemini/config/mcp_config.json", "{}\n", u.home)
	dir := u.workspace("w", nil)
	u.tapped(dir)
	u.wrap(dir, "antigravity")
	const enabled = "the capability diary is enabled"

	a := u.antigravity(dir, "4989a389-5729-4c84-9e4f-44bb9044633a")
	a.says("what is in this folder?")
	if said := a.model(0); strings.Contains(said, "diary") {
		t.Errorf("a prompt that asks for nothing: %s", said)
	}
	a.says(diaryPrompt)
	if said := a.model(0); !strings.Contains(said, enabled) {
		t.Errorf("said %q", said)
	}
	if out := a.call("call_tool_write", writeNote); !strings.Contains(out, "wrote meeting") {
		t.Errorf("not callable: %s", out)
	}
	if !u.started("diary") || u.started("garden") {
		t.Error("the wrong server was started")
	}
	// The model is called again and again, for the one prompt.
	a.call("capability", args{"action": "disable", "name": "diary"})
	for n := 1; n < 4; n++ {
		if said := a.model(n); said != "" {
			t.Errorf("call %d of the model: %q", n, said)
		}
	}
	// A message that the host has not written down yet is none, and the one
	// before it is not asked for again.
	if said := a.model(0); said != "" {
		t.Errorf("without a new message: %q", said)
	}
	a.says(diaryPrompt)
	if said := a.model(0); !strings.Contains(said, enabled) {
		t.Errorf("asked for again: %q", said)
	}
	if out := a.call("call_tool_write", writeNote); !strings.Contains(out, "wrote meeting") {
		t.Errorf("not callable again: %s", out)
	}
	a.end()

	// Resumed, by another process.
	again := u.antigravity(dir, a.id)
	again.steps = a.steps
	again.says("go on")
	again.model(0)
	if out := again.call("call_tool", args{"tool": "diary:read_note", "arguments": args{"name": "absent"}}); strings.Contains(out, "there is no tool") {
		t.Errorf("the conversation has lost it: %s", out)
	}
	other := u.antigravity(dir, "another")
	other.says("go on")
	other.model(0)
	if out := other.call("call_tool", readNote); !strings.Contains(out, "there is no tool") {
		t.Errorf("another conversation has it, too: %s", out)
	}
}

func TestAntigravitySuggestionIsEnabledByTheModel(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.byWords()
	u.write(".gemini/config/mcp_config.json", "{}\n", u.home)
	dir := u.workspace("w", nil)
	u.write("ctx.toml", "[activate]\nactivate_at = 1.0\nsuggest_at = 0.1\n", dir)
	u.tapped(dir)
	u.wrap(dir, "antigravity")
	a := u.antigravity(dir, "c1")
	a.says("could you look after my notes")
	if said := a.model(0); !strings.Contains(said, "may fit, not enabled: diary") {
		t.Errorf("said %q", said)
	}
	if out := a.call("capability", enableIt); !strings.Contains(out, "diary:read_note") {
		t.Errorf("enabled: %s", out)
	}
	if out := a.call("call_tool_write", writeNote); !strings.Contains(out, "wrote meeting") {
		t.Errorf("not callable: %s", out)
	}
}
