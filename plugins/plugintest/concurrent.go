package plugintest

import (
	"reflect"
	"sync"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// concurrent asks everything at once, of every machine; the race detector
// watches an adapter in this process.
func (k *kit) concurrent() {
	var calls sync.WaitGroup
	for _, w := range k.worlds() {
		want, ok := k.read(w)
		if !ok {
			continue
		}
		for range 8 {
			calls.Go(func() { k.everything(w, want) })
		}
	}
	calls.Wait()
}

func (k *kit) everything(w world, want surface.Sources) {
	k.survives("a concurrent call", func() {
		if _, err := k.adapter.Detect(k.ctx, w.machine); err != nil {
			k.fail("%s: Detect among other calls: %v", w.name, err)
		}
		for _, spec := range k.description().Events {
			if _, err := k.adapter.Decode(k.ctx, w.event(spec)); err != nil {
				k.fail("%s: Decode among other calls: %v", w.name, err)
			}
		}
		got, err := k.adapter.Sources(k.ctx, w.sources())
		if err != nil || !reflect.DeepEqual(got, want) {
			k.fail("%s: Sources among other calls: %+v, %v", w.name, got, err)
		}
		_, err = k.adapter.PlanWrap(k.ctx, plugins.WrapRequest{
			Machine: w.machine, Workspace: w.workspace, Scope: surface.ScopeProject, Gateway: true,
			Front: frontable(want), Hook: hookBin, GatewayBin: gatewayBin,
		})
		if err != nil {
			k.fail("%s: PlanWrap among other calls: %v", w.name, err)
		}
	})
}
