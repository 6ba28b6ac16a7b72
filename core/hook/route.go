package hook

import (
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Routing is a prompt that the hook has routed by another program, on the
// stdin of "ctx-gateway route", since what that takes would weigh on every
// hook. The answer is a line for the model, or nothing. The program ends when
// its stdin does.
type Routing struct {
	Session string          `json:"session"`
	Title   string          `json:"title,omitempty"` // of the conversation
	Prompt  string          `json:"prompt"`
	Sources surface.Sources `json:"sources"`
	Model   time.Time       `json:"model"` // until when the sentence model may take
	Until   time.Time       `json:"until"` // from when on nobody listens to an answer
}

// Served reports whether the host loads ctx-gateway, so that what is brought
// into a conversation there can be called.
func Served(s surface.Sources) bool {
	g := gate.New(s)
	return slices.ContainsFunc(s.Servers, func(srv surface.Server) bool {
		return srv.Own && !srv.Disabled && g.AdmitsServer(srv.Name)
	})
}

// mostContext is the size in bytes of what a hook may say.
const mostContext = 1200

// Join puts a line below what a hook says, of which the end goes where both do
// not fit.
func Join(text, line string) string {
	if text == "" || line == "" {
		return text + line
	}
	room := mostContext - len(line) - len("\n")
	return text[:min(len(text), room)] + "\n" + line
}
