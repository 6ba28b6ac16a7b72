// Package inventory is everything that a host places, or could place, before its
// model in one workspace, a record for each capability: what it costs, what it
// may do, whether it was used, what it needs, and how early it should be seen.
package inventory

import (
	"encoding/json"
	"time"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Record is one capability.
type Record struct {
	ID       string        `json:"id"` // "kind:provider:name", stable across runs
	Kind     surface.Kind  `json:"kind"`
	Provider string        `json:"provider"` // of a tool its server, of anything else the scope or plugin that it comes from
	Name     string        `json:"name"`
	Place    surface.Place `json:"place"` // where it is declared; of a tool, where its server is
	Standing Standing      `json:"standing"`
	Why      string        `json:"why,omitempty"` // for a standing other than loaded

	Cost surface.Cost `json:"cost"` // as things stand: nothing is resident of what is not loaded
	// Direct is what it costs where the host loads it itself; the same as Cost
	// unless it is held back or off.
	Direct surface.Cost `json:"direct"`
	// Unmeasured says why Cost or a part of it is not known, "" where it is.
	Unmeasured string `json:"unmeasured,omitempty"`
	Unsent     int    `json:"unsent_bytes,omitempty"` // of a tool's definition: output schema and annotations, which no model is sent

	Authority *authority.Judgement `json:"authority,omitempty"` // of tools alone
	Family    surface.Family       `json:"family,omitempty"`    // of tools alone
	Use       Use                  `json:"use"`
	Level     Level                `json:"level"`

	// Leaks is what its texts give away, hide or ask of the model. ctx's own, and
	// what the host never reads, are not looked into.
	Leaks []Leak `json:"leakage,omitempty"`

	Provides []string `json:"provides,omitempty"` // what a tool can do, as "verb object" by the words of its name
	Requires []Need   `json:"requires,omitempty"` // what a prose refers to

	Own bool `json:"own,omitempty"` // ctx's own

	Says string `json:"-"` // of a tool, the first sentence of its description

	text       string          // of prose, as far as it was read; of a server, its instructions
	definition json.RawMessage // of a tool, as its server sent it
	denied     []string        // of a server: tools that the user's rules take away

	sessions map[string]SessionUse // those that used it
}

// Standing is what the host does with a capability.
type Standing string

const (
	Loaded    Standing = "loaded"
	HeldBack  Standing = "held back"  // behind ctx-gateway
	Off       Standing = "off"        // the user switched it off
	NotLoaded Standing = "not loaded" // the host never reads it
)

// Prose reports whether a record is text that is read, not a tool that acts:
// prose has no authority of its own.
func (r Record) Prose() bool {
	switch r.Kind {
	case surface.KindServer, surface.KindTool, surface.KindHook, surface.KindPlugin:
		return false
	}
	return true
}

// Use is what is known of a capability's use.
type Use struct {
	// Measured is false where nothing could have seen it: that is not unused.
	Measured bool `json:"measured"`

	Calls    int       `json:"calls"`
	Failed   int       `json:"failed"`
	Sessions int       `json:"sessions"`      // in which it was used
	Of       int       `json:"of_sessions"`   // that were seen
	Last     time.Time `json:"last,omitzero"` // when it was last used
}

// SessionUse is the use of a capability in one session.
type SessionUse struct {
	Session string    `json:"session"`
	Calls   int       `json:"calls"`
	Failed  int       `json:"failed"`
	First   time.Time `json:"first,omitzero"`
	Last    time.Time `json:"last,omitzero"`
}

// Unused reports whether it is known that it was never used.
func (u Use) Unused() bool { return u.Measured && u.Calls == 0 }

// Need is something that a text refers to.
type Need struct {
	ID     string        `json:"id"`              // the record it means; of what is not there, "mcp_server::NAME" or "mcp_tool:SERVER:NAME"
	Text   string        `json:"text"`            // as it is written
	Place  surface.Place `json:"place"`           // where
	Broken string        `json:"broken"`          // why nothing answers to it, "" where something does
	Loose  bool          `json:"loose,omitempty"` // by a bare name, which may be a word of the text's own: nothing breaks without it
}

// Inventory is the records of one host in one workspace.
type Inventory struct {
	Host     string          `json:"host"`
	Loading  surface.Loading `json:"loading"`
	Families int             `json:"families_version"`
	Records  []Record        `json:"records"` // the heaviest in resident tokens first

	Total  surface.Cost       `json:"total"`
	Kinds  []surface.KindCost `json:"kinds"`
	Around []Around           `json:"around"` // the host's own words around records, sent because they are there

	Unseen   []string `json:"unseen"`   // what nobody here can see
	Warnings []string `json:"warnings"` // what could not be read
}

// Around is what the host writes around all records of one kind.
type Around struct {
	Kind surface.Kind `json:"kind"`
	Cost surface.Cost `json:"cost"`
}

// Find returns the record with an id, nil where there is none.
func (inv *Inventory) Find(id string) *Record {
	for i := range inv.Records {
		if inv.Records[i].ID == id {
			return &inv.Records[i]
		}
	}
	return nil
}
