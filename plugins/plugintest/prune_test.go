package plugintest

import (
	"context"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

type (
	boastful  struct{ sound } // says that it switches everything off, and does nothing
	careless  struct{ sound } // edits what is not its own, and does not say why
	pointless struct{ sound } // keeps what nobody asked about
	restless  struct {        // plans otherwise each time
		sound
		n *int
	}
)

func (boastful) PlanPrune(context.Context, plugins.PruneRequest) (plugins.PrunePlan, error) {
	return plugins.PrunePlan{}, nil
}

func (careless) PlanPrune(context.Context, plugins.PruneRequest) (plugins.PrunePlan, error) {
	return plugins.PrunePlan{Edits: []wiring.Edit{{Path: "/etc/hosts", Format: wiring.Lines}}}, nil
}

func (pointless) PlanPrune(_ context.Context, req plugins.PruneRequest) (plugins.PrunePlan, error) {
	return plugins.PrunePlan{Stays: []plugins.Stay{{Item: len(req.Items), Why: "x"}}}, nil
}

func (r restless) PlanPrune(context.Context, plugins.PruneRequest) (plugins.PrunePlan, error) {
	*r.n++
	return plugins.PrunePlan{Notes: make([]string, *r.n)}, nil
}

func TestFaultsOfPruningAreFound(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		adapter plugins.Adapter
		want    string
	}{
		"nothing is off":      {boastful{}, "is switched off, and is read as loaded"},
		"an edit elsewhere":   {careless{}, `"/etc/hosts" is neither`},
		"a stay of none":      {pointless{}, "is about none of"},
		"plans that change":   {restless{n: new(int)}, "a second call plans otherwise"},
		"no pruner, no fault": {sound{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := faults(t, tt.adapter, "prune")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("no word of %q in:\n%.2000s", tt.want, got)
			}
		})
	}
}
