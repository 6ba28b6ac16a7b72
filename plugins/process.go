package plugins

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"

	"github.com/hashicorp/go-plugin/runner"
)

// process runs one adapter for go-plugin. It exists because go-plugin's own
// runner gives an adapter the standard input of its host, and that is the host
// event in a hook and the MCP stream in the gateway. Here stdin is a pipe that
// nothing is ever written to; its end tells the adapter that ctx is gone.
type process struct {
	path string
	dir  string // of the socket, made by go-plugin
	cmd  *exec.Cmd

	stdin          *os.File // our end
	stdout, stderr *os.File
	first          head

	mu     sync.Mutex
	pid    int // 0 before the start
	killed bool

	done chan struct{} // closed once the process is reaped
	err  error         // of Wait, valid after done
}

var _ runner.Runner = (*process)(nil)

func newProcess(path string) *process {
	return &process{path: path, done: make(chan struct{})}
}

// prepare takes over what go-plugin wants to start. cmd carries the environment
// of the handshake and nothing else of use.
func (p *process) prepare(cmd *exec.Cmd, dir string) {
	p.dir = dir
	p.cmd = &exec.Cmd{Path: p.path, Args: []string{p.path}, Env: cmd.Env, Dir: "/", SysProcAttr: processAttributes()}
}

// Start starts the program.
func (p *process) Start(ctx context.Context) error {
	stdin, err := p.pipes()
	if err != nil {
		return err
	}
	started := make(chan error)
	go p.run(started)
	err = <-started
	err = errors.Join(err, stdin.Close(), p.cmd.Stdout.(*os.File).Close(), p.cmd.Stderr.(*os.File).Close())
	if err != nil {
		p.closePipes()
		return err
	}
	p.mu.Lock()
	p.pid = p.cmd.Process.Pid
	late := p.killed // before there was a process to end
	p.mu.Unlock()
	if late {
		return errors.Join(context.Canceled, p.Kill(ctx))
	}
	return nil
}

// pipes makes the three streams and returns the child's end of stdin. They are
// made here and not by exec.Cmd, whose Wait would close them under the reader.
func (p *process) pipes() (stdin *os.File, err error) {
	var files []*os.File
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			for _, f := range files {
				_ = f.Close()
			}
			return nil, err
		}
		files = append(files, r, w)
	}
	p.cmd.Stdin, p.stdin = files[0], files[1]
	p.stdout, p.cmd.Stdout = files[2], files[3]
	p.stderr, p.cmd.Stderr = files[4], files[5]
	return files[0], nil
}

// run starts the process and reaps it, both on one thread that lives as long:
// on Linux the parent of a process, whose death the kernel reports to it, is a
// thread.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err == nil {
		p.err = p.cmd.Wait()
		_ = p.stdin.Close()
	}
	close(p.done)
}

// Wait waits for the end of the process. An end that Kill brought is none of
// its faults.
func (p *process) Wait(context.Context) error {
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return nil
	}
	return p.err
}

// Kill ends the process and all that it started. A process of another session
// that still holds our pipes does not hold us.
func (p *process) Kill(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed = true
	if p.pid == 0 {
		return nil
	}
	if !p.exited() { // else its id may be another's by now
		killGroup(p.pid)
	}
	p.closePipes()
	return nil
}

func (p *process) closePipes() {
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		_ = f.Close() // the second time says so, and that is all there is to it
	}
}

func (p *process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Stdout is the handshake, of which the beginning is kept for an error.
func (p *process) Stdout() io.ReadCloser {
	return stream{p.stdout, io.TeeReader(p.stdout, &p.first)}
}

// Stderr is what the adapter logs.
func (p *process) Stderr() io.ReadCloser { return stream{p.stderr, p.stderr} }

// stream ends where its pipe is closed under it.
type stream struct {
	io.Closer
	r io.Reader
}

func (s stream) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	return n, err
}

// Name is the path of the program.
func (p *process) Name() string { return p.path }

// ID is the process id, "" before there is one.
func (p *process) ID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pid == 0 {
		return ""
	}
	return strconv.Itoa(p.pid)
}

// Diagnose has nothing to add: Open tells the causes apart itself.
func (p *process) Diagnose(context.Context) string { return "" }

// PluginToHost and HostToPlugin: both run in one place, so an address is the
// same for both.
func (p *process) PluginToHost(network, addr string) (string, string, error) {
	return network, addr, nil
}

// HostToPlugin is documented with PluginToHost.
func (p *process) HostToPlugin(network, addr string) (string, string, error) {
	return network, addr, nil
}
