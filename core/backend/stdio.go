package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// stdio is the link to a server that is a process of ours.
type stdio struct {
	*rpc.Conn
	child  *child
	stderr *ring
	events events
	log    hclog.Logger

	over    chan struct{}
	reason  error // for after over
	noise   sync.Once
	closing sync.Once
}

// dialStdio starts a server.
func dialStdio(ctx context.Context, s *spawnerProcess, l launch, e events, log hclog.Logger) (*stdio, error) {
	c, err := s.start(ctx, l)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", l.path, err)
	}
	k := &stdio{child: c, stderr: new(ring), events: e, log: log, over: make(chan struct{})}
	k.Conn = rpc.NewConn(c.stdout, c.stdin, k)
	stderrEnd := make(chan struct{})
	go func() {
		_, _ = io.Copy(k.stderr, c.stderr) // it ends when the server does
		close(stderrEnd)
	}()
	go k.watch(stderrEnd)
	return k, nil
}

// settle is how long the other signs of an end may take to show.
const settle = 200 * time.Millisecond

// watch reads until the server's output ends, its process does, or it takes no
// more input, whichever is first, and tells how it ended.
func (k *stdio) watch(stderrEnd <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- k.Run(ctx) }()
	select {
	case err := <-ended:
		k.reason = k.silenced(err)
	case <-k.child.exited:
		// What it wrote at last is still in the pipe.
		select {
		case <-ended:
		case <-time.After(settle):
		}
		k.reason = errors.New(k.child.status)
	case <-k.Closed():
		// Run does that, too, and to a process that has ended nothing can be written.
		select {
		case err := <-ended:
			k.reason = k.silenced(err)
		case <-k.child.exited:
			k.reason = errors.New(k.child.status)
		case <-time.After(settle):
			k.reason = errors.New("it no longer reads its input")
		}
	}
	select {
	case <-stderrEnd:
	case <-time.After(settle):
	}
	k.reason = withWords(k.reason, k.words())
	close(k.over)
	k.close()
}

// silenced tells why the server's output ended, which err is unless it ended
// regularly.
func (k *stdio) silenced(err error) error {
	how := "it closed its output"
	select {
	case <-k.child.exited:
		how = k.child.status
	case <-time.After(settle):
	}
	if err != nil {
		return err
	}
	return errors.New(how)
}

func (k *stdio) done() <-chan struct{} { return k.over }
func (k *stdio) why() error            { return k.reason }
func (k *stdio) pid() int              { return k.child.pid }
func (k *stdio) words() string         { return k.stderr.tail(3) }

func (k *stdio) close() {
	k.closing.Do(func() {
		k.child.stop()
		k.child.closePipes()
		k.Conn.Close(nil)
	})
}

// Request implements [rpc.Handler].
func (k *stdio) Request(ctx context.Context, req rpc.Request) {
	result, err := k.events.request(ctx, req.Method, req.Params)
	_ = k.Reply(req.ID, result, err) // fails only when the server is gone
}

// Notification implements [rpc.Handler].
func (k *stdio) Notification(method string, params json.RawMessage) {
	k.events.notification(method, params)
}

// Problem implements [rpc.Handler]. Servers that log to stdout do it a lot, so
// only the first line counts; its text may be a secret and stays out.
func (k *stdio) Problem(err error) {
	var line *rpc.LineError
	if errors.As(err, &line) {
		k.noise.Do(func() { k.log.Warn("skipped output that is no message; more will not be mentioned", "error", line.Err) })
		return
	}
	k.log.Error("while serving a request of the server's", "error", err)
}
