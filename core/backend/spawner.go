package backend

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ctx-sidecar/ctx/core/backend/internal/spawner"
)

var errSpawnerGone = errors.New("the process that starts servers has ended")

// spawnerProcess is the gateway's end of the spawner process.
type spawnerProcess struct {
	control *net.UnixConn
	process *exec.Cmd
	gone    chan struct{} // closed when the process no longer answers
	ended   chan struct{} // closed when it has ended

	mu       sync.Mutex
	last     int
	children map[int]*child
}

// startSpawner starts this executable once more, as the spawner.
func startSpawner() (*spawnerProcess, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("socket pair: %w", err)
	}
	defer theirs.Close()
	conn, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		return nil, err
	}
	self := "/proc/self/exe" // holds also when an upgrade has replaced the file
	if runtime.GOOS != "linux" {
		if self, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	// Without the gateway's environment, which may hold secrets, and in a
	// session of its own, where no signal of the user's terminal reaches it.
	cmd := &exec.Cmd{
		Path: self, Args: []string{spawner.Name}, Env: []string{}, Dir: "/",
		ExtraFiles:  []*os.File{theirs},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		conn.Close()
		return nil, err
	}
	s := &spawnerProcess{
		control: conn.(*net.UnixConn), process: cmd, children: map[int]*child{},
		gone: make(chan struct{}), ended: make(chan struct{}),
	}
	go s.listen()
	return s, nil
}

func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // no fork may come before both are marked
	defer syscall.ForkLock.RUnlock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	return os.NewFile(uintptr(fds[0]), "control"), os.NewFile(uintptr(fds[1]), "control"), nil
}

func toBytes(s []string) [][]byte {
	b := make([][]byte, len(s))
	for i := range s {
		b[i] = []byte(s[i])
	}
	return b
}

// launch says how to start a server: everything expanded and resolved.
type launch struct {
	path string
	args []string // args[0] included
	env  []string
	dir  string
}

// child is a server process, or one that prints headers.
type child struct {
	stdin, stdout, stderr *os.File
	pid                   int
	exited                chan struct{} // closed when the process has ended
	status                string        // how it ended; for after exited

	key     int
	spawner *spawnerProcess
	started chan spawner.Event
}

// start runs a program below the spawner.
func (s *spawnerProcess) start(ctx context.Context, l launch) (*child, error) {
	c, theirs, err := newChild()
	if err != nil {
		return nil, err
	}
	defer closeAll(theirs)
	s.mu.Lock()
	s.last++
	c.key, c.spawner = s.last, s
	s.children[c.key] = c
	err = s.send(spawner.Order{
		Op: "start", Key: c.key, Path: []byte(l.path), Args: toBytes(l.args), Env: toBytes(l.env), Dir: []byte(l.dir),
	}, theirs)
	s.mu.Unlock()
	if err != nil {
		s.drop(c)
		return nil, fmt.Errorf("%w: %w", errSpawnerGone, err)
	}
	select {
	case e := <-c.started:
		if e.Op == "failed" {
			s.drop(c)
			if e.Errno != 0 {
				return nil, syscall.Errno(e.Errno)
			}
			return nil, errors.New(e.What)
		}
		return c, nil
	case <-s.gone:
		s.drop(c)
		return nil, errSpawnerGone
	case <-ctx.Done():
		c.signal(syscall.SIGKILL) // orders are obeyed in turn: after the start
		s.drop(c)
		return nil, context.Cause(ctx)
	}
}

func (s *spawnerProcess) drop(c *child) {
	s.mu.Lock()
	delete(s.children, c.key)
	s.mu.Unlock()
	c.closePipes()
}

// newChild makes the pipes of a child. The ends that it gets block, as programs
// expect of their stdio.
func newChild() (*child, []*os.File, error) {
	var all []*os.File
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(all)
			return nil, nil, err
		}
		all = append(all, r, w)
	}
	theirs := []*os.File{all[0], all[3], all[5]}
	for _, f := range theirs {
		if err := unix.SetNonblock(int(f.Fd()), false); err != nil {
			closeAll(all)
			return nil, nil, err
		}
	}
	c := &child{
		stdin: all[1], stdout: all[2], stderr: all[4],
		exited: make(chan struct{}), started: make(chan spawner.Event, 1),
	}
	return c, theirs, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

func (c *child) closePipes() { closeAll([]*os.File{c.stdin, c.stdout, c.stderr}) }

// signal signals the child's process group and what descends from it.
func (c *child) signal(sig syscall.Signal) {
	c.spawner.mu.Lock()
	defer c.spawner.mu.Unlock()
	// A spawner that is gone has taken the child along.
	_ = c.spawner.send(spawner.Order{Op: "signal", Key: c.key, Signal: int(sig)}, nil)
}

// stop ends the child: end of input, a second later SIGTERM, another second
// later SIGKILL.
func (c *child) stop() {
	c.stdin.Close()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-c.exited:
			return
		case <-time.After(time.Second):
			c.signal(sig)
		}
	}
	select {
	case <-c.exited:
	case <-time.After(time.Second): // nothing more can be done here; the spawner goes on
	}
}

// send needs mu: a line must not be torn, nor parted from its files.
func (s *spawnerProcess) send(o spawner.Order, files []*os.File) error {
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	b = append(b, '\n')
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = unix.UnixRights(fds...)
	}
	n, _, err := s.control.WriteMsgUnix(b, rights, nil)
	if err != nil {
		return err
	}
	_, err = s.control.Write(b[n:])
	return err
}

// listen takes events until the spawner is gone; with it are its children.
func (s *spawnerProcess) listen() {
	in := bufio.NewScanner(s.control)
	for in.Scan() {
		var e spawner.Event
		if json.Unmarshal(in.Bytes(), &e) != nil {
			break
		}
		s.mu.Lock()
		c := s.children[e.Key]
		if e.Op == "exited" {
			delete(s.children, e.Key)
		}
		s.mu.Unlock()
		switch {
		case c == nil:
		case e.Op == "exited":
			c.status = e.What
			close(c.exited)
		default:
			c.pid = e.PID
			c.started <- e
		}
	}
	close(s.gone)
	s.mu.Lock()
	for key, c := range s.children {
		delete(s.children, key)
		if c.pid > 0 {
			_ = syscall.Kill(-c.pid, syscall.SIGKILL) // a killed spawner could end no grandchildren
		}
		c.status = errSpawnerGone.Error()
		close(c.exited)
	}
	s.mu.Unlock()
	_ = s.process.Wait() // collects it; how it ended is of no use
	close(s.ended)
}

// close lets go of the spawner, which then ends whatever is left, and waits for
// it.
func (s *spawnerProcess) close() {
	s.control.Close()
	select {
	case <-s.ended:
	case <-time.After(5 * time.Second):
	}
}
