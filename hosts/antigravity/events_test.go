package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/hosts/internal/hometest"
	"github.com/ctx-sidecar/ctx/plugins"
)

func decode(t *testing.T, name, payload string) event.Event {
	t.Helper()
	ev, err := adapter{}.Decode(context.Background(), plugins.RawEvent{
		Name: name, Payload: []byte(payload), Dir: "/home/u/.gemini/config",
		Machine: plugins.Machine{Home: "/home/u", Env: []string{"ANTIGRAVITY_CONVERSATION_ID=env"}},
	})
	if err != nil {
		t.Fatalf("%s: %v", payload, err)
	}
	return ev
}

func TestTheFirstModelCallAfterAMessageIsThePrompt(t *testing.T) {
	t.Parallel()
	transcript := filepath.Join(t.TempDir(), "transcript.jsonl")
	hometest.Write(t, transcript, strings.Join([]string{
		`{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","content":"<USER_REQUEST>\nfirst\n</USER_REQUEST>\n<ADDITIONAL_METADATA>time</ADDITIONAL_METADATA>"}`,
		`{"step_index":1,"source":"MODEL","type":"PLANNER_RESPONSE","content":"<USER_REQUEST>not the user</USER_REQUEST>"}`,
		`{"step_index":2,"source":"USER_EXPLICIT","type":"USER_INPUT","content":"<USER_REQUEST>\nfix the <b>login</b> page\n</USER_REQUEST>"}`,
		`no JSON`,
		`["no object"]`,
	}, "\n"))
	payload := func(rest string) string {
		return fmt.Sprintf(`{"conversationId":"c","workspacePaths":["/w","/other"],"transcriptPath":%q%s}`, transcript, rest)
	}
	want := event.Event{
		Host: "antigravity", Name: "PreInvocation", Kind: event.Prompt, Session: "c", Dir: "/w", Transcript: transcript,
		Prompt: "fix the <b>login</b> page",
	}
	if diff := cmp.Diff(want, decode(t, "PreInvocation", payload(`,"invocationNum":0,"initialNumSteps":3`))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, rest := range []string{`,"invocationNum":1`, `,"invocationNum":17`, ``, `,"invocationNum":null`} {
		if ev := decode(t, "PreInvocation", payload(rest)); ev.Kind != event.Other || ev.Prompt != "" {
			t.Errorf("%s: a call of the model that follows no message is %q with %q", rest, ev.Kind, ev.Prompt)
		}
	}
}

func TestWithoutATranscriptAConversationStillBegins(t *testing.T) {
	t.Parallel()
	first := decode(t, "PreInvocation", `{"conversationId":"c","workspacePaths":["file:///w"],"transcriptPath":"/gone","invocationNum":0,"initialNumSteps":1}`)
	want := event.Event{
		Host: "antigravity", Name: "PreInvocation", Kind: event.SessionStart, Source: event.Startup, Session: "c", Dir: "/w", Transcript: "/gone",
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	later := decode(t, "PreInvocation", `{"workspacePaths":[],"invocationNum":0,"initialNumSteps":12}`)
	want = event.Event{Host: "antigravity", Name: "PreInvocation", Session: "env", Dir: "/home/u"}
	if diff := cmp.Diff(want, later); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Transcripts of one conversation at several times, in the form that users of
// the host have reported.
func TestThePromptIsTheMessageThatNobodyHasAnsweredYet(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"first":  "write a note into my diary about the meeting",
		"second": "water the <b>tomatoes</b>\nand the beans",
		// Lines stand in the order in which steps ended.
		"finished-late": "water the tomatoes",
		// What stands there last is the message before.
		"not-yet-written": "", "half-written": "", "answering": "",
	} {
		file := filepath.Join("testdata", "transcripts", name+".jsonl")
		if got := unanswered(file); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		payload := fmt.Sprintf(`{"conversationId":"c","workspacePaths":["/w"],"transcriptPath":%q,"initialNumSteps":5,"invocationNum":`, file)
		kind := event.Prompt
		if want == "" {
			kind = event.Other
		}
		if ev := decode(t, "PreInvocation", payload+"0}"); ev.Kind != kind || ev.Prompt != want {
			t.Errorf("%s: %q with %q", name, ev.Kind, ev.Prompt)
		}
		if ev := decode(t, "PreInvocation", payload+"1}"); ev.Kind != event.Other || ev.Prompt != "" {
			t.Errorf("%s: a later call of the model is %q with %q", name, ev.Kind, ev.Prompt)
		}
	}
}

func TestOnlyTheEndOfALongTranscriptIsRead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "t.jsonl")
	user := func(step int, text string) string {
		return fmt.Sprintf(`{"step_index":%d,"type":"USER_INPUT","content":%q}`+"\n", step, text)
	}
	noise := strings.Repeat(`{"step_index":1,"type":"GENERIC","content":"`+strings.Repeat("x", 1000)+"\"}\n", 2000)
	hometest.Write(t, file, user(0, "early")+noise)
	if got := unanswered(file); got != "" {
		t.Errorf("read %q from before the end", got)
	}
	hometest.Write(t, file, user(0, "early")+noise+user(2, "late")+noise[:5000])
	if got := unanswered(file); got != "late" {
		t.Errorf("got %q", got)
	}
	// Lines stand in the order in which steps ended.
	hometest.Write(t, file, user(9, "newest")+user(4, "older"))
	if got := unanswered(file); got != "newest" {
		t.Errorf("got %q", got)
	}
	if got := unanswered(filepath.Dir(file)); got != "" {
		t.Errorf("a folder said %q", got)
	}
}

func TestMCPCallsAreFoundInTheHostsOwnTool(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]event.ToolUse{
		`{"name":"call_mcp_tool","args":{"ServerName":"github","ToolName":"get_issue","Arguments":{"n":1}}}`: {
			Server: "github", Tool: "get_issue", Input: []byte(`{"n":1}`),
		},
		// Values written as JSON within JSON.
		`{"name":"call_mcp_tool","args":{"ServerName":"\"ctx\"","ToolName":"\"call_tool\"","Arguments":"{\"tool\":\"a:b\"}"}}`: {
			Server: "ctx", Tool: "call_tool", Ours: true, Input: []byte(`{"tool":"a:b"}`),
		},
		`{"name":"call_mcp_tool","args":{"server_name":"s","tool_name":"t"}}`: {
			Server: "s", Tool: "t", Input: []byte(`{"server_name":"s","tool_name":"t"}`),
		},
		`{"name":"call_mcp_tool","args":{"server":"s","name":"t","arguments":null}}`: {
			Server: "s", Tool: "t", Input: []byte(`null`),
		},
		`{"name":"call_mcp_tool","args":{"Something":"else"}}`: {Input: []byte(`{"Something":"else"}`)},
		`{"name":"call_mcp_tool","args":[1]}`:                  {Input: []byte(`[1]`)},
		`{"name":"run_command","args":{"CommandLine":"ls"}}`:   {Input: []byte(`{"CommandLine":"ls"}`)},
	} {
		_, rest, _ := strings.Cut(call, `"name":"`)
		want.Name, _, _ = strings.Cut(rest, `"`)
		want.ID = "20"
		ev := decode(t, "PostToolUse", `{"conversationId":"c","workspacePaths":["/w"],"stepIdx":20,"error":"","toolCall":`+call+`}`)
		if ev.Kind != event.ToolAfter || ev.Tool == nil {
			t.Errorf("%s: %+v", call, ev)
			continue
		}
		if diff := cmp.Diff(want, *ev.Tool); diff != "" {
			t.Errorf("%s (-want +got):\n%s", call, diff)
		}
	}
	if ev := decode(t, "PostToolUse", `{"conversationId":"c","stepIdx":3}`); ev.Kind != event.Other {
		t.Errorf("without a tool: %+v", ev)
	}
	for payload, want := range map[string]bool{`"denied"`: true, `{"code":1}`: true, `""`: false, `null`: false, `{}`: false} {
		ev := decode(t, "PostToolUse", `{"toolCall":{"name":"x","args":{}},"error":`+payload+`}`)
		if ev.Tool.Failed != want {
			t.Errorf("error %s: failed is %v", payload, ev.Tool.Failed)
		}
	}
}

func TestOtherEventsAndNoEvents(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Stop", "PostInvocation", "PreToolUse", "SessionStart"} {
		if ev := decode(t, name, `{"conversationId":"c","invocationNum":0,"toolCall":{"name":"x"}}`); ev.Kind != event.Other {
			t.Errorf("%s: %+v", name, ev)
		}
	}
	for _, payload := range []string{"", "[]", `{"conversationId":`, `{"invocationNum":0.5}`, `{"invocationNum":"0"}`} {
		if _, err := (adapter{}).Decode(context.Background(), plugins.RawEvent{Name: "PreInvocation", Payload: []byte(payload)}); err == nil {
			t.Errorf("%q: decoded", payload)
		}
	}
}

func TestEncodeInjectsBeforeAModelCallAndIsEmptyElsewhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		reply event.Reply
		want  string
	}{
		{"PreInvocation", event.Reply{Context: "39 tools are held back"}, `{"injectSteps":[{"ephemeralMessage":"39 tools are held back"}]}`},
		{"PreInvocation", event.Reply{}, `{}`},
		{"PostToolUse", event.Reply{Context: "no place for it"}, `{}`},
		{"PostToolUse", event.Reply{Decision: event.Deny, Reason: "no place for it"}, `{}`},
	} {
		got, err := adapter{}.Encode(context.Background(), event.Event{Name: c.name}, c.reply)
		if err != nil || string(got) != c.want {
			t.Errorf("%s %+v: got %s, %v", c.name, c.reply, got, err)
		}
	}
}

func TestPreToolUseIsNeverAmongTheEvents(t *testing.T) {
	t.Parallel()
	d, err := adapter{}.Describe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range d.Events {
		names = append(names, e.Name)
	}
	if diff := cmp.Diff([]string{"PreInvocation", "PostToolUse"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestGeminiCLIAloneIsNoAntigravity(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	detect := func(path string) plugins.Detection {
		d, err := adapter{}.Detect(context.Background(), plugins.Machine{Home: home, Env: []string{"PATH=" + path}})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	hometest.Write(t, filepath.Join(home, ".gemini", "settings.json"), "{}")
	if d := detect(""); d.Installed {
		t.Errorf("detected: %+v", d)
	}
	bin := filepath.Join(home, ".local", "bin")
	hometest.Write(t, filepath.Join(bin, "agy"), "")
	if err := os.Chmod(filepath.Join(bin, "agy"), 0o755); err != nil {
		t.Fatal(err)
	}
	if d := detect(bin); !d.Installed || d.Program != filepath.Join(bin, "agy") {
		t.Errorf("not detected by its program: %+v", d)
	}
	hometest.Write(t, filepath.Join(home, ".gemini", "config", "hooks.json"), "{}")
	if d := detect(""); !d.Installed {
		t.Errorf("not detected by its folder: %+v", d)
	}
}
