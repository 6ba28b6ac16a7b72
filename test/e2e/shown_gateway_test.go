package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// claudes are the capabilities that Claude Code declares to its servers.
const claudes = `{"roots":{"listChanged":true},"elicitation":{"form":{},"url":{}}}`

// peer is an MCP server on stdio, and a host that speaks to it by hand.
type peer struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser

	mu      sync.Mutex
	last    int
	waiting map[int]chan json.RawMessage
	order   []int // of the answers as they came

	Instructions string
}

// gateway starts the installed gateway of host in a workspace.
func (u *user) gateway(dir, host string, env ...string) *peer {
	u.t.Helper()
	cmd := exec.Command(filepath.Join(prefix, "bin/ctx-gateway"), "--host", host, "--workspace", dir)
	cmd.Dir, cmd.Env = dir, u.environ(env...)
	return speak(u.t, cmd)
}

// speak starts a server and initializes it.
func speak(t *testing.T, cmd *exec.Cmd) *peer {
	t.Helper()
	p := &peer{t: t, cmd: cmd, waiting: map[int]chan json.RawMessage{}}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in = in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	go p.read(out)
	var answer struct{ Instructions string }
	p.ask("initialize", json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":`+claudes+`,"clientInfo":{"name":"claude-code","version":"2.1.328"}}`), &answer)
	p.Instructions = answer.Instructions
	p.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return p
}

// close ends the session as a host does; the program has patience to go.
func (p *peer) close() {
	p.in.Close()
	kill := time.AfterFunc(patience, func() { p.cmd.Process.Kill() })
	defer kill.Stop()
	p.cmd.Wait() // how it ended is not what is tested
}

func (p *peer) send(message map[string]any) {
	b, err := json.Marshal(message)
	if err != nil {
		p.t.Error(err)
	}
	// A server may still ask when the host has already gone.
	if _, err := p.in.Write(append(b, '\n')); err != nil && !errors.Is(err, os.ErrClosed) {
		p.t.Error(err)
	}
}

func (p *peer) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			p.t.Errorf("no JSON: %q", line)
			continue
		}
		if m.Method != "" {
			p.answer(m.ID, m.Method)
			continue
		}
		var id int
		if json.Unmarshal(m.ID, &id) != nil {
			continue
		}
		if m.Result == nil {
			m.Result = m.Error
		}
		p.mu.Lock()
		p.order = append(p.order, id)
		ch := p.waiting[id]
		p.mu.Unlock()
		if ch != nil {
			ch <- m.Result
		}
	}
}

// answer is what a host says to a question of the server's.
func (p *peer) answer(id json.RawMessage, method string) {
	if id == nil {
		return
	}
	result := map[string]any{}
	if method == "roots/list" {
		result["roots"] = []any{}
	}
	p.send(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
}

// begin sends a request; the channel brings its result, or its error.
func (p *peer) begin(method string, params any) (int, <-chan json.RawMessage) {
	p.mu.Lock()
	p.last++
	id, ch := p.last, make(chan json.RawMessage, 1)
	p.waiting[id] = ch
	p.mu.Unlock()
	p.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return id, ch
}

func (p *peer) ask(method string, params, into any) {
	p.t.Helper()
	_, ch := p.begin(method, params)
	p.await(ch, method, into)
}

func (p *peer) await(ch <-chan json.RawMessage, what string, into any) {
	p.t.Helper()
	select {
	case result := <-ch:
		if into == nil {
			return
		}
		if err := json.Unmarshal(result, into); err != nil {
			p.t.Fatalf("%s: %v: %s", what, err, result)
		}
	case <-time.After(patience):
		p.t.Fatalf("%s is not answered", what)
	}
}

// called is the result of a tool.
type called struct {
	Content           []struct{ Text string }
	StructuredContent json.RawMessage
	IsError           bool
}

func (c called) String() string { return fmt.Sprint(c.Content) }

func (p *peer) call(tool string, arguments any) called {
	p.t.Helper()
	var c called
	p.ask("tools/call", args{"name": tool, "arguments": arguments}, &c)
	return c
}

// list is every page of tools/list, by name, as raw as it came.
func (p *peer) list() map[string]json.RawMessage {
	p.t.Helper()
	all := map[string]json.RawMessage{}
	params := args{}
	for {
		var page struct {
			Tools      []json.RawMessage
			NextCursor string
		}
		p.ask("tools/list", params, &page)
		for _, raw := range page.Tools {
			var t struct{ Name string }
			if err := json.Unmarshal(raw, &t); err != nil {
				p.t.Fatal(err)
			}
			all[t.Name] = raw
		}
		if page.NextCursor == "" {
			return all
		}
		params = args{"cursor": page.NextCursor}
	}
}

// describe is a tool's own definition as describe_tool shows it.
func (p *peer) describe(id string) json.RawMessage {
	p.t.Helper()
	var out struct {
		Schemas []map[string]json.RawMessage
		Unknown []string
	}
	c := p.call("describe_tool", args{"tools": []string{id}})
	if err := json.Unmarshal(c.StructuredContent, &out); err != nil || len(out.Schemas) != 1 {
		p.t.Errorf("describe_tool %s: %v: %s", id, err, c)
		return nil
	}
	delete(out.Schemas[0], "tool")
	delete(out.Schemas[0], "authority")
	return json.RawMessage(toJSON(p.t, out.Schemas[0]))
}

// sameJSON reports whether two documents say the same, numbers digit by digit.
func sameJSON(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	return canonical(t, a) == canonical(t, b)
}
