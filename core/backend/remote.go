package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/ctx-sidecar/ctx/core/rpc"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// errForgotten is the end of a session that its server no longer knows.
var errForgotten = errors.New("it has forgotten the session, which begins anew; nothing was sent twice")

// remote is the link to a server that is reached by URL. The transport is
// mcp-go's, below its typed client, which would lose parts of tool definitions.
type remote struct {
	transport transport.Interface
	events    events
	log       hclog.Logger
	http      *http.Client
	url       string
	headers   map[string]string
	version   atomic.Value // string; of the protocol, once it is agreed
	next      atomic.Int64

	ctx    context.Context // ends with the link
	cancel context.CancelFunc
	over   chan struct{}
	reason error // for after over
	end    sync.Once

	mu      sync.Mutex
	calls   int                           // under way
	drained chan struct{}                 // closed when a link that is over has none left
	serving map[string]context.CancelFunc // requests of the server's, by id as JSON
}

// dialRemote prepares the conversation with a server; the first request opens
// the connection.
func dialRemote(ctx context.Context, kind surface.Transport, url string, headers map[string]string, e events, log hclog.Logger) (*remote, error) {
	r := &remote{
		events: e, log: log, url: url, headers: headers, over: make(chan struct{}), drained: make(chan struct{}),
		http:    &http.Client{CheckRedirect: sameHost, Transport: noting{}},
		serving: map[string]context.CancelFunc{},
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	life, answered := withStatus(r.ctx)
	if err := r.open(ctx, life, kind); err != nil {
		r.cancel()
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, r.explain(err, answered)
	}
	return r, nil
}

// open starts the transport within ctx, for as long as life.
func (r *remote) open(ctx, life context.Context, kind surface.Transport) error {
	quiet := slog.New(slog.DiscardHandler) // it logs URLs, in which there may be tokens
	if kind == surface.SSE {
		t, err := transport.NewSSE(r.url, transport.WithHeaders(r.headers), transport.WithHTTPClient(r.http),
			transport.WithSSELogger(quiet), transport.WithResponseTimeout(24*time.Hour))
		if err != nil {
			return err
		}
		t.SetNotificationHandler(r.notified)
		t.SetConnectionLostHandler(func(err error) {
			r.finish(fmt.Errorf("connection lost: %w", quoting(err, new(status))))
			r.closeTransport() // what is under way had its answer coming on that stream
		})
		r.transport = t
		return startWithin(ctx, life, t)
	}
	//lint:ignore SA1019 on revisions with a session there is no other way to hear of changed lists
	listen := transport.WithContinuousListening()
	t, err := transport.NewStreamableHTTP(r.url, transport.WithHTTPHeaders(r.headers), transport.WithHTTPBasicClient(r.http),
		transport.WithHTTPLogger(quiet), listen)
	if err != nil {
		return err
	}
	t.SetNotificationHandler(r.notified)
	t.SetRequestHandler(r.requested)
	r.transport = t
	return t.Start(life)
}

// startWithin starts a transport that lives as long as life and has to be there
// before ctx ends.
func startWithin(ctx, life context.Context, t transport.Interface) error {
	started := make(chan error, 1)
	go func() { started <- t.Start(life) }()
	select {
	case err := <-started:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// sameHost keeps headers, which are credentials as often as not, from following
// a redirect to somebody else, or to where everybody on the way can read them.
func sameHost(req *http.Request, via []*http.Request) error {
	if req.URL.Host != via[0].URL.Host {
		return misdirected("it redirects to another host", ", "+req.URL.Host)
	}
	if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return misdirected("it redirects from https to http: write the address that it leads to, with https", "")
	}
	if len(via) > 5 {
		return misdirected("it redirects in circles", "")
	}
	return nil
}

func misdirected(how, whereTo string) error { return &telling{errors.New(how), how + whereTo} }

// Call implements link.
func (r *remote) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if !r.enter() {
		return nil, fmt.Errorf("%w: %w", rpc.ErrClosed, r.reason)
	}
	defer r.leave()
	id := "ctx-" + strconv.FormatInt(r.next.Add(1), 10)
	req := transport.JSONRPCRequest{JSONRPC: "2.0", ID: mcp.NewRequestId(id), Method: method}
	if len(params) > 0 {
		req.Params = params
	}
	sending, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)() // else one that began as its transport closed would wait for good
	sending, answered := withStatus(sending)
	resp, err := r.transport.SendRequest(sending, req)
	switch {
	case err != nil && ctx.Err() != nil:
		if method != "initialize" {
			go r.withdraw(id)
		}
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, r.explain(err, answered)
	case resp.Error != nil:
		e := &rpc.Error{Code: int64(resp.Error.Code), Message: resp.Error.Message}
		if resp.Error.Data != nil {
			e.Data, _ = json.Marshal(resp.Error.Data) // it was JSON a moment ago
		}
		return nil, e
	case len(resp.Result) == 0: // as of a proxy that refuses with JSON of its own
		return nil, fmt.Errorf("it answered with neither a result nor an error (%s)", answered)
	}
	if method == "initialize" {
		r.agree(resp.Result)
	}
	return resp.Result, nil
}

// agree sends the version that the server has chosen from here on.
func (r *remote) agree(result json.RawMessage) {
	var h hello
	if json.Unmarshal(result, &h) != nil || h.ProtocolVersion == "" {
		return // which initialize reports
	}
	r.version.Store(h.ProtocolVersion)
	if t, ok := r.transport.(transport.HTTPConnection); ok {
		t.SetProtocolVersion(h.ProtocolVersion)
	}
}

// explain names what a failure means to the user.
func (r *remote) explain(err error, answered *status) error {
	select {
	case <-r.over: // which broke off what was under way
		return fmt.Errorf("%w: %w", rpc.ErrClosed, r.reason)
	default:
	}
	switch {
	case errors.Is(err, transport.ErrSessionTerminated):
		r.finish(errForgotten)
		return fmt.Errorf("%w: %w", rpc.ErrClosed, errForgotten)
	case errors.Is(err, transport.ErrAuthorizationRequired):
		return errOAuth
	case errors.Is(err, transport.ErrLegacySSEServer):
		return errors.New("it refuses initialize with a 4xx status: is it an older server, of type sse?")
	}
	return quoting(err, answered)
}

// quoting tells what in an error of the transport's may be quoted from the
// server: all of it where the server answered, and else, as net/http writes it,
// what follows a quotation mark.
func quoting(err error, answered *status) error {
	err = withoutURL(err)
	if errors.As(err, new(*telling)) {
		return err
	}
	if answered.Load() != 0 {
		return &telling{fmt.Errorf("it answered %s", answered), err.Error()}
	}
	if how, _, quotes := strings.Cut(err.Error(), `"`); quotes {
		return &telling{errors.New(strings.TrimRight(how, " :=")), err.Error()}
	}
	return err
}

// withoutURL drops from an error the URL, in which there may be tokens, and
// bounds what a server's answer adds to it.
func withoutURL(err error) error {
	const most = 300
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if text := err.Error(); len(text) > most {
		return errors.New(strings.ToValidUTF8(text[:most], "") + "…")
	}
	return err
}

func (r *remote) withdraw(id string) {
	params, _ := json.Marshal(map[string]string{"requestId": id, "reason": "the caller gave up"}) // strings always marshal
	if err := r.Notify("notifications/cancelled", params); err != nil {
		r.log.Debug("a call could not be withdrawn", "error", withoutWords(err))
	}
}

// Notify implements link.
func (r *remote) Notify(method string, params json.RawMessage) error {
	n := mcp.JSONRPCNotification{JSONRPC: "2.0", Notification: mcp.Notification{Method: method}}
	if len(params) > 0 {
		if err := json.Unmarshal(params, &n.Params); err != nil {
			return fmt.Errorf("params: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(r.ctx, defaultStartTimeout)
	defer cancel()
	ctx, answered := withStatus(ctx)
	if err := r.transport.SendNotification(ctx, n); err != nil {
		return quoting(err, answered)
	}
	return nil
}

func (r *remote) notified(n mcp.JSONRPCNotification) {
	params, err := json.Marshal(n.Params)
	if err != nil {
		r.log.Warn("skipped a notification", "method", n.Method, "error", err)
		return
	}
	if n.Method != "notifications/cancelled" {
		r.events.notification(n.Method, params)
		return
	}
	var p struct{ RequestID json.RawMessage }
	if json.Unmarshal(params, &p) == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if cancel := r.serving[string(p.RequestID)]; cancel != nil {
			cancel()
		}
	}
}

// Closed implements link.
func (r *remote) Closed() <-chan struct{} { return r.over }
func (r *remote) done() <-chan struct{}   { return r.over }
func (r *remote) why() error              { return r.reason }
func (r *remote) pid() int                { return 0 }
func (r *remote) words() string           { return "" }

// enter begins a call, unless the link is over.
func (r *remote) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.over:
		return false
	default:
		r.calls++
		return true
	}
}

func (r *remote) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls--
	r.drainedLocked()
}

func (r *remote) drainedLocked() {
	select {
	case <-r.over:
		if r.calls == 0 {
			close(r.drained)
		}
	default:
	}
}

// finish ends the link. Calls that are under way may still have their answers:
// the transport stays for them.
func (r *remote) finish(why error) {
	r.end.Do(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.reason = why
		close(r.over)
		r.drainedLocked()
		go func() {
			select {
			case <-r.drained:
				r.closeTransport()
			case <-r.ctx.Done():
			}
		}()
	})
}

func (r *remote) close() {
	r.finish(errClosing)
	go r.closeTransport()
	// Telling a server that the session is over is a courtesy with a limit.
	select {
	case <-r.ctx.Done():
	case <-time.After(time.Second):
		r.cancel()
	}
}

func (r *remote) closeTransport() {
	defer r.cancel()
	if err := r.transport.Close(); err != nil {
		r.log.Debug("close", "error", withoutWords(quoting(err, new(status))))
	}
}
