package e2e

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

const (
	gone     = "there is no tool diary:read_note"
	nothing  = "explain what separates a mutex from a semaphore"
	enabled  = "the capability diary is enabled"
	gardened = "please water the tomatoes and plan which beds to plant"
)

var done = modelstub.Step{Text: "done"}

// asked runs the real Claude Code for one prompt.
func (u *user) asked(dir, prompt string, script []modelstub.Step, args ...string) *session {
	u.t.Helper()
	s := u.stub(script)
	env := u.environ("ANTHROPIC_BASE_URL="+s.stub.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1", "ENABLE_TOOL_SEARCH=false")
	s.result = u.run(dir, env, filepath.Join(clients, "node_modules/.bin/claude"),
		append(append([]string{"-p", prompt, "--output-format", "json"}, approved...), args...)...)
	return s
}

// id is the host's name for the conversation.
func (s *session) id() string {
	s.t.Helper()
	var out struct {
		ID string `json:"session_id"`
	}
	if err := json.Unmarshal([]byte(s.out), &out); err != nil || out.ID == "" {
		s.t.Fatalf("%v: %s%s", err, s.out, s.err)
	}
	return out.ID
}

func claudeTapped(t *testing.T) (u *user, dir string) {
	t.Helper()
	u = newUser(t)
	u.byWords()
	dir = u.workspace("w", u.reference)
	u.tapped(dir)
	u.wrap(dir, "claude")
	return u, dir
}

func TestClaudeResumeKeepsWhatWasBroughtIn(t *testing.T) {
	t.Parallel()
	u, dir := claudeTapped(t)
	first := u.asked(dir, diaryPrompt, []modelstub.Step{call("call_tool_write", writeNote)})
	first.mustSay(enabled, "wrote meeting")
	again := u.asked(dir, "go on", []modelstub.Step{call("call_tool_write", writeNote), call("call_tool", readNote)}, "--resume", first.id())
	again.mustSay("foxglove")
	again.mustNotSay(gone)
	other := u.asked(dir, "go on", []modelstub.Step{call("call_tool", readNote)})
	other.mustSay(gone)
}

func TestClaudeClearTakesAwayWhatWasBroughtIn(t *testing.T) {
	t.Parallel()
	u, dir := claudeTapped(t)
	s := u.talk(dir, []modelstub.Step{call("call_tool_write", writeNote), done, call("call_tool", readNote), done, call("call_tool_write", writeNote), call("call_tool", readNote)},
		diaryPrompt, "/clear", "go on", diaryPrompt)
	s.mustSay(gone, enabled, "foxglove")
	if said := s.said(); strings.Index(said, gone) > strings.Index(said, enabled) {
		t.Error("it was there until it was asked for again")
	}
}

func TestTwoConversationsAtOnceEachHaveTheirOwn(t *testing.T) {
	t.Parallel()
	u, dir := claudeTapped(t)
	waterNote := args{"tool": "garden:write_note", "arguments": args{"name": "beds", "text": "hollyhock"}}
	for name, c := range map[string]struct {
		prompt string
		own    args
		other  string
	}{
		"diary":  {diaryPrompt, writeNote, "garden:read_note"},
		"garden": {gardened, waterNote, "diary:read_note"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine := *u
			mine.t = t
			s := mine.talk(dir, []modelstub.Step{call("call_tool_write", c.own), call("call_tool", args{"tool": c.other, "arguments": args{"name": "x"}})}, c.prompt)
			s.mustSay("the capability "+name+" is enabled", "wrote ", "there is no tool "+c.other)
		})
	}
}

// A prompt that asks for nothing in a tap costs nothing: what the model is sent
// is what it would be sent with nothing activated by itself.
func TestAPromptThatAsksForNothingLeavesTheRequestAsItWas(t *testing.T) {
	t.Parallel()
	u, dir := claudeTapped(t)
	u.env = nil                                            // with the model
	u.write("ctx.toml", "auto_capabilities = true\n", dir) // the host names the files there are
	u.asked(dir, nothing, nil)                             // what is only said or learned in a first conversation
	with := u.asked(dir, nothing, nil)
	u.write("ctx.toml", "auto_capabilities = false\n", dir)
	without := u.asked(dir, nothing, nil)
	a, b := request(t, with), request(t, without)
	if !bytes.Equal(a, b) {
		i := 0
		for i < min(len(a), len(b)) && a[i] == b[i] {
			i++
		}
		t.Errorf("sent with activation:\n%s\nwithout:\n%s", a[max(0, i-200):min(len(a), i+200)], b[max(0, i-200):min(len(b), i+200)])
	}
	if u.started("diary") || u.started("garden") {
		t.Error("a server was started")
	}
}

// request is what the host sent first, without the ids of this run.
func request(t *testing.T, s *session) []byte {
	t.Helper()
	var body map[string]json.RawMessage
	if err := json.Unmarshal(s.turn(0).Body, &body); err != nil {
		t.Fatal(err)
	}
	delete(body, "metadata")
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(text, []byte(s.id()), []byte("ID"))
}

func codexTapped(t *testing.T) (u *user, dir string) {
	t.Helper()
	u, dir, _ = codexUser(t)
	u.byWords()
	u.tapped(dir)
	u.wrap(dir, "codex")
	return u, dir
}

func TestCodexResumeKeepsWhatWasBroughtIn(t *testing.T) {
	t.Parallel()
	u, dir := codexTapped(t)
	const free = "--dangerously-bypass-approvals-and-sandbox"
	first := u.codexAsked(dir, "gpt-5.5", diaryPrompt, []modelstub.Step{onCodex("call_tool_write", writeNote)}, free)
	first.mustSay(enabled, "wrote meeting")
	again := u.codexAsked(dir, "gpt-5.5", "go on", []modelstub.Step{onCodex("call_tool_write", writeNote), onCodex("call_tool", readNote)}, free, "resume", "--last")
	again.mustSay("foxglove")
	again.mustNotSay(gone)
	other := u.codexAsked(dir, "gpt-5.5", "go on", []modelstub.Step{onCodex("call_tool", readNote)}, free)
	other.mustSay(gone)
}

func TestCodexSuggestionIsEnabledByTheModel(t *testing.T) {
	t.Parallel()
	u, dir, _ := codexUser(t)
	u.byWords()
	u.write("ctx.toml", "[activate]\nactivate_at = 1.0\nsuggest_at = 0.1\n", dir)
	u.tapped(dir)
	u.wrap(dir, "codex")
	s := u.codexAsked(dir, "gpt-5.5", "could you look after my notes",
		[]modelstub.Step{onCodex("capability", enableIt), onCodex("call_tool_write", writeNote), onCodex("call_tool", readNote)},
		"--dangerously-bypass-approvals-and-sandbox")
	if first := string(s.turn(0).Body); !strings.Contains(first, "may fit, not enabled: diary") {
		t.Error("nothing was suggested")
	}
	s.mustSay("diary:read_note", "wrote meeting", "foxglove")
}
