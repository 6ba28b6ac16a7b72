package backend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"
)

// Program is a program that runs once and ends by itself.
type Program struct {
	Path  string // absolute
	Args  []string
	Env   []string // in the form of os.Environ
	Dir   string   // absolute
	Input []byte   // what it reads on stdin
	Most  int      // bytes that it may write to stdout
}

// Exit is how a program ended.
type Exit struct {
	Status string // "exit status 3", "signal: killed"
	OK     bool   // exit status 0
	Output []byte // its stdout
	Errors []byte // the end of its stderr
}

// ErrOutput says that a program wrote more than it may.
var ErrOutput = errors.New("it wrote more than it may")

// Run runs a program below the spawner, so that it cannot outlive this process,
// and waits for its end, upon which whatever is left of its process group is
// ended, too. When ctx ends, or with more output than it may write, the program
// and all that descends from it are sent SIGTERM, and SIGKILL a second later; the
// error is then the cause of ctx, or [ErrOutput], beside what was written so far.
func (m *Manager) Run(ctx context.Context, p Program) (Exit, error) {
	m.mu.RLock()
	if m.closed {
		m.mu.RUnlock()
		return Exit{}, errClosing
	}
	m.wg.Add(1) // before Close waits, as it needs the lock first
	m.mu.RUnlock()
	defer m.wg.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(m.ctx, func() { cancel(errClosing) })()

	sp, err := m.spawn()
	if err != nil {
		return Exit{}, fmt.Errorf("start the spawner: %w", err)
	}
	c, err := sp.start(ctx, launch{path: p.Path, args: append([]string{p.Path}, p.Args...), env: p.Env, dir: p.Dir})
	if err != nil {
		return Exit{}, err
	}
	defer c.closePipes()
	go func() {
		_, _ = c.stdin.Write(p.Input) // a program need not read it
		c.stdin.Close()
	}()
	output := &bounded{room: p.Most, full: func() { cancel(ErrOutput) }}
	words := new(ring)
	read := make(chan struct{})
	go func() {
		defer close(read)
		var both sync.WaitGroup
		both.Go(func() { _, _ = io.Copy(output, c.stdout) })
		both.Go(func() { _, _ = io.Copy(words, c.stderr) })
		both.Wait()
	}()
	select {
	case <-c.exited:
	case <-ctx.Done():
		c.end()
	}
	// Something that left the group may hold the pipes open for longer.
	const settle = 500 * time.Millisecond
	select {
	case <-read:
	case <-time.After(settle):
	}
	x := Exit{Status: "not ended", Output: output.bytes(), Errors: words.bytes()}
	select {
	case <-c.exited:
		x.Status, x.OK = c.status, c.status == "exit status 0"
	default:
	}
	return x, context.Cause(ctx)
}

// end makes the child end: SIGTERM, a second later SIGKILL.
func (c *child) end() {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		c.signal(sig)
		select {
		case <-c.exited:
			return
		case <-time.After(time.Second):
		}
	}
}

// bounded keeps what is written to it as long as there is room.
type bounded struct {
	room int
	full func()

	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if left := b.room - b.buf.Len(); len(p) > left {
		b.buf.Write(p[:left])
		b.full()
		return left, ErrOutput
	}
	return b.buf.Write(p)
}

func (b *bounded) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.buf.Bytes())
}
