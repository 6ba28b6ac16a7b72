package gateway

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// asking are the options of a host that leaves the question to the gateway.
func asking(_ *Options, r *Rules, _ *fakeBackends) { r.HostAsks = false }

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
		if len(b.host.asked) != 1 || !strings.Contains(b.host.asked[0], `fs:write_file {\"path\":\"/x\"}`) {
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

func TestAHostThatAsksItselfIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers)
	b.initialize(`{"elicitation":{}}`)
	if r := b.call(callToolWrite, `{"tool":"memory:delete_all"}`); r.IsError || len(b.host.asked) != 0 {
		t.Errorf("asked %q: %s", b.host.asked, r.text())
	}
}
