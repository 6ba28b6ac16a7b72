package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
)

// serveHTTP serves streamable HTTP: each session is a peer whose lines are
// events of the streams that are open.
func serveHTTP(s *server, o options) error {
	l, err := net.Listen("tcp", o.http)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	return http.Serve(l, &sessions{server: s, byID: map[string]*session{}})
}

type sessions struct {
	*server
	mu   sync.Mutex
	last int
	byID map[string]*session
}

// session routes what its peer writes: a response to the stream of its request,
// everything else to the newest stream.
type session struct {
	in   *io.PipeWriter
	mu   sync.Mutex
	used int
	open []*stream
}

type stream struct {
	id     string // of the request that it answers; "" for a GET
	events chan []byte
}

func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.opt.bearer != "" && r.Header.Get("Authorization") != "Bearer "+s.opt.bearer {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var m struct {
		ID     json.RawMessage
		Method string
	}
	_ = json.Unmarshal(body, &m) // a GET has no body
	id, sess := s.session(r.Header.Get("Mcp-Session-Id"), m.Method)
	if sess == nil {
		http.Error(w, "no such session", http.StatusNotFound)
		return
	}
	w.Header().Set("Mcp-Session-Id", id)
	switch {
	case r.Method == http.MethodDelete:
		sess.in.Close()
	case r.Method == http.MethodGet:
		sess.serve(w, r.Context(), &stream{events: make(chan []byte, 16)}, nil)
	case m.Method == "" || len(m.ID) == 0:
		sess.write(body)
		w.WriteHeader(http.StatusAccepted)
	default:
		sess.serve(w, r.Context(), &stream{id: string(m.ID), events: make(chan []byte, 16)}, body)
	}
}

// session finds a session, or begins one for an initialize without an id.
func (s *sessions) session(id, method string) (string, *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sess := s.byID[id]; sess != nil {
		if sess.used++; s.opt.forgetAfter > 0 && sess.used > s.opt.forgetAfter {
			delete(s.byID, id)
			return "", nil
		}
		return id, sess
	}
	if method != "initialize" {
		return "", nil
	}
	s.last++
	id = "session-" + strconv.Itoa(s.last)
	r, w := io.Pipe()
	sess := &session{in: w}
	p := newPeer(s.server, r, sess)
	go p.conn.Run(context.Background())
	s.byID[id] = sess
	return id, sess
}

func (s *session) write(line []byte) {
	var b bytes.Buffer
	if json.Compact(&b, line) == nil {
		b.WriteByte('\n')
		_, _ = s.in.Write(b.Bytes()) // fails only once the session is over
	}
}

// Write takes one message of the peer's.
func (s *session) Write(line []byte) (int, error) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.open) - 1; i >= 0; i-- {
		if st := s.open[i]; m.Method != "" || st.id == string(m.ID) {
			st.events <- bytes.TrimSpace(line)
			break
		}
	}
	return len(line), nil
}

func (s *session) serve(w http.ResponseWriter, ctx context.Context, st *stream, body []byte) {
	s.mu.Lock()
	s.open = append(s.open, st)
	s.mu.Unlock()
	defer s.close(st)
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	if body != nil {
		s.write(body)
	}
	for {
		select {
		case event := <-st.events:
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", event)
			_ = flush.Flush() // a client that left ends ctx
			if st.id != "" && bytes.Contains(event, []byte(`"id":`+st.id+`,"`)) && !bytes.Contains(event, []byte(`"method":`)) {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func (s *session) close(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, o := range s.open {
		if o == st {
			s.open = append(s.open[:i], s.open[i+1:]...)
			return
		}
	}
}
