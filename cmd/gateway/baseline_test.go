package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
)

const (
	sentinel = "zanzibar"
	getTool  = `{"name":"get_row","description":"Get a row of the table.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}` + "\n"
	putTool  = `{"name":"put_row","description":"Put a row into the table.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}` + "\n"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	// By a rename, so that nobody reads half of it.
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func (h *home) waiting() []baseline.Entry {
	h.t.Helper()
	entries, problems := baseline.Open(h.layout.Baselines(), paths.Real(h.ws), nil).Entries()
	if problems != nil {
		h.t.Error(problems)
	}
	return entries
}

func TestAToolThatChangesIsHeldBackUntilTheUserDecides(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	file := filepath.Join(h.dir, "tools")
	poisoned := strings.Replace(getTool, "Get a row", "Get a row, "+sentinel, 1)
	writeFile(t, file, getTool+putTool)
	h.declare(h.stub("table", "-tools", file, "-reload", "10ms"))
	h.config.Servers[0].Approval = surface.ApproveAlways
	h.save()
	h.wrap()
	writeFile(t, filepath.Join(h.ws, "ctx.toml"), "[gateway]\nnarrow_above = 0\n")
	end := func(s *session) {
		t.Helper()
		s.in.Close()
		if err := s.wait(); err != nil {
			t.Errorf("exit: %v", err)
		}
	}
	const search, call = `{"query":"get a row of the table"}`, `{"tool":"table:get_row"}`
	held := func(s *session) bool {
		return strings.Contains(s.call("tool_search", search), "1 tool of server table was changed")
	}
	absent := func(s *session) {
		t.Helper()
		all := s.must("tools/list", "") + s.call("tool_search", search) + s.call("tool_search", `{"query":"`+sentinel+`"}`) +
			s.call("describe_tool", `{"tools":["table:get_row"]}`) + s.call("call_tool", call) +
			h.hook(`{"Kind":"prompt","Session":"conversation-1","Prompt":"get a row `+sentinel+`"}`) +
			h.hook(`{"Kind":"tool_before","Session":"conversation-1","Tool":{"Ours":true,"Tool":"call_tool","Input":{"tool":"table:get_row"}}}`)
		if strings.Contains(strings.ReplaceAll(all, `query \"`+sentinel, ""), ", "+sentinel) {
			t.Errorf("the model reads what the server put in: %s", all)
		}
		contains(t, s.call("call_tool", call), "ctx trust approve table:get_row", `"isError":true`)
		contains(t, s.call("tool_search", search), `"table:put_row"`)
		contains(t, h.hook(`{"Kind":"tool_before","Session":"conversation-1","Tool":{"Ours":true,"Tool":"call_tool","Input":{"tool":"table:get_row"}}}`), `deny`, "held back")
	}

	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("tool_search", search), `"table:get_row"`)
	contains(t, s.call("call_tool", call), "content")

	// While the session runs.
	writeFile(t, file, poisoned+putTool)
	eventually(t, "the change is seen", func() bool { return held(s) })
	absent(s)
	end(s)

	// In the next one, from its first answer on.
	s = h.start()
	contains(t, s.initialize(`{}`), "1 tool of server table was changed")
	absent(s)

	// The user's word counts at the next request.
	waiting := h.waiting()
	if len(waiting) != 1 || waiting[0].Name() != "table:get_row" {
		t.Fatalf("waiting: %+v", waiting)
	}
	if err := baseline.Open(h.layout.Baselines(), paths.Real(h.ws), nil).Decide(waiting[0], true); err != nil {
		t.Fatal(err)
	}
	contains(t, s.call("call_tool", call), "content")
	contains(t, s.call("tool_search", search), `"table:get_row"`, sentinel)

	// Another order is no change.
	writeFile(t, file, putTool+`{"annotations":{"readOnlyHint":true}, "inputSchema":{"type":"object"}, "description":"Get a row, `+sentinel+` of the table.", "name":"get_row"}`+"\n")
	end(s)
	s = h.start()
	s.initialize(`{}`)
	s.call("call_tool", `{"tool":"table:put_row"}`)
	if held(s) || len(h.waiting()) != 0 {
		t.Errorf("another order waits: %+v", h.waiting())
	}
}

func TestAToolThatChangedBetweenTwoSessionsIsNotCalledOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	file := filepath.Join(h.dir, "tools")
	writeFile(t, file, getTool+putTool)
	h.declare(h.stub("table", "-tools", file))
	h.wrap()
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("call_tool", `{"tool":"table:get_row"}`), "content")
	eventually(t, "the tools are listed", func() bool { return strings.Contains(s.must("tools/list", ""), "put_row") || len(h.files()) > 0 })
	s.in.Close()
	if err := s.wait(); err != nil {
		t.Fatal(err)
	}
	if len(h.files()) != 1 {
		t.Fatalf("baselines: %v", h.files())
	}
	writeFile(t, file, strings.Replace(getTool, "Get a row", "Get a row, "+sentinel, 1)+putTool)
	s = h.start()
	s.initialize(`{}`)
	s.must("tools/list", "")
	// It is this call that starts it.
	contains(t, s.call("call_tool", `{"tool":"table:get_row"}`), "ctx trust diff table:get_row")
	eventually(t, "the change is noted", func() bool { return len(h.waiting()) == 1 })
	if list := s.must("tools/list", ""); strings.Contains(list, sentinel) || strings.Contains(list, "get_row") {
		t.Errorf("listed as it is: %s", list)
	}
	contains(t, s.call("call_tool", `{"tool":"table:put_row"}`), "content")
}

// What a server lists now may be on record already when a session still knows it
// from before: another session of the user's has met it, and the user has decided.
func TestWhatTheUserDecidedElsewhereCountsForTheFirstCallOfASession(t *testing.T) {
	t.Parallel()
	deleting := `{"name":"get_row","description":"Delete a row of the table.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false,"destructiveHint":true}}` + "\n"
	for name, tt := range map[string]struct {
		now     string
		accept  bool
		refusal string // of the first call
		again   string // what the next one is told
	}{
		"rejected":                     {strings.Replace(getTool, "Get a row", "Get a row, "+sentinel, 1), false, "the user rejected that", "the user rejected that"},
		"accepted, and it can do more": {deleting, true, "is defined otherwise by now", "call it with call_tool_write"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			file := filepath.Join(h.dir, "tools")
			writeFile(t, file, getTool+putTool)
			h.declare(h.stub("table", "-tools", file))
			h.config.Servers[0].Approval = surface.ApproveAlways
			h.save()
			h.wrap()
			s := h.start()
			s.initialize(`{}`)
			contains(t, s.call("call_tool", `{"tool":"table:get_row"}`), "content")
			s.in.Close()
			if err := s.wait(); err != nil {
				t.Fatal(err)
			}

			writeFile(t, file, tt.now+putTool)
			h.decideElsewhere(tt.accept, tt.now, putTool)
			s = h.start()
			s.initialize(`{}`)
			s.must("tools/list", "")
			// It is this call that starts it.
			contains(t, s.call("call_tool", `{"tool":"table:get_row"}`), tt.refusal, `"isError":true`)
			contains(t, s.call("call_tool", `{"tool":"table:get_row"}`), tt.again, `"isError":true`)
			if result := s.call("call_tool_write", `{"tool":"table:put_row"}`); strings.Contains(result, `"isError":true`) {
				t.Errorf("a tool that is as it was: %s", result)
			}
		})
	}
}

// decideElsewhere is another session of the user's in which the table lists these
// tools, and the user decides about the one that waits.
func (h *home) decideElsewhere(accept bool, tools ...string) {
	h.t.Helper()
	srv, l := h.config.Servers[0], listing.Listing{Server: "table"}
	for _, raw := range tools {
		l.Tools = append(l.Tools, json.RawMessage(strings.TrimSpace(raw)))
	}
	theirs := baseline.Open(h.layout.Baselines(), paths.Real(h.ws), nil)
	theirs.Observe(srv, l)
	if err := theirs.Flush(); err != nil {
		h.t.Fatal(err)
	}
	waiting := h.waiting()
	if len(waiting) != 1 {
		h.t.Fatalf("waiting: %+v", waiting)
	}
	if err := theirs.Decide(waiting[0], accept); err != nil {
		h.t.Fatal(err)
	}
	theirs.Observe(srv, l)
	if err := theirs.Flush(); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) files() []string {
	files, _ := filepath.Glob(filepath.Join(h.layout.Baselines(), "*.json"))
	return files
}
