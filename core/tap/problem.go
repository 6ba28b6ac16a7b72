package tap

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
)

// Severity is how much a problem costs.
type Severity string

const (
	Error   Severity = "error"   // the part it is about cannot be used
	Warning Severity = "warning" // it can, but not as its author may think
)

// Problem is something in a tap that was not followed, or that its author
// should know.
type Problem struct {
	File     string   `json:"file"`             // absolute path
	Line     int      `json:"line,omitempty"`   // counts from 1; 0: the whole file
	Column   int      `json:"column,omitempty"` // counts from 1, in bytes; 0: the whole line
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"` // a short name: "unknown-key"
	Text     string   `json:"text"`
	Hint     string   `json:"hint,omitempty"`
}

// Position is "FILE:LINE:COLUMN", as far as they are known.
func (p Problem) Position() string {
	s := p.File
	if p.Line > 0 {
		s += ":" + strconv.Itoa(p.Line)
		if p.Column > 0 {
			s += ":" + strconv.Itoa(p.Column)
		}
	}
	return s
}

// String is "FILE:LINE:COLUMN: TEXT (HINT)".
func (p Problem) String() string {
	s := p.Position() + ": " + p.Text
	if p.Hint != "" {
		s += " (" + p.Hint + ")"
	}
	return s
}

// Routing reports whether what prompts lead to may be another than the tap's
// author thinks: p is about which capabilities there are, or about what one says
// of itself, and not about the servers behind it.
func (p Problem) Routing() bool {
	provider := filepath.Ext(p.File) == ".toml" && filepath.Base(p.File) != routingFile
	return !provider || slices.Contains([]string{"syntax", "unreadable", "no-provider", "dangling", "loop", "outside"}, p.Rule)
}

func sortProblems(list []Problem) {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
