package gateway

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// asking are the options of a host that leaves the question to the gateway.
func asking(_ *Options, r *Rules, _ *fakeBackends) { r.Asker = GatewayAsks }

func TestAWriteIsAskedForThroughTheHost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		called bool
	}{
		"allowed":   {`{"action":"accept","content":{}}`, true},
		"accepted":  {`{"action":"accept"}`, true},
		"declined":  {`{"action":"decline"}`, false},
		"cancelled": {`{"action":"cancel"}`, false},
	} {
		b := serve(t, twoServers, asking)
		b.host.answer = func(string, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(c.answer), nil }
		b.initialize(`{"elicitation":{}}`)
		r := b.call(callToolWrite, `{"tool":"fs:write_file","arguments":{"path":"/x"}}`)
		if called := len(b.backends.seen()) == 1; called != c.called || r.IsError == c.called {
			t.Errorf("%s: called %v: %s", name, called, r.text())
		}
		if len(b.host.asked) != 1 || !strings.Contains(b.host.asked[0], `fs:write_file path=\"/x\"`) {
			t.Errorf("%s: asked %q", name, b.host.asked)
		}
		// Only a form without fields can be answered where all questions are off.
		if !strings.Contains(b.host.asked[0], `"requestedSchema":{"type":"object","properties":{}}`) {
			t.Errorf("%s: the form demands something: %q", name, b.host.asked)
		}
		if r := b.call(callTool, `{"tool":"fs:read_text_file"}`); r.IsError || len(b.host.asked) != 1 {
			t.Errorf("%s: a read was asked for", name)
		}
	}
}

func TestWhereTheHostCannotAskTheUserApprovesInATerminal(t *testing.T) {
	t.Parallel()
	for _, capabilities := range []string{`{}`, `{"elicitation":{"url":{}}}`, `{"elicitation":{}}`} {
		b := serve(t, twoServers, asking)
		b.initialize(capabilities)
		call := `{"tool":"fs:write_file","arguments":{"path":"/x","n":1.0}}`
		r := b.call(callToolWrite, call)
		if !r.IsError || !strings.Contains(r.text(), "ctx approve") || len(b.backends.seen()) != 0 {
			t.Errorf("%s: %s", capabilities, r.text())
		}
		if strings.Contains(r.text()+string(r.StructuredContent), "secret-code") {
			t.Errorf("%s: the model sees the code: %s", capabilities, r.text())
		}
		b.approvals.approved = slices.Clone(b.approvals.waiting)
		if r := b.call(callToolWrite, `{"tool":"fs:write_file","arguments":{"path":"/y"}}`); !r.IsError {
			t.Errorf("%s: other arguments than those approved were let through", capabilities)
		}
		if r := b.call(callToolWrite, call); r.IsError {
			t.Errorf("%s: approved, but: %s", capabilities, r.text())
		}
		if r := b.call(callToolWrite, call); !r.IsError {
			t.Errorf("%s: one approval let two calls through", capabilities)
		}
	}
}

// question is what the host is asked about a write with these arguments.
func question(t *testing.T, arguments string) (message string, answer reply) {
	t.Helper()
	b := serve(t, twoServers, asking)
	b.host.answer = func(string, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"action":"accept"}`), nil
	}
	b.initialize(`{"elicitation":{}}`)
	answer = b.call(callToolWrite, `{"tool":"fs:write_file","arguments":`+arguments+`}`)
	if called := len(b.backends.seen()) == 1; called == answer.IsError || called != (len(b.host.asked) == 1) {
		t.Errorf("%.80s: asked %d times, called %v", arguments, len(b.host.asked), called)
	}
	if len(b.host.asked) == 0 {
		return "", answer
	}
	_, params, _ := strings.Cut(b.host.asked[0], "{")
	var p struct{ Message string }
	if err := json.Unmarshal([]byte("{"+params), &p); err != nil {
		t.Fatalf("%v: %s", err, b.host.asked[0])
	}
	return p.Message, answer
}

func TestTheUserIsShownEveryArgumentOfACall(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 400) + strings.Repeat("b", 1000)
	for name, c := range map[string]struct {
		arguments string
		want      []string
	}{
		"a path behind much content": {
			`{"content":"` + long + `","path":"/home/u/.ssh/authorized_keys"}`,
			[]string{`fs:write_file path="/home/u/.ssh/authorized_keys" content="aaa`, `aaa…(1400 bytes)…bbb`, `bbb"`},
		},
		"a path behind escapes": {
			`{"content":"` + long + `","path":"\u002fetc\/passwd\u202e\u200b"}`,
			[]string{`path="/etc/passwd\u202e\u200b"`},
		},
		"a value that reads like another argument": {
			`{"path":"/etc/passwd","a":"x\" path=\"/tmp/safe"}`,
			[]string{`a="x\" path=\"/tmp/safe"`, `path="/etc/passwd"`},
		},
		"a name that reads like one": {
			`{"path=\"/tmp/safe\" x":1,"path":"/etc/passwd"}`,
			[]string{`"path=\"/tmp/safe\" x"=1`, `path="/etc/passwd"`},
		},
		"values of every kind": {
			`{"n":1.0,"yes":true,"none":null,"list":["a", 2],"o":{"b":"<>","a":{}}}`,
			[]string{`n=1.0`, `yes=true`, `none=null`, `list=["a",2]`, `o={"a":{},"b":"<>"}`},
		},
		"several long ones": {
			`{"one":"` + long + `","two":["` + long + `"],"path":"/etc/passwd"}`,
			[]string{`path="/etc/passwd"`, `one="aaa`, `two=["aaa`, `…(1400 bytes)…`, `…(1404 bytes)…`},
		},
		"none": {`{}`, []string{`fs:write_file`}},
	} {
		message, _ := question(t, c.arguments)
		for _, want := range c.want {
			if !strings.Contains(message, want) {
				t.Errorf("%s: %q is not in %s", name, want, message)
			}
		}
		if len(message) > 700 {
			t.Errorf("%s: %d bytes", name, len(message))
		}
	}
}

func TestNoStringSeemsToEndWhereItIsCut(t *testing.T) {
	t.Parallel()
	quotes := strings.Repeat(`\"`, 2000)
	for pad := range 8 {
		message, _ := question(t, `{"content":"`+strings.Repeat("x", pad)+quotes+`"}`)
		head, tail, _ := strings.Cut(strings.TrimPrefix(message, `Allow this call? fs:write_file content="`), "…(")
		_, tail, _ = strings.Cut(tail, ")…")
		for _, part := range []string{head, strings.TrimSuffix(tail, `"`)} {
			if bare := strings.ReplaceAll(part, `\"`, ""); part == "" || strings.ContainsAny(bare, `\"`) {
				t.Errorf("%q", part)
			}
		}
	}
}

func TestACallThatCannotBeShownIsRefused(t *testing.T) {
	t.Parallel()
	var many, longNames []string
	for i := range 300 {
		many = append(many, fmt.Sprintf(`"a%d":%d`, i, i))
	}
	for i := range 3 {
		longNames = append(longNames, fmt.Sprintf(`"%s%d":1`, strings.Repeat("n", 500), i))
	}
	for arguments, want := range map[string]string{
		`{"path":"/etc","path":"/tmp/x"}`:             `two members "path"`,
		`{"path":"/etc","\u0070ath":"/tmp/x"}`:        `two members "path"`,
		`{"edits":[{"path":"/etc","path":"/tmp/x"}]}`: `two members "path"`,
		`{"":1,"":2}`:                               `two members ""`,
		`{` + strings.Join(many, ",") + `}`:         "more arguments than the user can be shown",
		`{` + strings.Join(longNames, ",") + `}`:    "more arguments than the user can be shown",
		`"{\"path\":\"/etc\",\"path\":\"/tmp/x\"}"`: `two members "path"`,
	} {
		message, answer := question(t, arguments)
		if message != "" || !answer.IsError || !strings.Contains(answer.text(), "was not called") || !strings.Contains(answer.text(), want) {
			t.Errorf("%.80s: asked %q, answered %s", arguments, message, answer.text())
		}
	}
	// The same names in different objects are no repetition.
	if message, _ := question(t, `{"a":{"path":1},"path":2,"b":[{"path":3},{"path":4}]}`); message == "" {
		t.Error("a call without a repeated name was refused")
	}
}

func TestAnApprovalIsOfNoOtherCallWithTheSameNames(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers, asking)
	b.initialize(`{}`)
	b.call(callToolWrite, `{"tool":"fs:write_file","arguments":{"path":"/tmp/x"}}`)
	b.approvals.approved = slices.Clone(b.approvals.waiting)
	if r := b.call(callToolWrite, `{"tool":"fs:write_file","arguments":{"path":"/etc","path":"/tmp/x"}}`); !r.IsError || len(b.backends.seen()) != 0 {
		t.Errorf("the approval of /tmp/x let /etc through: %s", r.text())
	}
}

func TestWhatWaitsInATerminalIsKeptWhole(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers, asking)
	b.initialize(`{}`)
	content := strings.Repeat("a", 30_000) + "here" + strings.Repeat("b", 30_000)
	b.call(callToolWrite, `{"tool":"fs:write_file","arguments":{"content":"`+content+`","path":"/x"}}`)
	b.call(callToolWrite, `{"tool":"fs:write_file","arguments":{"content":"`+content+content+`","path":"/x"}}`)
	waiting := b.approvals.waiting
	if len(waiting) != 2 || waiting[0].Arguments != "path=\"/x\"\ncontent=\""+content+`"` {
		t.Fatalf("%d wait: %.200s", len(waiting), waiting[0].Arguments)
	}
	if huge := waiting[1].Arguments; len(huge) > mostShown+100 || !strings.Contains(huge, "…(120008 bytes)…") || !strings.HasPrefix(huge, "path=\"/x\"\n") {
		t.Errorf("%d bytes are kept: %.100s", len(huge), huge)
	}
}

// A host that asks about the gateway's own tools knows no rule on those behind.
func TestTheUsersRulesHoldWhereTheHostAsksAboutTheGatewaysToolsAlone(t *testing.T) {
	t.Parallel()
	rule := func(effect surface.Effect, server, tool string) surface.Rule {
		return surface.Rule{Effect: effect, Server: server, Tool: tool, Text: server + "/" + tool}
	}
	all, ours := rule(surface.EffectAllow, "*", "*"), rule(surface.EffectAllow, "own", "*")
	for name, c := range map[string]struct {
		tool  string
		rules []surface.Rule
		asked bool
	}{
		"a write that nothing is said of":                   {"notes:frob", nil, false},
		"a destructive call that the host asked about":      {"memory:delete_all", nil, false},
		"everything is allowed":                             {"memory:delete_all", []surface.Rule{all}, false},
		"everything, but for one to be asked about":         {"memory:delete_all", []surface.Rule{all, rule(surface.EffectAsk, "memory", "delete_*")}, true},
		"a read to be asked about":                          {"fs:read_text_file", []surface.Rule{rule(surface.EffectAsk, "fs", "*")}, true},
		"another one to be asked about":                     {"notes:frob", []surface.Rule{all, rule(surface.EffectAsk, "memory", "*")}, false},
		"a write through what is always allowed":            {"notes:frob", []surface.Rule{ours}, false},
		"a destructive call through what is always allowed": {"memory:delete_all", []surface.Rule{ours}, true},
		"the same, allowed itself":                          {"memory:delete_all", []surface.Rule{ours, rule(surface.EffectAllow, "memory", "delete_all")}, false},
		"the same, and the host is to ask":                  {"memory:delete_all", []surface.Rule{ours, rule(surface.EffectAsk, "own", "call_tool_write")}, false},
	} {
		w := wrap(t)
		w.config.Servers = []surface.Server{{Name: "own", Own: true}}
		w.config.Rules = c.rules
		read := w.Rules(t.Context())
		b := serve(t, map[string][]string{"fs": {readText}, "notes": {blank}, "memory": {deleteAll}}, func(_ *Options, r *Rules, _ *fakeBackends) {
			r.Gate, r.Asker, r.unasked = read.Gate, read.Asker, read.unasked
		})
		b.host.answer = func(string, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"action":"decline"}`), nil
		}
		b.initialize(`{"elicitation":{}}`)
		meta := callToolWrite
		if strings.HasSuffix(c.tool, "read_text_file") {
			meta = callTool
		}
		r := b.call(meta, `{"tool":"`+c.tool+`"}`)
		if asked := len(b.host.asked) == 1; asked != c.asked || r.IsError != c.asked || len(b.backends.seen()) == 1 == c.asked {
			t.Errorf("%s: asked %q: %s", name, b.host.asked, r.text())
		}
	}
}

func TestAHostThatAsksItselfIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers)
	b.initialize(`{"elicitation":{}}`)
	if r := b.call(callToolWrite, `{"tool":"memory:delete_all"}`); r.IsError || len(b.host.asked) != 0 {
		t.Errorf("asked %q: %s", b.host.asked, r.text())
	}
}
