// Package authority judges what a caller gets by being allowed to call a tool.
//
// A judgement is made from what the tool's server says of it: name,
// description, input schema and annotations, each read by words. The words are
// in tables of verbs and nouns; nothing is known of any particular tool. A
// server can lie, so annotations lower nothing, and what is not understood is
// taken for a write elsewhere.
package authority

import (
	"encoding/json"
	"fmt"
)

// Tier is an authority. Higher tiers include lower ones.
type Tier int

const (
	Read        Tier = iota // only observes
	LocalWrite              // changes the user's machine
	RemoteWrite             // changes something elsewhere
	Destructive             // deletes, overwrites, spends, or runs anything
)

var tierNames = [...]string{"read", "local-write", "remote-write", "destructive"}

// Tiers are all tiers, the lowest first.
func Tiers() []Tier { return []Tier{Read, LocalWrite, RemoteWrite, Destructive} }

// String is the tier's name as every listing and file spells it.
func (t Tier) String() string { return tierNames[t] }

// ParseTier reads a tier's name. The error names what was there instead.
func ParseTier(name string) (Tier, error) {
	for i, n := range tierNames {
		if n == name {
			return Tier(i), nil
		}
	}
	return 0, fmt.Errorf("unknown authority %q: it is one of read, local-write, remote-write, destructive", name)
}

// MarshalText is the tier's name.
func (t Tier) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a tier's name.
func (t *Tier) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTier(string(text))
	return err
}

// Source is where a claim was found.
type Source string

const (
	Name        Source = "name"
	Description Source = "description"
	Schema      Source = "schema"
	Annotation  Source = "annotation"
	Server      Source = "server"
)

// Claim is one reason for a tier.
type Claim struct {
	Source     Source  `json:"source"`
	Words      string  `json:"words"` // as they stand there, at most some 60 bytes, in printable characters
	Tier       Tier    `json:"tier"`
	Confidence float64 `json:"confidence"` // 0 to 1
}

// Judgement is a tier with the reasons for it.
type Judgement struct {
	Tier       Tier    `json:"authority"`
	Confidence float64 `json:"confidence"` // 0 to 1; under 0.5 the tier is an assumption
	Evidence   []Claim `json:"evidence"`   // the strongest first; those for other tiers are there, too
}

// Unknown reports whether nothing was found that settles the tier.
func (j Judgement) Unknown() bool { return j.Confidence < 0.5 }

// Definition is what is read of a tool, as MCP's tools/list spells it.
type Definition struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations Annotations     `json:"annotations"`
}

// Annotations are what a server claims of its tool; nil is no claim.
type Annotations struct {
	Title       string `json:"title"`
	ReadOnly    *bool  `json:"readOnlyHint"`
	Destructive *bool  `json:"destructiveHint"`
	OpenWorld   *bool  `json:"openWorldHint"`
}

// JudgeRaw judges a tool as its server sent it. A definition that cannot be
// read is judged by what of it can.
func JudgeRaw(server string, tool json.RawMessage) Judgement {
	var d Definition
	// A member of the wrong type says nothing; the others count.
	_ = json.Unmarshal(tool, &d)
	return Judge(server, d)
}
