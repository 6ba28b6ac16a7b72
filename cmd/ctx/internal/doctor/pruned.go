package doctor

import (
	"fmt"

	"github.com/ctx-sidecar/ctx/core/prune"
)

// pruned counts what ctx prune has taken out of each host.
func (d *doctor) pruned() {
	r, _, err := prune.Load(d.f.Layout(), d.workspace)
	if err != nil {
		d.add("", "pruned", Warn, err.Error(), "ctx prune --undo puts back what files were changed for; then prune again")
	}
	for _, h := range r.Hosts {
		all := len(r.Pruned(h.Host))
		if all == 0 {
			continue
		}
		behind := r.Behind(h.Host)
		d.add(h.Host, "pruned", Note, fmt.Sprintf("%d by ctx-gateway, %d in the host's own files", behind, all-behind), "ctx prune --undo puts it all back")
	}
}
