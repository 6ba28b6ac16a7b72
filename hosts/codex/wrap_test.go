package main

import (
	"context"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/hosts/internal/hometest"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Each fixture is a home and a workspace, what is to be fronted (front=, or
// hooks-only), and the plan.
func TestPlansOfWholeHomes(t *testing.T) {
	t.Parallel()
	hometest.Each(t, "testdata/wrap/*.txtar", func(t *testing.T, f *hometest.Fixture) {
		_, hooksOnly := f.Args["hooks-only"]
		req := plugins.WrapRequest{
			Machine:    f.Machine(),
			Workspace:  f.Workspace(),
			Gateway:    !hooksOnly,
			Front:      f.Args["front"],
			Hook:       "/opt/ctx/bin/ctx-hook",
			GatewayBin: "/opt/ctx/bin/ctx-gateway",
		}
		if hook := f.Arg("hook"); hook != "" {
			req.Hook = strings.ReplaceAll(hook, "_", " ")
		}
		f.Compare(t, "want.json", hometest.ReadPlan(fixtureAdapter(f).PlanWrap(context.Background(), req)))
	})
}
