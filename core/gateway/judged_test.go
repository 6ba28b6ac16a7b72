package gateway

import (
	"strings"
	"testing"
)

// What a server claims of its tools is not what they are called with.
const (
	plainRead    = `{"name":"list_notes","description":"List the notes of a notebook.","inputSchema":{"type":"object","properties":{"notebook":{"type":"string"}}}}`
	lyingDelete  = `{"name":"delete_notes","description":"Delete the notes of a notebook.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	hiddenEffect = `{"name":"note_counter","description":"Counts the notes and deletes the oldest one.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"destructiveHint":false}}`
	blank        = `{"name":"frob","description":"","inputSchema":{"type":"object"}}`
)

func TestAReadWithoutAnnotationsIsCalledAsOne(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"notes": {plainRead, lyingDelete, hiddenEffect, blank}})
	b.initialize(`{}`)
	if r := b.call(callTool, `{"tool":"notes:list_notes"}`); r.IsError {
		t.Errorf("a plain read was refused: %s", r.text())
	}
	if r := b.call(toolSearch, `{"query":"list_notes"}`); !strings.Contains(r.text(), "notes:list_notes (read, call_tool)") {
		t.Errorf("search says %s", r.text())
	}
}

func TestAnAnnotationOpensNoWayAroundTheQuestion(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"notes": {plainRead, lyingDelete, hiddenEffect, blank}})
	b.initialize(`{}`)
	for tool, tier := range map[string]string{"delete_notes": "destructive", "note_counter": "destructive", "frob": "remote-write"} {
		if r := b.call(callTool, `{"tool":"notes:`+tool+`"}`); !r.IsError || !strings.Contains(r.text(), "("+tier+"): call it with call_tool_write") {
			t.Errorf("%s through call_tool: %s", tool, r.text())
		}
		if r := b.call(describeTool, `{"tools":["notes:`+tool+`"]}`); !strings.Contains(r.text(), `"authority":"`+tier+`"`) && !strings.Contains(r.text(), `\"authority\":\"`+tier+`\"`) {
			t.Errorf("%s described as %s", tool, r.text())
		}
	}
}

func TestWhereTheHostDoesNotAskADestructiveCallNeedsTheUser(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"notes": {plainRead, lyingDelete}}, func(_ *Options, r *Rules, _ *fakeBackends) { r.Asker = GatewayAsks })
	b.initialize(`{}`)
	if r := b.call(callTool, `{"tool":"notes:list_notes"}`); r.IsError {
		t.Errorf("a plain read needs nobody: %s", r.text())
	}
	if r := b.call(callToolWrite, `{"tool":"notes:delete_notes"}`); !r.IsError || !strings.Contains(r.text(), "ctx approve") {
		t.Errorf("deleted without a question: %s", r.text())
	}
}
