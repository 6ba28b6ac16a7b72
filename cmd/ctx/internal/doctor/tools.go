package doctor

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ctx-sidecar/ctx/core/baseline"
)

// tools names the servers of which tools are held back here until the user
// decides.
func (d *doctor) tools() {
	entries, problems := baseline.Open(d.f.Layout().Baselines(), d.workspace, nil).Entries()
	for _, p := range problems {
		if p.Of(d.workspace) {
			d.add("", "tools", Bad, p.Text, "")
		}
	}
	waits := map[string]int{}
	for _, e := range entries {
		if e.Waits() && e.Of(d.workspace) {
			waits[e.Server]++
		}
	}
	for _, server := range slices.Sorted(maps.Keys(waits)) {
		what := "1 tool was changed by the server and is held back"
		if n := waits[server]; n > 1 {
			what = fmt.Sprintf("%d tools were changed by the server and are held back", n)
		}
		d.add("", "server "+server, Warn, what, "ctx trust list, then ctx trust diff and approve "+server+":TOOL")
	}
}
