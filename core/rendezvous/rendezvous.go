package rendezvous

import (
	"context"

	"github.com/ctx-sidecar/ctx/core/paths"
)

// Server is a gateway's end of the rendezvous.
type Server struct{}

// Listen makes the socket under which hooks of the host process hostPID find
// this gateway, and serves it until Close.
func Listen(l paths.Layout, hostPID int, h Handler) (*Server, error) {
	return &Server{}, nil
}

// Close ends the server, waits for the events in hand and takes the socket away.
func (s *Server) Close() error { return nil }

// HostPID is the nearest ancestor of this process that is no shell: the host
// program, seen from a server or a hook that it started. 0 when there is none.
func HostPID() int { return 0 }

// Send hands the request to the gateway of its session and returns what the
// hook must print. It is not handled when no gateway takes it.
func Send(ctx context.Context, l paths.Layout, req Request) (output []byte, handled bool) {
	return nil, false
}
