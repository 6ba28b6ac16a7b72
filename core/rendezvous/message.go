// Package rendezvous lets a hook find the gateway of its own session: by a
// Unix socket that is named after the host process both descend from.
package rendezvous

import "context"

// Op is what a hook asks of a gateway.
type Op string

const (
	OpOffer  Op = "offer"  // would you take this event?
	OpHandle Op = "handle" // take it, if it is yours
)

// Request is one host event, as the hook received it.
type Request struct {
	Op      Op       `json:"op"`
	Host    string   `json:"host"`  // the adapter's name
	Event   string   `json:"event"` // from the hook's arguments
	Dir     string   `json:"dir"`   // the hook's working folder
	Env     []string `json:"env"`   // the hook's environment
	Payload []byte   `json:"payload"`
}

// Claim is how far a gateway takes an event for its own.
type Claim int

const (
	No    Claim = iota // another session's, workspace's or host's
	Could              // it may be: nothing speaks against it
	Mine               // of the session that the gateway is bound to
)

// Reply is a gateway's answer. Output is what the hook prints; it counts only
// when the request was to handle the event and Claim is not No.
type Reply struct {
	Claim  Claim  `json:"claim"`
	Output []byte `json:"output,omitempty"`
}

// Handler answers for one gateway. Both methods are called concurrently, each
// on a goroutine of its own, with a context that ends when the hook has gone.
type Handler interface {
	// Offer tells whether the event is the gateway's, and changes nothing.
	Offer(ctx context.Context, req Request) Claim

	// Handle takes the event, if it is the gateway's: it binds the gateway to
	// the session and answers. Reply.Claim is No if it is not; nothing has
	// changed then.
	Handle(ctx context.Context, req Request) Reply
}
