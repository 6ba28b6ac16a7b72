package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// server is what all connections share.
type server struct {
	opt options

	mu    sync.Mutex
	notes map[string]string
	tools []json.RawMessage
	peers []*peer
}

func newServer(o options) (*server, error) {
	s := &server{opt: o, notes: map[string]string{"welcome": "Hello from the stub."}, tools: builtin(o)}
	if o.tools != "" {
		var err error
		if s.tools, err = readTools(o.tools); err != nil {
			return nil, err
		}
		if o.reload > 0 {
			go s.reload()
		}
	}
	if o.listChangedAfter > 0 {
		time.AfterFunc(o.listChangedAfter, func() { s.addTool(lateTool) })
	}
	return s, nil
}

func readTools(path string) ([]json.RawMessage, error) {
	b, err := os.ReadFile(path)
	var tools []json.RawMessage
	for line := range bytes.Lines(b) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			tools = append(tools, line)
		}
	}
	return tools, err
}

// reload follows the file of tools.
func (s *server) reload() {
	for range time.Tick(s.opt.reload) {
		tools, err := readTools(s.opt.tools)
		s.mu.Lock()
		same := slices.EqualFunc(tools, s.tools, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
		s.mu.Unlock()
		if err == nil && !same {
			s.setTools(tools)
		}
	}
}

func (s *server) addTool(tool string) {
	s.mu.Lock()
	tools := append(slices.Clip(s.tools), json.RawMessage(tool))
	s.mu.Unlock()
	s.setTools(tools)
}

func (s *server) setTools(tools []json.RawMessage) {
	s.mu.Lock()
	s.tools = tools
	peers := s.peers
	s.mu.Unlock()
	for _, p := range peers {
		_ = p.conn.Notify("notifications/tools/list_changed", nil)
	}
}

// record appends one line to the log.
func (s *server) record(line string) {
	if s.opt.log == "" {
		return
	}
	f, err := os.OpenFile(s.opt.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, "log:", err)
		return
	}
	defer f.Close()
	fmt.Fprintln(f, line)
}

// peer is one client.
type peer struct {
	*server
	conn     *rpc.Conn
	hasRoots bool
}

func newPeer(s *server, r io.Reader, w io.Writer) *peer {
	p := &peer{server: s}
	p.conn = rpc.NewConn(r, w, p)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peers = append(s.peers, p)
	return p
}

// Request answers a request.
func (p *peer) Request(ctx context.Context, req rpc.Request) {
	if p.opt.hang {
		p.record(req.Method)
		select {}
	}
	result, err := p.answer(ctx, req)
	if ctx.Err() != nil {
		p.record("cancelled " + req.Method)
	}
	_ = p.conn.Reply(req.ID, result, err)
}

func (p *peer) answer(ctx context.Context, req rpc.Request) (json.RawMessage, error) {
	if req.Method == "tools/call" {
		return p.call(ctx, req.Params)
	}
	p.record(req.Method)
	switch req.Method {
	case "initialize":
		return p.initialize(req.Params)
	case "ping":
		return json.RawMessage(`{}`), nil
	case "tools/list":
		return p.list(req.Params)
	case "resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get":
		if p.opt.resources {
			return json.RawMessage(resourceAnswers[req.Method]), nil
		}
	}
	return nil, rpc.Errorf(rpc.CodeMethodNotFound, "method %s not found", req.Method)
}

func (p *peer) initialize(params json.RawMessage) (json.RawMessage, error) {
	var in struct {
		ProtocolVersion string
		Capabilities    struct{ Roots json.RawMessage }
	}
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "%v", err)
	}
	p.hasRoots = len(in.Capabilities.Roots) > 0
	offers := `{"tools":{"listChanged":true}`
	if p.opt.resources {
		offers += `,"resources":{},"prompts":{}`
	}
	return json.RawMessage(`{"protocolVersion":` + strconv.Quote(in.ProtocolVersion) + `,"capabilities":` + offers +
		`},"serverInfo":{"name":"stubserver","version":"1.0.0"},"instructions":"Keeps notes."}`), nil
}

// list answers tools/list in pages whose cursor is the index of the next tool.
func (p *peer) list(params json.RawMessage) (json.RawMessage, error) {
	var in struct{ Cursor string }
	_ = json.Unmarshal(params, &in) // none is allowed
	from, _ := strconv.Atoi(in.Cursor)
	p.mu.Lock()
	all := p.tools
	p.mu.Unlock()
	if p.opt.repeatCursor {
		from = 0
	}
	to := len(all)
	if p.opt.page > 0 {
		to = min(from+p.opt.page, len(all))
	}
	out := struct {
		Tools  []json.RawMessage `json:"tools"`
		Cursor string            `json:"nextCursor,omitempty"`
	}{Tools: all[min(from, to):to]}
	if to < len(all) || p.opt.repeatCursor {
		out.Cursor = strconv.Itoa(to)
	}
	// Not json.Marshal alone: the definitions must go out as they came in.
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Notification takes a notification.
func (p *peer) Notification(method string, _ json.RawMessage) {
	p.record(method)
	if method == "notifications/initialized" && p.opt.roots && p.hasRoots {
		go func() {
			if _, err := p.conn.Call(context.Background(), "roots/list", nil); err == nil {
				p.addTool(rootsTool)
			}
		}()
	}
}

// Problem reports what was skipped.
func (p *peer) Problem(err error) { fmt.Fprintln(os.Stderr, "problem:", err) }

// noisy puts noise before each message when it is on.
type noisy struct {
	w  io.Writer
	on bool
}

func (n *noisy) Write(b []byte) (int, error) {
	if n.on {
		w := bufio.NewWriter(n.w)
		fmt.Fprint(w, "[INFO] a library logs to stdout\n\xff\xfe{\n")
		if err := w.Flush(); err != nil {
			return 0, err
		}
	}
	return n.w.Write(b)
}
