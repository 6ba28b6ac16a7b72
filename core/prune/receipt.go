// Package prune keeps what the user has taken out of what a host loads in a
// workspace: what goes by rule, what stays and why, and what was decided.
// Pruning can only take away.
package prune

import (
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// Schema is the format of receipts of this version.
const Schema = "ctx.prune/v1"

// Receipt is what was decided in one workspace.
type Receipt struct {
	Schema    string        `json:"schema"`
	Workspace string        `json:"workspace"`
	Hosts     []HostReceipt `json:"hosts"`
}

// HostReceipt is what was decided for one host.
type HostReceipt struct {
	Host        string     `json:"host"`
	At          time.Time  `json:"at"` // when it last changed
	Interactive bool       `json:"interactive"`
	Tokens      Tokens     `json:"tokens_per_request"`
	Decisions   []Decision `json:"decisions"`
}

// Tokens are those of one request, as they were counted when it was decided.
type Tokens struct {
	Before int `json:"before"`
	After  int `json:"after"`
	Saved  int `json:"saved"`
}

// Who decided.
const (
	ByRule = "rule"
	ByUser = "user"
)

// Where a capability is held back.
const (
	AtGateway = "gateway" // ctx-gateway does not show it
	AtHost    = "host"    // the host's own configuration switches it off
)

// Decision is what becomes of one capability.
type Decision struct {
	ID       string       `json:"id"`
	Kind     surface.Kind `json:"kind"`
	Provider string       `json:"provider"` // as of an inventory's record
	Name     string       `json:"name"`
	File     string       `json:"file,omitempty"` // where it is declared
	Keep     bool         `json:"keep"`           // false: pruned
	By       string       `json:"by"`
	Why      string       `json:"why"`
	Where    string       `json:"where,omitempty"` // of what is pruned

	Tokens      int       `json:"tokens"` // in every request, before
	Authority   string    `json:"authority,omitempty"`
	Invocations *int      `json:"invocations"` // null: nothing could see it
	Level       string    `json:"level"`
	At          time.Time `json:"at"`
}

// Server is the server that a decision is about, or about whose tool; "" for
// anything else.
func (d Decision) Server() string {
	switch d.Kind {
	case surface.KindServer:
		return d.Name
	case surface.KindTool:
		return d.Provider
	}
	return ""
}

// Of returns what was decided for a host, nil where nothing was.
func (r *Receipt) Of(host string) *HostReceipt {
	for i := range r.Hosts {
		if r.Hosts[i].Host == host {
			return &r.Hosts[i]
		}
	}
	return nil
}

// Pruned are the decisions of a host that take something away.
func (r *Receipt) Pruned(host string) []Decision {
	h := r.Of(host)
	if h == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(h.Decisions), func(d Decision) bool { return d.Keep })
}

// Behind is how many things are held back by ctx-gateway alone.
func (r *Receipt) Behind(host string) int {
	n := 0
	for _, d := range r.Pruned(host) {
		if d.Where == AtGateway {
			n++
		}
	}
	return n
}

// IDs are those of all that was decided about.
func (h *HostReceipt) IDs() []string {
	if h == nil {
		return nil
	}
	ids := make([]string, len(h.Decisions))
	for i, d := range h.Decisions {
		ids[i] = d.ID
	}
	return ids
}

// Find returns the decision on an id, nil where there is none.
func (h *HostReceipt) Find(id string) *Decision {
	if h == nil {
		return nil
	}
	for i := range h.Decisions {
		if h.Decisions[i].ID == id {
			return &h.Decisions[i]
		}
	}
	return nil
}

// Apply adds what is pruned to what a host's configuration says: a deny rule for
// each tool and server that ctx-gateway stands before. What the host loads
// itself is not touched by it, for there the host's own files decide.
func (r *Receipt) Apply(s surface.Sources, fronted []string, place string) surface.Sources {
	s.Files = append(slices.Clone(s.Files), place)
	rules := slices.Clone(s.Rules)
	for _, d := range r.Pruned(s.Host) {
		rule := surface.Rule{
			Effect: surface.EffectDeny, Server: d.Server(), Tool: d.Name,
			Text: "of ctx prune on " + d.ID, Place: surface.Place{File: place, Line: 1},
		}
		if d.Kind == surface.KindServer {
			rule.Tool = "*"
		}
		if slices.Contains(fronted, rule.Server) {
			rules = append(rules, rule)
		}
	}
	s.Rules = rules
	return s
}
