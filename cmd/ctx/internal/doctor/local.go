package doctor

import (
	"fmt"

	"github.com/ctx-sidecar/ctx/core/localtool"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// local names the workspace's own tools that are not served, and the files that
// are no tools.
func (d *doctor) local() {
	state := localtool.OpenShelf(d.workspace, d.trust).State()
	for _, p := range state.Problems {
		d.add("", "local tools", Warn, p.Position()+": "+p.Text, p.Hint)
	}
	for _, w := range state.Waiting {
		d.add("", "tool "+w.ID(), Warn, fmt.Sprintf("%s, and waits for your approval: it is not served", novelty(w.Status)), "ctx trust diff "+w.ID()+", then ctx trust approve "+w.ID())
	}
	if n := len(state.Approved); n > 0 {
		d.add("", "local tools", Good, fmt.Sprintf("%d approved", n), "")
	}
}

// novelty says why something waits.
func novelty(s trust.Status) string {
	if s == trust.Unknown {
		return "new"
	}
	return string(s)
}
