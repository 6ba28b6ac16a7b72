package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

const readGraph = "mcp__plugin_ctx_ctx__memory__read_graph"

// talk runs the real Claude Code for a conversation of several messages, each
// sent once the one before is answered.
func (u *user) talk(dir string, script []modelstub.Step, messages ...string) *session {
	u.t.Helper()
	s := u.stub(script)
	cmd := exec.Command(filepath.Join(clients, "node_modules/.bin/claude"), append([]string{
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
	}, approved...)...)
	cmd.Dir = dir
	cmd.Env = u.environ("ANTHROPIC_BASE_URL="+s.stub.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1", "ENABLE_TOOL_SEARCH=false")
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
	hung := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer hung.Stop()
	lines := bufio.NewReader(out)
	for _, m := range messages {
		io.WriteString(in, toLine(u.t, args{"type": "user", "message": args{"role": "user", "content": m}}))
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				u.t.Fatalf("the host ended at %q: %v", m, err)
			}
			var event struct{ Type string }
			if json.Unmarshal(line, &event); event.Type == "result" {
				break
			}
		}
		if strings.HasPrefix(m, "/") {
			time.Sleep(time.Second) // as a person does; the host is not done with it when it says so
		}
	}
	in.Close()
	io.Copy(io.Discard, lines)
	if err := cmd.Wait(); err != nil {
		u.t.Errorf("the host: %v", err)
	}
	return s
}

func toLine(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

// lists reports for each turn whether the model was sent a tool.
func (s *session) lists(name string) []bool {
	s.t.Helper()
	var all []bool
	for _, turn := range s.stub.Turns() {
		all = append(all, strings.Contains(string(mustRaw(s.t, turn.Tools())), `"`+name+`"`))
	}
	return all
}

func mustRaw(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRevealsBelongToOneConversation(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	u.write("ctx.toml", "[gateway]\nmode = \"reveal\"\n", dir)
	u.wrap(dir, "claude")
	reveal := call("surface", args{"action": "reveal", "tools": []string{"memory:read_graph"}})
	read := call("call_tool", args{"tool": "filesystem:read_text_file", "arguments": args{"path": dir + "/data/note.txt"}})

	// While this conversation goes on, and after /clear in it, and in one that
	// runs beside it, and in the next one.
	beside := make(chan *session)
	go func() { beside <- u.talk(dir, []modelstub.Step{read}, "hello") }()
	s := u.talk(dir, []modelstub.Step{reveal, {Text: "revealed"}, {Text: "again"}, read}, "reveal it", "go on", "/clear", "and now")
	other := <-beside
	got := s.lists(readGraph)
	if n := len(got); n != 5 || got[0] || !got[2] || got[3] || got[4] {
		t.Errorf("the revealed tool is listed in %v: want it in the third turn, not in the first, nor after /clear", got)
	}
	s.mustSay("larkspur") // through the same gateway, after /clear
	other.mustSay("larkspur")
	if slices.Contains(other.lists(readGraph), true) {
		t.Error("the session beside it sees the reveal")
	}
	if slices.Contains(u.talk(dir, nil, "hello").lists(readGraph), true) {
		t.Error("a new session sees the reveal of an old one")
	}
	for i, turn := range s.stub.Turns() {
		if n := strings.Count(string(turn.Body), "SessionStart hook additional context"); n != 1 {
			t.Errorf("turn %d carries %d advisories", i, n)
		}
	}
}
