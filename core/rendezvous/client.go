package rendezvous

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/ctx-sidecar/ctx/core/paths"
)

// patience is how long Send waits where its context has no end.
const patience = 1500 * time.Millisecond

// Send hands the request to the gateway of its session and returns what the
// hook must print. It is not handled when no gateway takes it; nothing has
// happened then. It fills in req.Op. A gateway that hangs holds it up until ctx
// ends, or for a moment where that has no end.
func Send(ctx context.Context, l paths.Layout, req Request) (output []byte, handled bool) {
	sockets := candidates(l.Sockets())
	if len(sockets) == 0 {
		return nil, false
	}
	if _, ends := ctx.Deadline(); !ends {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}

	socket, ok := sockets[0], true
	if len(sockets) > 1 {
		req.Op = OpOffer
		socket, ok = choose(offers(ctx, sockets, req))
	}
	if !ok {
		return nil, false
	}
	req.Op = OpHandle
	reply, err := exchange(ctx, socket, req)
	if err != nil || reply.Claim == No {
		return nil, false
	}
	return reply.Output, true
}

// candidates lists the sockets of this process's ancestors, nearest first.
func candidates(dir string) []string {
	if checkFolder(dir) != nil {
		return nil // no gateway of ours listens there
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return nil
	}
	var found []string
	for _, p := range ancestors() {
		for _, e := range entries {
			if pid, start, ok := owner(e.Name()); ok && pid == p.pid && start == p.start {
				found = append(found, filepath.Join(dir, e.Name()))
			}
		}
	}
	return found
}

// offer is what one gateway answered.
type offer struct {
	socket string
	claim  Claim
	silent bool // it is there and did not answer: the session may be its own
}

// choose takes the nearest gateway that is bound to the session; if none is,
// the only one that could be. Between several that could be, there is no
// telling.
func choose(offers []offer) (socket string, ok bool) {
	possible := 0
	for _, o := range offers {
		switch {
		case o.claim == Mine:
			return o.socket, true
		case o.claim == Could:
			socket = o.socket
			possible++
		case o.silent:
			possible++
		}
	}
	return socket, possible == 1 && socket != ""
}

func offers(ctx context.Context, sockets []string, req Request) []offer {
	// Half of the time, so that one gateway that hangs leaves enough to hand
	// the event to another.
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	answers := make([]offer, len(sockets))
	var wg sync.WaitGroup
	for i, socket := range sockets {
		wg.Go(func() {
			reply, err := exchange(ctx, socket, req)
			gone := errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist)
			answers[i] = offer{socket, reply.Claim, err != nil && !gone}
		})
	}
	wg.Wait()
	return answers
}

func exchange(ctx context.Context, socket string, req Request) (Reply, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return Reply{}, err
	}
	defer c.Close()
	if deadline, ok := ctx.Deadline(); ok {
		c.SetDeadline(deadline)
	}
	if err := writeMessage(c, req); err != nil {
		return Reply{}, err
	}
	var reply Reply
	err = readMessage(c, &reply)
	return reply, err
}
