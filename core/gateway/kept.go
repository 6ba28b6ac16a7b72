package gateway

import (
	"encoding/json"
	"fmt"

	"github.com/ctx-sidecar/ctx/core/result"
)

// readID names the tool that reads on in a result that was cut.
const readID = "ctx:read"

func (g *Gateway) readOn(arguments json.RawMessage) json.RawMessage {
	var args struct {
		Handle string `json:"handle"`
		Offset number `json:"offset"`
	}
	if err := json.Unmarshal(arguments, &args); err != nil || args.Handle == "" {
		return refuse(`ctx:read needs {"handle": "...", "offset": 0}`)
	}
	return g.readKept(args.Handle, int(args.Offset))
}

// piece is the answer of ctx:read.
type piece struct {
	Text   string `json:"text"`
	Offset int    `json:"offset"`
	Next   int    `json:"next,omitempty"` // where to read on; absent at the end
	Total  int    `json:"total"`
}

func (g *Gateway) readKept(handle string, offset int) json.RawMessage {
	p, err := g.kept.Read(handle, offset, g.opts.Config.MaxResponseTokens)
	if err != nil {
		return refuse("%v", err)
	}
	text := p.Text
	if p.Next > 0 {
		text += fmt.Sprintf("\n[%d of %d bytes. %s]", p.Next, p.Total, result.ReadOn(handle, p.Next))
	}
	return answer(text, piece(p))
}
