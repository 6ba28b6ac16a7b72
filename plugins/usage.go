package plugins

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// UsageReader is what an adapter can do beside [Adapter] whose host keeps its
// conversations on disk. One that cannot leaves what was used unmeasured.
type UsageReader interface {
	// Usage reads what was used in the conversations of a workspace, as far as
	// the host still has them.
	Usage(ctx context.Context, req UsageRequest) (Usage, error)
}

// ErrNoUsage is the answer of an adapter that is no [UsageReader].
var ErrNoUsage = errors.New("the adapter cannot tell what was used")

// UsageRequest asks for what was used in Workspace.
type UsageRequest struct {
	Machine   Machine
	Workspace string // absolute; conversations in folders below it count as well
}

// Usage is what a host's own records tell.
type Usage struct {
	Uses     []Use
	Sessions int       // conversations that were read, also those that used nothing
	Since    time.Time // when the oldest of them began; zero where there is none
	Unseen   []string  // what was left out, and why
	// Sees are the kinds of which a use would have been seen. Of any other kind
	// nothing is known.
	Sees []surface.Kind
}

// Use is one use of a capability: a call of a tool, a skill that was read, an
// agent that was started.
type Use struct {
	Kind   surface.Kind
	Server string // of a tool
	Name   string
	// Through is true for a call of one of the gateway's own tools that names
	// another: Name is then that name, as the model wrote it, and Server is "".
	Through bool
	Session string
	At      time.Time
	Failed  bool
}

// Usage asks the adapter; see [UsageReader]. The error is [ErrNoUsage] where it
// cannot tell.
func (c *Client) Usage(ctx context.Context, req UsageRequest) (Usage, error) {
	u, err := c.rpc.Usage(ctx, toUsageRequest(req))
	if status.Code(err) == codes.Unimplemented {
		return Usage{}, ErrNoUsage
	}
	return fromUsage(u), c.fail(ctx, "usage", err)
}
