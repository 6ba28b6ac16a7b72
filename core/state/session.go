// Package state keeps what ctx remembers of one conversation: whether it was
// advised, what was revealed in it, what it used. Never what the user said.
package state

import "time"

// Schema is the format that session files of this version have.
const Schema = "ctx.session/v1"

// ScratchPrefix starts the id of a session that is none: a trial of the wiring,
// whose calls do not count as use and which starts nothing that outlives it.
const ScratchPrefix = "ctx-doctor-"

// Session is one conversation. Tools are named by their id, "server:tool".
type Session struct {
	Schema    string     `json:"schema"`
	ID        string     `json:"id"`
	Host      string     `json:"host,omitempty"`
	Workspace string     `json:"workspace,omitempty"`
	Started   time.Time  `json:"started"`
	Ended     *time.Time `json:"ended,omitempty"`
	Advised   bool       `json:"advised"`            // the advisory has been given
	Revealed  []string   `json:"revealed,omitempty"` // tools or families shown at the model's wish, in that order
	Hidden    []string   `json:"hidden,omitempty"`   // families that are not listed until they are revealed or used
	Relevant  []string   `json:"relevant,omitempty"` // tools that fit the current prompt, best first
	Used      []string   `json:"used,omitempty"`     // tools called, latest last

	// Capabilities are those that are active, the least recently used first.
	Capabilities []Capability `json:"capabilities,omitempty"`
	// Skills are those that are enabled, oldest first.
	Skills []Skill `json:"skills,omitempty"`
	// Preloaded says that the capabilities and skills were enabled with which the
	// user wants each conversation to begin.
	Preloaded bool `json:"preloaded,omitempty"`
	// Wanted is what processes that cannot start servers ask the session's
	// gateway to do, oldest first.
	Wanted []Want `json:"wanted,omitempty"`
}

// Capability is an active capability of a tap.
type Capability struct {
	Ref string   `json:"ref"`          // "ORG/NAME"
	By  []string `json:"by,omitempty"` // for whose sake: "user", "model", "prompt", "preload", "skill:NAME"
}

// Skill is a skill that is enabled.
type Skill struct {
	Name string `json:"name"`
	By   string `json:"by"`             // "user", "model", "prompt", "preload"
	Told bool   `json:"told,omitempty"` // the model has been told of it
}

// Want is a wish to have a capability active, or not to.
type Want struct {
	Ref string `json:"ref"`
	By  string `json:"by,omitempty"`
	Off bool   `json:"off,omitempty"`
}
