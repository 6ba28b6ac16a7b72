// Package authority says what a caller gets by being allowed to call a tool.
package authority

import "encoding/json"

// Tier is an authority. Higher tiers include lower ones.
type Tier int

const (
	Read        Tier = iota // only observes
	LocalWrite              // changes the user's machine
	RemoteWrite             // changes something elsewhere
	Destructive             // deletes, overwrites, or runs anything
)

// String is the tier's name as every listing and file spells it.
func (t Tier) String() string {
	return [...]string{"read", "local-write", "remote-write", "destructive"}[t]
}

// Declared is the tier that a tool's own annotations claim: readOnlyHint true
// is read, destructiveHint true destructive, and everything else remote-write,
// since an unknown tool must not pass for a harmless one. A tool that claims
// both is taken at the worse word.
func Declared(tool json.RawMessage) Tier {
	var t struct {
		Annotations struct {
			ReadOnly    bool `json:"readOnlyHint"`
			Destructive bool `json:"destructiveHint"`
		} `json:"annotations"`
	}
	// A definition that does not parse claims nothing.
	_ = json.Unmarshal(tool, &t)
	switch {
	case t.Annotations.ReadOnly && !t.Annotations.Destructive:
		return Read
	case t.Annotations.Destructive:
		return Destructive
	default:
		return RemoteWrite
	}
}
