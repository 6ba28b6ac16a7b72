package backend

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// Lister is the client that servers see while they are only asked for what they
// list. It does nothing for them but to name its workspace, an absolute path.
type Lister struct {
	Workspace string
	// Declares is what the host declares that they are listed for, a JSON object;
	// nil where that is not known: all that a host may, so that no server keeps a
	// tool back.
	Declares json.RawMessage
}

var _ Client = Lister{}

// allCapabilities are all that a server can ask a host for.
const allCapabilities = `{"elicitation":{},"roots":{"listChanged":true},"sampling":{}}`

// Capabilities implements [Client]. Listings are cached by them.
func (l Lister) Capabilities() json.RawMessage {
	if len(l.Declares) == 0 {
		return json.RawMessage(allCapabilities)
	}
	return l.Declares
}

// Request implements [Client].
func (l Lister) Request(_ context.Context, _, method string, _ json.RawMessage) (json.RawMessage, error) {
	if method == "roots/list" {
		root := url.URL{Scheme: "file", Path: l.Workspace}
		return json.Marshal(map[string]any{"roots": []map[string]string{{"uri": root.String()}}})
	}
	return nil, rpc.Errorf(rpc.CodeMethodNotFound, "ctx only lists what this server offers")
}

// Notify implements [Client].
func (Lister) Notify(string, string, json.RawMessage) {}
