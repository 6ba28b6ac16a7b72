package rendezvous

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ctx-sidecar/ctx/core/paths"
)

const (
	// requestTime is how long a hook may take to send its event. Hooks send it
	// at once; whatever else connects must not hold a goroutine for ever.
	requestTime = 5 * time.Second
	// closeTime is how long Close waits for the events in hand.
	closeTime = 500 * time.Millisecond
	// mostAtOnce bounds the events in hand; a hook beyond it takes the cold path.
	mostAtOnce = 32
)

// Server is a gateway's end of the rendezvous.
type Server struct {
	path    string
	ln      *net.UnixListener
	handler Handler
	slots   chan struct{}
	ctx     context.Context // of every event in hand
	cancel  context.CancelFunc
	wg      sync.WaitGroup
}

// Listen makes the socket under which hooks of the host process hostPID find
// this gateway, and serves it until Close.
func Listen(l paths.Layout, hostPID int, h Handler) (*Server, error) {
	host, err := inspect(hostPID)
	if err != nil {
		return nil, fmt.Errorf("host process %d: %w", hostPID, err)
	}
	dir := l.Sockets()
	if err := makeFolder(dir); err != nil {
		return nil, fmt.Errorf("folder of sockets: %w", err)
	}
	sweep(dir)

	var id [4]byte
	rand.Read(id[:]) // never fails, see crypto/rand
	path := filepath.Join(dir, socketName(host, hex.EncodeToString(id[:])))
	// It gets its name once it answers, lest a sweep take it for a dead one.
	fresh := filepath.Join(dir, "new-"+hex.EncodeToString(id[:]))
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: fresh, Net: "unix"})
	if err != nil {
		return nil, err
	}
	ln.SetUnlinkOnClose(false) // it would look for the first name
	if err := os.Rename(fresh, path); err != nil {
		ln.Close()
		os.Remove(fresh)
		return nil, err
	}
	s := &Server{path: path, ln: ln, handler: h, slots: make(chan struct{}, mostAtOnce)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.wg.Add(1)
	go s.accept()
	return s, nil
}

// Close ends the server and takes the socket away. Events in hand get a moment
// to be answered.
func (s *Server) Close() error {
	err := s.ln.Close()
	os.Remove(s.path)
	done := make(chan struct{})
	go func() { s.wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(closeTime):
	}
	s.cancel()
	return err
}

func (s *Server) accept() {
	defer s.wg.Done()
	for {
		c, err := s.ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // out of descriptors, most likely
			continue
		}
		select {
		case s.slots <- struct{}{}:
			s.wg.Add(1)
			go func() {
				defer s.wg.Done()
				defer func() { <-s.slots }()
				s.serve(c)
			}()
		default:
			c.Close()
		}
	}
}

func (s *Server) serve(c net.Conn) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(requestTime))
	var req Request
	if err := readMessage(c, &req); err != nil {
		return
	}
	c.SetDeadline(time.Time{})

	// A hook says nothing more, so anything read now is that it has gone.
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	go func() {
		c.Read(make([]byte, 1))
		cancel()
	}()

	reply := s.answer(ctx, req)
	c.SetWriteDeadline(time.Now().Add(requestTime))
	// A hook that is gone has taken another path.
	_ = writeMessage(c, reply)
}

// answer keeps a fault in one event from ending the gateway.
func (s *Server) answer(ctx context.Context, req Request) (r Reply) {
	defer func() {
		if recover() != nil {
			r = Reply{Claim: No}
		}
	}()
	switch req.Op {
	case OpOffer:
		return Reply{Claim: s.handler.Offer(ctx, req)}
	case OpHandle:
		return s.handler.Handle(ctx, req)
	default:
		return Reply{Claim: No}
	}
}
