package gateway

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// recorder takes completed calls down without keeping any of them waiting for
// the disk.
type recorder struct {
	host   string
	log    Usage
	memory *Memory
	errors hclog.Logger

	// remember is set where the list depends on what is in use.
	remember atomic.Bool

	done    sync.WaitGroup
	closing chan struct{}

	mu    sync.Mutex
	calls chan recorded // nil once closed
}

// recorded is a completed call and the tool that was called.
type recorded struct {
	usage.Call
	tool listing.Tool
}

// mostWaiting bounds the calls that wait for a slow disk; beyond it a call goes
// uncounted rather than unanswered.
const mostWaiting = 1024

// lull is how long a completed call may wait to be taken down.
const lull = 50 * time.Millisecond

func newRecorder(o Options) *recorder {
	r := &recorder{host: o.HostName, log: o.Usage, memory: o.Memory, errors: o.Log, calls: make(chan recorded, mostWaiting), closing: make(chan struct{})}
	calls := r.calls
	r.done.Go(func() { r.run(calls) })
	return r
}

func (r *recorder) call(session string, t listing.Tool, failed bool) {
	c := usage.Call{Session: session, Host: r.host, Server: t.Server, Tool: t.Name, At: time.Now().UTC(), Failed: failed, Via: usage.ViaGateway}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		return // it was answered after its session had ended
	}
	select {
	case r.calls <- recorded{c, t}:
	default:
		r.errors.Warn("call not counted: the disk is slow", "tool", t.ID())
	}
}

// run takes calls down some at a time: on a machine with few cores the disk is
// better left alone while calls go back and forth.
func (r *recorder) run(calls <-chan recorded) {
	for c := range calls {
		select {
		case <-time.After(lull):
		case <-r.closing:
		}
		batch := []recorded{c}
		for range len(calls) {
			batch = append(batch, <-calls)
		}
		r.take(batch)
	}
}

func (r *recorder) take(batch []recorded) {
	called := make(map[string][]listing.Tool, 1)
	for _, c := range batch {
		if err := r.log.Append(c.Call); err != nil {
			r.errors.Warn("call not counted", "error", err)
		}
		called[c.Session] = append(called[c.Session], c.tool)
		if !r.remember.Load() {
			continue
		}
		if err := r.memory.used(c.Session, c.tool.ID()); err != nil {
			r.errors.Debug("use not remembered", "error", err)
		}
	}
	for session, tools := range called {
		if err := r.memory.called(session, tools); err != nil {
			r.errors.Debug("what was called stays hidden", "error", err)
		}
	}
}

func (r *recorder) close() {
	r.mu.Lock()
	if r.calls != nil {
		close(r.closing)
		close(r.calls)
		r.calls = nil
	}
	r.mu.Unlock()
	r.done.Wait()
}
