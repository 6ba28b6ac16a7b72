package backend

import (
	"context"
	"encoding/json"
)

// link is a conversation with a server, over whatever transport.
type link interface {
	// Call sends a request and waits for its result; see [rpc.Conn.Call].
	Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	Notify(method string, params json.RawMessage) error

	// Closed is closed when no further call can be made. Soon after that done
	// is closed, and why says how the conversation ended.
	Closed() <-chan struct{}
	done() <-chan struct{}
	why() error

	// close ends the conversation and waits for what belongs to it to end.
	close()

	pid() int      // of the server's process; 0 where there is none
	words() string // the last that it wrote to stderr
}

// events takes what a server begins by itself.
type events interface {
	request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	notification(method string, params json.RawMessage)
}
