package plugins

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// Pruner is what an adapter can do beside [Adapter] whose host has switches for
// single tools, servers, skills, agents or commands.
type Pruner interface {
	// PlanPrune says which edits of which files switch things off, and which of
	// them no file can. It is pure, as PlanWrap is, and undoing needs no plan.
	PlanPrune(ctx context.Context, req PruneRequest) (PrunePlan, error)
}

// ErrNoPrune is the answer of an adapter that is no [Pruner].
var ErrNoPrune = errors.New("the adapter knows no switch for single things")

// PruneRequest asks for the edits that switch Items off in Workspace.
type PruneRequest struct {
	Machine   Machine
	Workspace string // absolute
	Items     []PruneItem
}

// PruneItem is one thing that the host itself loads, named as in an inventory.
type PruneItem struct {
	Kind     surface.Kind
	Provider string // of a tool its server, of anything else the scope or plugin that it comes from
	Name     string
	File     string // where it is declared; of a tool, where its server is
}

// PrunePlan is the answer to a PruneRequest.
type PrunePlan struct {
	Edits []wiring.Edit
	Notes []string // printed before the edits, one line each
	Stays []Stay   // what the edits do not switch off
}

// Stay is an item that nothing which ctx may edit switches off.
type Stay struct {
	Item int    // index in the request's Items
	Why  string // one clause
}

// PlanPrune asks the adapter; see [Pruner]. The error is [ErrNoPrune] where it
// knows of no switch.
func (c *Client) PlanPrune(ctx context.Context, req PruneRequest) (PrunePlan, error) {
	p, err := c.rpc.PlanPrune(ctx, toPruneRequest(req))
	if status.Code(err) == codes.Unimplemented {
		return PrunePlan{}, ErrNoPrune
	}
	return fromPrunePlan(p), c.fail(ctx, "plan prune", err)
}
