package hometest

import (
	"strings"

	"github.com/ctx-sidecar/ctx/plugins"
)

// Plan is a plan in a form for people: each splice one line.
type Plan struct {
	Edits []Edit   `json:"edits,omitempty"`
	Notes []string `json:"notes,omitempty"`
	Next  []string `json:"next,omitempty"`
	Error string   `json:"error,omitempty"`
}

// Edit is what happens to one file.
type Edit struct {
	Path    string   `json:"path"`
	Format  string   `json:"format"`
	Ops     []string `json:"ops"`
	Why     string   `json:"why"`
	Exclude bool     `json:"exclude,omitempty"`
	Tracked string   `json:"tracked,omitempty"`
}

// ReadPlan makes a plan readable.
func ReadPlan(plan plugins.WrapPlan, err error) Plan {
	if err != nil {
		return Plan{Error: err.Error()}
	}
	p := Plan{Notes: plan.Notes, Next: plan.Next}
	for _, e := range plan.Edits {
		r := Edit{Path: e.Path, Format: string(e.Format), Why: e.Why, Exclude: e.Exclude, Tracked: e.Tracked}
		for _, op := range e.Ops {
			text := string(op.Kind) + " " + strings.Join(op.Path, " / ") + " = " + string(op.Value)
			if op.Existing {
				text += " (existing alone)"
			}
			r.Ops = append(r.Ops, text)
		}
		p.Edits = append(p.Edits, r)
	}
	return p
}
