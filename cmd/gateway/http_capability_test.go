package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// web is a gateway that serves HTTP.
type web struct {
	*home
	url, token string
}

func (h *home) serve() *web {
	h.t.Helper()
	w := &web{home: h, token: "s3cret"}
	cmd := exec.Command(filepath.Join(h.dir, "ctx-gateway"), "--host", "fake", "--http", "127.0.0.1:0")
	cmd.Dir, cmd.Env = h.ws, append(h.env, "CTX_GATEWAY_TOKEN="+w.token)
	stderr, err := cmd.StderrPipe()
	must(h.t, err, cmd.Start())
	h.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(stderr).ReadString('\n')
	must(h.t, err)
	w.url = strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	go io.Copy(io.Discard, stderr)
	return w
}

// client is one client of a gateway over HTTP, with a session of its own.
type client struct {
	*web
	session string

	mu    sync.Mutex
	notes []string
}

func (w *web) client() *client {
	w.t.Helper()
	c := &client{web: w}
	c.post("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	c.listen()
	c.post("notifications/initialized", "")
	c.post("tools/list", "")
	return c
}

func (c *client) request(method string, body io.Reader) *http.Response {
	c.t.Helper()
	r, err := http.NewRequest(method, c.url, body)
	must(c.t, err)
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + c.token},
	}
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	resp, err := http.DefaultClient.Do(r)
	must(c.t, err)
	return resp
}

// post sends one message and returns the answer.
func (c *client) post(method, params string) string {
	c.t.Helper()
	id := `"id":1,`
	if strings.HasPrefix(method, "notifications/") {
		id = ""
	}
	if params != "" {
		params = `,"params":` + params
	}
	resp := c.request(http.MethodPost, strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q%s}`, id, method, params)))
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	must(c.t, err)
	if resp.StatusCode >= 300 {
		c.t.Fatalf("%s: %d %s", method, resp.StatusCode, b)
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	return string(b)
}

// listen keeps what the gateway says of itself.
func (c *client) listen() {
	c.t.Helper()
	resp := c.request(http.MethodGet, nil)
	if resp.StatusCode != http.StatusOK {
		c.t.Fatalf("listening: %d", resp.StatusCode)
	}
	c.t.Cleanup(func() { resp.Body.Close() })
	go func() {
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			c.mu.Lock()
			c.notes = append(c.notes, lines.Text())
			c.mu.Unlock()
		}
	}()
}

func (c *client) told(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Contains(strings.Join(c.notes, "\n"), text)
}

// call calls a tool as a host does that says which conversation it is in, "" for
// one that does not.
func (c *client) call(conversation, tool, arguments string) string {
	c.t.Helper()
	meta := ""
	if conversation != "" {
		meta = fmt.Sprintf(`,"_meta":{"sessionId":%q}`, conversation)
	}
	return c.post("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s%s}`, tool, arguments, meta))
}

const (
	noteIt = `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`
	noTool = "there is no tool diary:write_note"
)

func TestClientsOverHTTPHaveCapabilitiesOfTheirOwn(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	h.settings("[activate]\nactivate_at = 0.3\n[gateway]\nmode = \"narrow\"\n")
	w := h.serve()
	first, second := w.client(), w.client()
	contains(t, first.call("", "capability", `{"action":"enable","intent":"write a note into my diary"}`), "diary is enabled", "diary:write_note")
	contains(t, first.call("", "call_tool_write", noteIt), "wrote a")
	contains(t, second.call("", "call_tool_write", noteIt), noTool)
	eventually(t, "the client is told of new tools", func() bool { return first.told("notifications/tools/list_changed") })
	if second.told("list_changed") {
		t.Error("the other client was told, too")
	}
	contains(t, first.post("tools/list", ""), "diary__write_note")
	if list := second.post("tools/list", ""); strings.Contains(list, "diary__") {
		t.Errorf("the other client is shown %s", list)
	}
	contains(t, second.call("", "capability", `{"action":"enable","name":"garden"}`), "garden is enabled")
	contains(t, first.call("", "capability", `{"action":"disable","name":"diary"}`), "not enabled any more")
	contains(t, first.call("", "call_tool_write", noteIt), noTool)
	contains(t, second.call("", "call_tool", `{"tool":"garden:echo","arguments":{"text":"larkspur"}}`), "larkspur")
	// A session that ends takes its servers along, and no other one's.
	resp := first.request(http.MethodDelete, nil)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("end: %d", resp.StatusCode)
	}
	contains(t, second.call("", "call_tool", `{"tool":"garden:echo","arguments":{"text":"larkspur"}}`), "larkspur")
}

// A prompt reaches a client that tells which conversation it serves.
func TestAPromptBringsInItsCapabilityOverHTTP(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	h.settings("[activate]\nactivate_at = 0.3\n[gateway]\nmode = \"narrow\"\n")
	w := h.serve()
	first, second := w.client(), w.client()
	first.call("conversation-1", "tool_search", `{"query":"note"}`)
	second.call("conversation-2", "tool_search", `{"query":"note"}`)
	// A gateway over HTTP is nobody's child, so that no hook finds it.
	said, err := h.route("conversation-1", diaryPrompt)
	must(t, err)
	contains(t, said, "the capability diary is enabled")
	contains(t, first.call("conversation-1", "call_tool_write", noteIt), "wrote a")
	eventually(t, "the client is told of new tools", func() bool { return first.told("notifications/tools/list_changed") })
	contains(t, second.call("conversation-2", "call_tool_write", noteIt), noTool)
	if second.told("list_changed") {
		t.Error("the other client was told, too")
	}
	// The same client in another conversation, and back.
	contains(t, first.call("conversation-3", "call_tool_write", noteIt), noTool)
	contains(t, first.call("conversation-1", "call_tool_write", noteIt), "wrote a")
}

func TestEveryClientOverHTTPIsToldThatTheWorkspacesToolsChanged(t *testing.T) {
	t.Parallel()
	h := workshop(t)
	h.settings("[gateway]\nnarrow_above = 0\nmode = \"narrow\"\npin = [\"local:*\"]\n")
	w := h.serve()
	first, second, gone := w.client(), w.client(), w.client()
	gone.request(http.MethodDelete, nil).Body.Close()
	h.allow("shout")
	for _, c := range []*client{first, second} {
		eventually(t, "each client is told", func() bool { return c.told("notifications/tools/list_changed") })
		contains(t, c.post("tools/list", ""), `"local__shout"`)
	}
}
