package backend

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

// Lister is the client that servers see while they are only asked for what they
// list. It declares all that a host may, so that no server keeps a tool back,
// and does none of it but to name its workspace, an absolute path.
type Lister struct{ Workspace string }

var _ Client = Lister{}

// ListerCapabilities is what a [Lister] declares, as listings are cached by it.
const ListerCapabilities = `{"elicitation":{},"roots":{"listChanged":true},"sampling":{}}`

// Capabilities implements [Client].
func (Lister) Capabilities() json.RawMessage { return json.RawMessage(ListerCapabilities) }

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
