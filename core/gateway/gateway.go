// Package gateway is the one MCP server that a host loads in place of many. It
// shows a handful of constant tools, finds every tool of the servers behind it
// by search, and forwards calls to them as they are.
package gateway

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/mark3labs/mcp-go/server"

	"github.com/ctx-sidecar/ctx/core/backend"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/result"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// Host is the program at the other end of one session.
type Host interface {
	// Call asks the host, and waits. An answer that is an error is an
	// [*rpc.Error].
	Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	Notify(method string, params json.RawMessage) error
}

// Backends are the servers behind one session; [*backend.Manager] is the real
// one.
type Backends interface {
	Start()
	SetServers(servers []surface.Server)
	Listings() []listing.Listing
	Status() []backend.Status
	Await(ctx context.Context, server string) error
	Request(ctx context.Context, server, method string, params json.RawMessage, onProgress func(params json.RawMessage)) (json.RawMessage, error)
	Notify(server, method string, params json.RawMessage)
	Close()
}

// Policy says what may be seen and called now.
type Policy interface {
	// Rules returns the rules in force. The same pointer is returned as long as
	// nothing has changed. It never returns nil.
	Rules(ctx context.Context) *Rules
}

// Usage takes down completed calls; see [*usage.Log].
type Usage interface {
	Append(usage.Call) error
}

// Approvals asks the user for a word on a call, outside of the host; see
// [*trust.Store].
type Approvals interface {
	RequestCall(trust.Call) (code string, err error)
	TakeCall(session, server, tool, argsHash string) bool
}

// Options are what a session of the gateway works with.
type Options struct {
	HostName  string // the adapter's name of the host
	Version   string // of ctx
	Config    config.Config
	Policy    Policy
	Binding   *hook.Binding
	Memory    *Memory
	Usage     Usage
	Approvals Approvals
	Log       hclog.Logger

	// Capabilities are those of the user's taps; nil where there is no tap.
	Capabilities *loader.Loader

	// Meaning is the sentence model for searches; nil: they go by words alone.
	Meaning Meaning

	// Wake makes a channel of this session alone that brings a value, until ctx
	// ends, when what it lists may have changed: the conversation has become
	// another, or the workspace's own tools others. nil where nothing does.
	Wake func(ctx context.Context) <-chan struct{}

	// Backends makes the servers behind a session. They see the host through
	// client, and call changed when what they list has changed.
	Backends func(client backend.Client, changed func(server string)) Backends
}

const (
	// listingWait is how long a search waits for servers that have never been
	// listed; a call waits as long as its server may take to start.
	listingWait = 3 * time.Second
	// keptResults bounds the memory, in bytes, for what was cut off results.
	keptResults = 64 << 20
)

// Gateway serves one session of one host. Its methods may be called
// concurrently.
type Gateway struct {
	opts     Options
	host     Host
	backends Backends
	mcp      *server.MCPServer
	peer     *peer
	kept     *result.Store
	log      hclog.Logger
	record   *recorder
	reader   *reader

	ready    sync.Once
	ctx      context.Context // ends with the session
	end      context.CancelFunc
	upstream upstream
	brought  brought
	wake     <-chan struct{} // nil where nothing wakes the session

	mu      sync.Mutex
	catalog *catalog      // of the listings and rules seen last; nil: to be made
	changed chan struct{} // closed, and made anew, when a listing changes
	mode    mode
	offers  Offer
	sent    announced
	silent  int // who changes something now and tells of it afterwards
}

// New makes the gateway of one session. Close ends it.
func New(o Options, host Host) *Gateway {
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	g := &Gateway{
		opts:    o,
		host:    host,
		peer:    &peer{},
		kept:    result.NewStore(keptResults),
		log:     o.Log,
		changed: make(chan struct{}),
	}
	g.ctx, g.end = context.WithCancel(context.Background())
	if o.Wake != nil {
		g.wake = o.Wake(g.ctx)
	}
	g.upstream.gateway = g
	g.record = newRecorder(o)
	g.reader = newReader(g, o.Meaning)
	g.mcp = newMCPServer(o.Version)
	g.backends = o.Backends(&g.upstream, g.listingChanged)
	g.brought = brought{gateway: g, servers: map[string]surface.Server{}}
	if o.Capabilities != nil {
		o.Capabilities.Attach(&g.brought)
	}
	return g
}

// Close ends the servers behind the session.
func (g *Gateway) Close() {
	g.end()
	if g.opts.Capabilities != nil {
		g.opts.Capabilities.Close()
	}
	g.backends.Close()
	g.record.close()
}
