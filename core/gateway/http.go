package gateway

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// Path is where streamable HTTP is served.
const Path = "/mcp"

const (
	// maxBody is the largest message, in bytes, that is read.
	maxBody = 64 << 20
	// idleAfter ends a session that nobody has used for so long: its servers
	// would otherwise run until the gateway ends.
	idleAfter = 30 * time.Minute
)

// HTTP serves any number of sessions over streamable HTTP, each with servers of
// its own behind it. The MCP library negotiates, keeps the listening stream and
// ends sessions; every other message takes the same way as on stdio.
type HTTP struct {
	options func(session string) Options
	token   string
	mcp     *server.MCPServer
	library http.Handler

	mu       sync.Mutex
	sessions map[string]*webSession
	closed   bool
}

// NewHTTP makes a server that lets in whoever brings token. Each session gets
// options of its own.
func NewHTTP(version, token string, options func(session string) Options) *HTTP {
	h := &HTTP{options: options, token: token, mcp: newMCPServer(version), sessions: map[string]*webSession{}}
	h.library = server.NewStreamableHTTPServer(h.mcp,
		server.WithSessionIdManagerResolver(h),
		server.WithStreamableHTTPProtocolVersions(legacyVersions...),
		server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)),
		server.WithHeartbeatInterval(30*time.Second),
	)
	return h
}

// legacyVersions are those that know sessions and requests to the client.
var legacyVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26"}

// ServeHTTP implements [http.Handler].
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !local(r.Host), r.Header.Get("Origin") != "" && !localOrigin(r.Header.Get("Origin")):
		// A page in the user's browser must not reach this server, whatever
		// name its own server has given to 127.0.0.1.
		http.Error(w, "this server answers this machine alone", http.StatusForbidden)
		return
	case r.URL.Path != Path:
		http.NotFound(w, r)
		return
	case !h.authorized(r):
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "bring the bearer token of this gateway", http.StatusUnauthorized)
		return
	}
	switch r.Method {
	case http.MethodPost:
		h.post(w, r)
	case http.MethodGet, http.MethodDelete:
		if s, status := h.session(r); s == nil {
			http.Error(w, noSession, status)
			return
		}
		h.library.ServeHTTP(w, r)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "there is nothing to "+r.Method, http.StatusMethodNotAllowed)
	}
}

const noSession = "no such session: send initialize"

func (h *HTTP) authorized(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(token), []byte(h.token)) == 1
}

func local(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func localOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && local(u.Host)
}

// message is one JSON-RPC message of the client's.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpc.Error      `json:"error"`
}

func (m message) isRequest() bool { return m.Method != "" && len(m.ID) > 0 && string(m.ID) != "null" }

func (h *HTTP) post(w http.ResponseWriter, r *http.Request) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		http.Error(w, "the content type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the message cannot be read", http.StatusRequestEntityTooLarge)
		return
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		writeJSON(w, http.StatusBadRequest, envelope(json.RawMessage("null"), nil, rpc.Errorf(rpc.CodeParse, "not a JSON-RPC message")))
		return
	}
	if m.isRequest() && m.Method == "initialize" {
		h.initialize(w, r, body, m)
		return
	}
	if m.isRequest() && m.Method == "server/discover" {
		writeJSON(w, http.StatusOK, envelope(m.ID, nil, errDiscover))
		return
	}
	s, status := h.session(r)
	if s == nil {
		http.Error(w, noSession, status)
		return
	}
	s.serve(w, r, m)
}

// initialize begins a session; the library answers.
func (h *HTTP) initialize(w http.ResponseWriter, r *http.Request, body []byte, m message) {
	s := &webSession{http: h, id: rand.Text(), pending: map[string]chan message{}, running: map[string]context.CancelFunc{}}
	s.gateway = New(h.options(s.id), s)
	hello := s.gateway.greet(r.Context(), m.Params)
	ctx := context.WithValue(context.WithValue(r.Context(), greetingKey{}, hello), newSessionKey{}, s.id)
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	s.touch()
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		s.gateway.Close()
		http.Error(w, "the gateway is ending", http.StatusServiceUnavailable)
		return
	}
	h.sessions[s.id] = s
	h.mu.Unlock()
	h.library.ServeHTTP(w, r)
	if w.Header().Get(server.HeaderKeySessionID) == "" { // it was no good request
		h.end(s.id)
	}
}

func (h *HTTP) session(r *http.Request) (*webSession, int) {
	id := r.Header.Get(server.HeaderKeySessionID)
	if id == "" {
		return nil, http.StatusBadRequest
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil {
		s.touch()
		return s, 0
	}
	return nil, http.StatusNotFound
}

// end ends a session and its servers.
func (h *HTTP) end(id string) bool {
	h.mu.Lock()
	s := h.sessions[id]
	delete(h.sessions, id)
	h.mu.Unlock()
	if s != nil {
		s.gateway.Close()
	}
	return s != nil
}

// Sweep ends sessions that are idle, until ctx ends; then it ends all.
func (h *HTTP) Sweep(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for ended := false; !ended; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			ended = true
		}
		var over []string
		h.mu.Lock()
		h.closed = ended
		for id, s := range h.sessions {
			if ended || s.idle() > idleAfter {
				over = append(over, id)
			}
		}
		h.mu.Unlock()
		var all sync.WaitGroup
		for _, id := range over {
			all.Go(func() { h.end(id) })
		}
		all.Wait()
	}
}

type newSessionKey struct{}

// ResolveSessionIdManager implements the library's resolver: ids are ours.
func (h *HTTP) ResolveSessionIdManager(r *http.Request) server.SessionIdManager {
	ids := sessionIDs{http: h}
	if r != nil {
		ids.next, _ = r.Context().Value(newSessionKey{}).(string)
	}
	return ids
}

type sessionIDs struct {
	http *HTTP
	next string
}

func (i sessionIDs) Generate() string { return i.next }

func (i sessionIDs) Validate(id string) (isTerminated bool, err error) {
	i.http.mu.Lock()
	defer i.http.mu.Unlock()
	return i.http.sessions[id] == nil, nil
}

func (i sessionIDs) Terminate(id string) (isNotAllowed bool, err error) {
	i.http.end(id)
	return false, nil
}

// listening tells the client something on its listening stream, if it has one.
func (h *HTTP) listening(id, method string, params json.RawMessage) error {
	var fields map[string]any
	if len(params) > 0 {
		if err := json.Unmarshal(params, &fields); err != nil {
			return err
		}
	}
	return h.mcp.SendNotificationToSpecificClient(id, method, fields)
}

func envelope(id, result json.RawMessage, err error) json.RawMessage {
	reply := struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   *rpc.Error      `json:"error,omitempty"`
	}{"2.0", id, result, nil}
	if err != nil {
		reply.Result, reply.Error = nil, asRPC(err)
	}
	return encode(reply)
}

func writeJSON(w http.ResponseWriter, status int, body json.RawMessage) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone is told nothing
}
