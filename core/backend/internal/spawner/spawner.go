// Package spawner is the process that is the parent of every stdio server. It
// lives until its gateway is gone, however that came about, and then ends all
// that it started.
package spawner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// Name is the spawner's argv[0], by which it is recognised, and its process
	// name: whoever kills the gateway by name must not hit the one that cleans
	// up after it.
	Name = "ctx-backends"

	// ControlFD is the spawner's end of the socket pair.
	ControlFD = 3

	termGrace = 1500 * time.Millisecond // between asking all to end and making them
	giveUp    = time.Minute             // for processes that not even SIGKILL ends
)

// A spawner is a process that runs the same executable as its gateway and needs
// next to nothing of it. It takes over here and not in main, since what all the
// other packages prepare before main takes longer than starting a server does.
// That this package is initialised early follows from how little it imports.
func init() {
	if len(os.Args) != 1 || os.Args[0] != Name {
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	syscall.Exit(0) // os.Exit would wait a second under the race detector, and the gateway waits for this
}

func run() error {
	// A child's parent-death signal is bound to the thread that forked it, so
	// all forking happens on this one, which lives as long as the process.
	runtime.LockOSThread()
	unix.CloseOnExec(ControlFD)
	f := os.NewFile(ControlFD, "control")
	conn, err := net.FileConn(f)
	if err != nil {
		return fmt.Errorf("%s is started by ctx-gateway alone: %w", Name, err)
	}
	f.Close()
	control, ok := conn.(*net.UnixConn)
	if !ok {
		return errors.New("the control connection is no socket pair")
	}
	if err := adoptOrphans(); err != nil {
		return err
	}
	// Notify and not Ignore: an ignored signal would stay ignored in every child.
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	dead := make(chan os.Signal, 1) // one pending SIGCHLD stands for all
	signal.Notify(dead, syscall.SIGCHLD)
	s := &spawnServer{control: control, leaders: map[int]int{}}
	orders := make(chan received)
	go receive(control, orders)
	for {
		select {
		case o, open := <-orders:
			if !open {
				s.endAll()
				return nil
			}
			s.obey(o)
		case <-dead:
			s.reap()
		case sig := <-signals:
			if sig == syscall.SIGTERM {
				s.endAll()
				return nil
			}
		}
	}
}

// received is an order with the files that came with it.
type received struct {
	Order
	files []*os.File
}

// receive reads orders until the gateway's end closes. The files of a start
// arrive with the first byte of its line.
func receive(control *net.UnixConn, orders chan<- received) {
	defer close(orders)
	var pending []byte
	var files []*os.File
	buf, oob := make([]byte, 64<<10), make([]byte, unix.CmsgSpace(3*4))
	for {
		n, oobn, _, _, err := control.ReadMsgUnix(buf, oob)
		if err != nil || (n == 0 && oobn == 0) {
			return
		}
		files = append(files, filesIn(oob[:oobn])...)
		pending = append(pending, buf[:n]...)
		for {
			line, rest, whole := bytes.Cut(pending, []byte("\n"))
			if !whole {
				break
			}
			pending = slices.Clone(rest)
			var o received
			if err := json.Unmarshal(line, &o.Order); err != nil {
				return // not our gateway
			}
			if o.Op == "start" && len(files) >= 3 {
				o.files, files = files[:3], files[3:]
			}
			orders <- o
		}
	}
}

func filesIn(oob []byte) []*os.File {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	var files []*os.File
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "passed"))
		}
	}
	return files
}

// spawnServer is the spawner's state. It belongs to one goroutine.
type spawnServer struct {
	control io.Writer
	leaders map[int]int // process id, which is the group's too -> key
}

func (s *spawnServer) obey(o received) {
	switch o.Op {
	case "start":
		s.start(o)
	case "signal":
		for pid, key := range s.leaders {
			if key == o.Key {
				signalTree(pid, syscall.Signal(o.Signal))
			}
		}
	}
}

func (s *spawnServer) start(o received) {
	defer func() {
		for _, f := range o.files {
			f.Close()
		}
	}()
	if len(o.files) != 3 {
		s.tell(Event{Op: "failed", Key: o.Key, What: "no stdio came with the order"})
		return
	}
	fds := []uintptr{o.files[0].Fd(), o.files[1].Fd(), o.files[2].Fd()}
	pid, err := syscall.ForkExec(string(o.Path), toStrings(o.Args), &syscall.ProcAttr{
		Dir: string(o.Dir), Env: toStrings(o.Env), Files: fds, Sys: childAttr(),
	})
	if err != nil {
		e := Event{Op: "failed", Key: o.Key, What: err.Error()}
		var errno syscall.Errno
		if errors.As(err, &errno) {
			e.Errno = int(errno)
		}
		s.tell(e)
		return
	}
	s.leaders[pid] = o.Key
	s.tell(Event{Op: "started", Key: o.Key, PID: pid})
}

// reap collects every child that has ended, adopted ones too, and reports
// whether any are left.
func (s *spawnServer) reap() (left bool) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid == 0 {
			return err == nil
		}
		key, ok := s.leaders[pid]
		if !ok {
			continue
		}
		delete(s.leaders, pid)
		// A server whose first process is gone is over for its client: what is
		// left of its group holds on to its pipes and nothing else.
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		s.tell(Event{Op: "exited", Key: key, What: describe(status)})
	}
}

func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		return "signal: " + status.Signal().String()
	}
	return fmt.Sprintf("exit status %d", status.ExitStatus())
}

// endAll ends every process that descends from this one: it asks, and then
// makes them, until none is left.
func (s *spawnServer) endAll() {
	groups := make([]int, 0, len(s.leaders))
	for pid := range s.leaders {
		groups = append(groups, pid)
	}
	signalAll(groups, syscall.SIGTERM)
	began := time.Now()
	for s.reap() || groupsLeft(groups) {
		switch passed := time.Since(began); {
		case passed > giveUp:
			return
		case passed > termGrace:
			signalAll(groups, syscall.SIGKILL)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// tell reports to the gateway. That it is gone shows elsewhere.
func (s *spawnServer) tell(e Event) {
	b, err := json.Marshal(e)
	if err != nil {
		panic("spawner: strings and numbers always marshal: " + err.Error())
	}
	_, _ = s.control.Write(append(b, '\n'))
}
