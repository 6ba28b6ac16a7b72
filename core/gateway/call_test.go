package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/rpc"
	"github.com/ctx-sidecar/ctx/core/surface"
)

func TestSearchTellsEnoughToCallAtOnce(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers)
	b.initialize(`{}`)
	r := b.call(toolSearch, `{"query":"read the text of a file"}`)
	var f found
	if err := json.Unmarshal(r.StructuredContent, &f); err != nil {
		t.Fatal(err)
	}
	want := hit{Tool: "fs:read_text_file", Description: "Read the complete contents of a file from the file system as text.", Arguments: "{path: string, head?: number, tail?: number}", Authority: "read", Call: callTool}
	if len(f.Tools) == 0 || f.Tools[0] != want {
		t.Errorf("got %+v", f.Tools)
	}
	for _, fact := range []string{want.Tool, want.Description, want.Arguments, want.Authority, want.Call} {
		if !strings.Contains(r.text(), fact) {
			t.Errorf("the text does not say %q:\n%s", fact, r.text())
		}
	}
	if len(f.Warnings) != 0 {
		t.Errorf("warnings where nothing is wrong: %q", f.Warnings)
	}
	if r := b.call(toolSearch, `{"query":"overwrite a file","limit":"1"}`); !strings.Contains(r.text(), "fs:write_file (destructive, call_tool_write)") {
		t.Errorf("got %s", r.text())
	}
	for _, args := range []string{`{}`, `{"query":" "}`, `null`, `[]`} {
		if r := b.call(toolSearch, args); !r.IsError {
			t.Errorf("%s: %s", args, r.text())
		}
	}
	if r := b.call(toolSearch, `{"query":"zebra"}`); !strings.Contains(r.text(), "fs (2)") || r.IsError {
		t.Errorf("nothing found: %s", r.text())
	}
}

func TestNumbersAndListsAreReadAsModelsWriteThem(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"big": manyTools("big", 30)})
	b.initialize(`{}`)
	search := func(limit string) (reply, int) {
		t.Helper()
		r := b.call(toolSearch, `{"query":"big","limit":`+limit+`}`)
		var f found
		if err := json.Unmarshal(r.StructuredContent, &f); err != nil {
			t.Fatal(err)
		}
		return r, len(f.Tools)
	}
	for limit, want := range map[string]int{
		"null": 5, "7": 7, "7.0": 7, "1e1": 10, `"7"`: 7, `"7.0"`: 7, "-1": 5, "0": 5, "1e300": 20, "1e999": 20, "99999999999999999999": 20,
	} {
		if r, got := search(limit); r.IsError || got != want {
			t.Errorf("limit %s: %d tools, want %d: %s", limit, got, want, r.text())
		}
	}
	for _, limit := range []string{"1.5", `"x"`, "{}"} {
		if r, _ := search(limit); !r.IsError {
			t.Errorf("limit %s: %s", limit, r.text())
		}
	}
	if r := b.call(callTool, `{"tool":"ctx:read","arguments":{"handle":"r9","offset":null}}`); !strings.Contains(r.text(), "call the tool again") {
		t.Errorf("offset null: %s", r.text())
	}
	if r := b.call(describeTool, `{"tools":null}`); !r.IsError {
		t.Errorf("no tools: %s", r.text())
	}
}

func TestSearchSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"fs": {readText}, "dead": nil}, func(_ *Options, r *Rules, f *fakeBackends) {
		f.failures = map[string]string{"dead": "exit status 1"}
		r.Warnings = []string{"server new waits for the user's approval: ctx trust approve"}
	})
	b.initialize(`{}`)
	for _, fact := range []string{"dead is down (exit status 1)", "new waits for the user's approval"} {
		r := b.call(toolSearch, `{"query":"read"}`)
		if !strings.Contains(r.text(), fact) || !strings.Contains(string(r.StructuredContent), fact) {
			t.Errorf("%q is not said:\n%s\n%s", fact, r.text(), r.StructuredContent)
		}
	}
}

func TestSearchWaitsForAServerThatWasNeverListed(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"fs": {readText}, "late": nil})
	b.initialize(`{}`)
	time.AfterFunc(50*time.Millisecond, func() { b.backends.set(list("late", readGraph)) })
	if r := b.call(toolSearch, `{"query":"knowledge graph"}`); !strings.HasPrefix(r.text(), "late:read_graph") {
		t.Errorf("got %s", r.text())
	}
}

func TestACallWaitsForItsOwnServerAlone(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"fs": {readText}, "late": nil, "hung": nil})
	b.initialize(`{}`)
	time.AfterFunc(50*time.Millisecond, func() { b.backends.set(list("late", readGraph)) })
	if r := b.call(callTool, `{"tool":"late:read_graph"}`); r.IsError {
		t.Errorf("got %s", r.text())
	}
	time.AfterFunc(50*time.Millisecond, func() { b.backends.fail("hung", "no answer") })
	if r := b.call(callTool, `{"tool":"mcp__hung__x"}`); !r.IsError || !strings.Contains(r.text(), "hung is down (no answer)") {
		t.Errorf("got %s", r.text())
	}
}

// A server lists other tools to a host that can do more.
func TestAnEarlierListDoesNotHideWhatComesNow(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"fs": {readText}, "memory": {readGraph}})
	b.backends.earlier("fs")
	b.initialize(`{}`)
	time.AfterFunc(50*time.Millisecond, func() { b.backends.set(list("fs", readText, writeFile)) })
	if r := b.call(describeTool, `{"tools":["fs:write_file"]}`); !strings.Contains(r.text(), `"unknown":[]`) {
		t.Errorf("got %s", r.text())
	}
	if r := b.call(callTool, `{"tool":"memory:write_file"}`); !r.IsError {
		t.Errorf("got %s", r.text())
	}
	b.backends.earlier("fs")
	b.backends.fail("fs", "its list cannot be read")
	if r := b.call(callTool, `{"tool":"fs:no_such_tool"}`); !r.IsError {
		t.Errorf("got %s", r.text())
	}
}

func TestEveryWayOfNamingAToolReachesIt(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers)
	b.initialize(`{}`)
	for _, name := range []string{"fs:read_text_file", "mcp__fs__read_text_file", "fs__read_text_file", "read_text_file", "fs:readTextFile"} {
		for _, args := range []string{`{"path":"a"}`, `"{\"path\":\"a\"}"`} {
			r := b.call(callTool, fmt.Sprintf(`{"tool":%q,"arguments":%s}`, name, args))
			if r.text() != `fs tools/call {"name":"read_text_file","arguments":{"path":"a"}}` {
				t.Errorf("%s %s: %s", name, args, r.text())
			}
		}
	}
	if r := b.call(callTool, `{"tool":"memory:read_graph"}`); !strings.Contains(r.text(), `"arguments":{}`) {
		t.Errorf("no arguments: %s", r.text())
	}
}

func TestWhatCannotBeCalledIsRefusedWithWhatToDo(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"fs": {readText, writeFile}, "web": {searchAny}, "notes": {searchAny}})
	b.initialize(`{}`)
	for args, hint := range map[string]string{
		`{"tool":"fs:write_file","arguments":{}}`:         "call_tool_write",
		`{"tool":"fs:read_txt_file"}`:                     "fs:read_text_file",
		`{"tool":"nowhere:read"}`:                         "there is no tool nowhere:read",
		`{"tool":"search"}`:                               "notes:search, web:search",
		`{"tool":"fs:read_text_file","arguments":[1]}`:    "must be a JSON object",
		`{"tool":"fs:read_text_file","arguments":"{bad"}`: "must be a JSON object",
		`{"arguments":{}}`:                                `needs {"tool"`,
		`{"tool":"ctx:read","arguments":{"handle":"r9"}}`: "call the tool again",
	} {
		if r := b.call(callTool, args); !r.IsError || !strings.Contains(r.text(), hint) || !strings.Contains(string(r.StructuredContent), "error") {
			t.Errorf("%s: %+v", args, r)
		}
	}
	for _, r := range b.backends.seen() {
		t.Errorf("forwarded: %s", r)
	}
	if _, err := b.request("tools/call", `{"name":"nonsense"}`); err == nil || !strings.Contains(err.Error(), "-32602") {
		t.Errorf("unknown tool: %v", err)
	}
}

func TestADescribedToolIsWhatItsServerSent(t *testing.T) {
	t.Parallel()
	odd := `{"name":"odd","x-own":1.0e3,"inputSchema":{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"object"}},"n":20000000000000000001},"outputSchema":{"$ref":"#/none"},"_meta":{"k":"<&>"}}`
	b := serve(t, map[string][]string{"s": {odd, readText}})
	b.initialize(`{}`)
	r := b.call(describeTool, `{"tools":["s:odd","odd","s:none"]}`)
	var d struct {
		Schemas          []json.RawMessage
		Unknown, Omitted []string
	}
	if err := json.Unmarshal(r.StructuredContent, &d); err != nil || len(d.Schemas) != 1 || !slices.Equal(d.Unknown, []string{"s:none"}) || d.Omitted != nil {
		t.Fatalf("%v: %s", err, r.StructuredContent)
	}
	want := strings.TrimSuffix(odd, "}") + `,"tool":"s:odd","authority":"remote-write"}`
	if listing.Canonical(d.Schemas[0]) != listing.Canonical(json.RawMessage(want)) {
		t.Errorf("got  %s\nwant %s", d.Schemas[0], want)
	}
	if !strings.Contains(r.text(), odd[:len(odd)-1]) {
		t.Errorf("the text lacks it: %s", r.text())
	}
	if r := b.call(describeTool, `{"tools":"read_text_file"}`); !strings.Contains(r.text(), `"s:read_text_file"`) {
		t.Errorf("one name: %s", r.text())
	}
}

func TestSchemasThatDoNotFitAreNamed(t *testing.T) {
	t.Parallel()
	big := `{"name":"big","description":"` + strings.Repeat("x", 4000) + `","inputSchema":{"type":"object"}}`
	b := serve(t, map[string][]string{"s": {big, readText}}, func(o *Options, _ *Rules, _ *fakeBackends) { o.Config.MaxResponseTokens = 500 })
	b.initialize(`{}`)
	r := b.call(describeTool, `{"tools":["big","read_text_file"]}`)
	if s := string(r.StructuredContent); !strings.Contains(s, `"omitted":["s:big"]`) || !strings.Contains(s, "Read Text File") || strings.Contains(s, "xxxx") {
		t.Errorf("got %s", s)
	}
}

func TestAnswersOfServersPassUnchanged(t *testing.T) {
	t.Parallel()
	const answer = `{"content":[{"type":"image","data":"QQ==","mimeType":"image/png"},{"type":"text","text":"\u00e9 <b>"}],"structuredContent":{"n":20000000000000000001,"f":1.0e3},"isError":true,"_meta":{"anthropic/maxResultSizeChars":5}}`
	b := serve(t, twoServers)
	b.backends.answer = func(context.Context, string, string, json.RawMessage, func(json.RawMessage)) (json.RawMessage, error) {
		return json.RawMessage(answer), nil
	}
	b.initialize(`{}`)
	if raw := b.must("tools/call", `{"name":"call_tool","arguments":{"tool":"memory:read_graph"}}`); string(raw) != answer {
		t.Errorf("got %s", raw)
	}
	b.backends.answer = func(context.Context, string, string, json.RawMessage, func(json.RawMessage)) (json.RawMessage, error) {
		return nil, &rpc.Error{Code: -32042, Message: "theirs", Data: json.RawMessage(`{"d":1}`)}
	}
	var e *rpc.Error
	if _, err := b.request("tools/call", `{"name":"call_tool","arguments":{"tool":"memory:read_graph"}}`); !errors.As(err, &e) || e.Code != -32042 || string(e.Data) != `{"d":1}` {
		t.Errorf("got %v", err)
	}
	b.backends.answer = func(context.Context, string, string, json.RawMessage, func(json.RawMessage)) (json.RawMessage, error) {
		return nil, errors.New("server memory exited: exit status 3")
	}
	if r := b.call(callTool, `{"tool":"memory:read_graph"}`); !r.IsError || !strings.Contains(r.text(), "exit status 3") {
		t.Errorf("got %+v", r)
	}
	b.backends.answer = func(context.Context, string, string, json.RawMessage, func(json.RawMessage)) (json.RawMessage, error) {
		return nil, rpc.Errorf(backend.CodeConnectionClosed, "server %q did not start: exit status 4", "memory")
	}
	if r := b.call(callTool, `{"tool":"memory:read_graph"}`); !r.IsError || !strings.Contains(r.text(), "exit status 4") {
		t.Errorf("a host may take this for the end of its own connection: %+v", r)
	}
	if n := len(b.backends.seen()); n != 4 {
		t.Errorf("4 calls reached the server %d times", n)
	}
}

func TestALongAnswerIsCutAndReadOnThroughTheSameTool(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("a line of the log\n", 1000)
	b := serve(t, twoServers, func(o *Options, _ *Rules, _ *fakeBackends) { o.Config.MaxResponseTokens = 1000 })
	b.backends.answer = func(context.Context, string, string, json.RawMessage, func(json.RawMessage)) (json.RawMessage, error) {
		return encode(map[string]any{"content": []any{map[string]any{"type": "text", "text": whole}}}), nil
	}
	b.initialize(`{}`)
	r := b.call(callTool, `{"tool":"memory:read_graph"}`)
	got := r.Content[0].Text
	note := r.Content[1].Text
	for strings.Contains(note, "ctx:read") {
		from := strings.LastIndex(note, `{"tool"`)
		r = b.call(callTool, note[from:strings.LastIndex(note, "}}")+2])
		var p piece
		if err := json.Unmarshal(r.StructuredContent, &p); err != nil || p.Offset != len(got) {
			t.Fatalf("%v: %s", err, r.StructuredContent)
		}
		got += p.Text
		note = strings.TrimPrefix(r.text(), p.Text)
	}
	if got != whole {
		t.Errorf("%d of %d bytes came back", len(got), len(whole))
	}
}

func TestProgressArrivesUnderTheHostsToken(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers)
	b.backends.answer = func(_ context.Context, _, _ string, params json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error) {
		if !strings.Contains(string(params), `"_meta":{"progressToken":"host-1"}`) {
			t.Errorf("params are %s", params)
		}
		progress(json.RawMessage(`{"progressToken":"host-1","progress":1}`))
		return json.RawMessage(`{"content":[]}`), nil
	}
	b.initialize(`{}`)
	b.must("tools/call", `{"name":"call_tool","arguments":{"tool":"memory:read_graph"},"_meta":{"progressToken":"host-1"}}`)
	if got := b.host.notes(); len(got) != 1 || got[0] != `notifications/progress {"progressToken":"host-1","progress":1}` {
		t.Errorf("told %q", got)
	}
}

func TestCallsAreCountedUnderTheServersOwnName(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers)
	b.initialize(`{}`)
	b.call(toolSearch, `{"query":"file"}`)
	b.call(callTool, `{"tool":"read_text_file","arguments":{"path":"secret"}}`)
	b.call(callTool, `{"tool":"write_file"}`)
	b.Close()
	if len(b.usage.calls) != 1 {
		t.Fatalf("counted %+v", b.usage.calls)
	}
	if c := b.usage.calls[0]; c.Server != "fs" || c.Tool != "read_text_file" || c.Session != "session-1" || c.Via != "gateway" || c.Failed {
		t.Errorf("counted %+v", c)
	}
}

func TestADeniedToolIsAbsentFromTheNextRequestOn(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers)
	b.initialize(`{}`)
	b.policy.deny("fs", "write_*")
	if r := b.call(toolSearch, `{"query":"write_file overwrite"}`); strings.Contains(r.text(), "write_file") {
		t.Errorf("search: %s", r.text())
	}
	if r := b.call(describeTool, `{"tools":["fs:write_file"]}`); strings.Contains(r.text(), "overwrite") || !strings.Contains(r.text(), `"unknown":["fs:write_file"]`) {
		t.Errorf("describe: %s", r.text())
	}
	for _, name := range []string{"fs:write_file", "write_file", "fs__write_file"} {
		if r := b.call(callToolWrite, `{"tool":"`+name+`"}`); !r.IsError {
			t.Errorf("called %s: %s", name, r.text())
		}
	}
	if _, err := b.request("tools/call", `{"name":"fs__write_file"}`); err == nil {
		t.Error("called by its listed name")
	}
	if index := instructions(t, b.initialize(`{}`)); strings.Contains(index, "write_file") || !strings.Contains(index, "fs (1)") {
		t.Errorf("index: %s", index)
	}
	b.policy.deny("fs", "*")
	if index := instructions(t, b.initialize(`{}`)); strings.Contains(index, "fs") {
		t.Errorf("index: %s", index)
	}
	if n := b.backends.seen(); len(n) != 0 {
		t.Errorf("forwarded %q", n)
	}
}

func TestTheSessionIsBoundByWhatTheHostSaysInItsCalls(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers)
	b.initialize(`{}`)
	for meta, want := range map[string]string{`{"sessionId":"s-2"}`: "s-2", `{"example.com/sessionId":"s-3"}`: "s-3", `{"x_session_id":"s-4"}`: "s-4", `{"sessionId":7}`: "s-0", `{"x":1}`: "s-0"} {
		b.binding.Bind("s-0")
		b.must("tools/call", `{"name":"tool_search","arguments":{"query":"x"},"_meta":`+meta+`}`)
		if got := b.binding.Session(); got != want {
			t.Errorf("%s: bound to %s", meta, got)
		}
	}
}

func TestARuleThatComesWhileTheServerStartsHolds(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*bench){
		"denied":                        func(b *bench) { b.policy.deny("fs", "read_text_file") },
		"denied with all of its server": func(b *bench) { b.policy.deny("fs", "*") },
		"switched off": func(b *bench) {
			next := *b.policy.Rules(t.Context())
			next.Gate = gate.New(surface.Sources{Servers: []surface.Server{{Name: "fs", DisabledTools: []string{"read_*"}}}})
			b.policy.set(&next)
		},
		"no longer brought in": func(b *bench) {
			next := *b.policy.Rules(t.Context())
			next.brought = func(string, string) bool { return false }
			b.policy.set(&next)
		},
	} {
		b := serve(t, twoServers)
		b.initialize(`{}`)
		b.backends.starting = func() { change(b) }
		if r := b.call(callTool, `{"tool":"fs:read_text_file"}`); !r.IsError || len(b.backends.seen()) != 0 {
			t.Errorf("%s: called: %s", name, r.text())
		}
	}
	b := serve(t, twoServers)
	b.initialize(`{}`)
	b.backends.starting = func() { b.policy.deny("fs", "write_file") }
	if r := b.call(callTool, `{"tool":"fs:read_text_file"}`); r.IsError {
		t.Errorf("a rule on another tool: %s", r.text())
	}
}
