package main

import (
	"context"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/hosts/internal/hometest"
	"github.com/ctx-sidecar/ctx/plugins"
)

func TestSourcesOfWholeHomes(t *testing.T) {
	t.Parallel()
	hometest.Each(t, "testdata/sources/*.txtar", func(t *testing.T, f *hometest.Fixture) {
		got, err := adapter{}.Sources(context.Background(), plugins.SourcesRequest{
			Machine: f.Machine(), Workspace: f.Workspace(), Fronted: f.Args["fronted"],
		})
		if err != nil {
			t.Fatal(err)
		}
		f.Compare(t, "want.json", struct {
			Servers  []surface.Server `json:"servers"`
			Items    []surface.Item   `json:"items,omitempty"`
			Rules    []surface.Rule   `json:"rules,omitempty"`
			Warnings []string         `json:"warnings,omitempty"`
		}{got.Servers, got.Items, got.Rules, got.Warnings})
	})
}

func TestPlansOfWholeHomes(t *testing.T) {
	t.Parallel()
	hometest.Each(t, "testdata/wrap/*.txtar", func(t *testing.T, f *hometest.Fixture) {
		_, hooksOnly := f.Args["hooks-only"]
		plan, err := adapter{}.PlanWrap(context.Background(), plugins.WrapRequest{
			Machine:    f.Machine(),
			Workspace:  f.Workspace(),
			Gateway:    !hooksOnly,
			Front:      f.Args["front"],
			Hook:       "/opt/ctx bin/ctx-hook",
			GatewayBin: "/opt/ctx bin/ctx-gateway",
		})
		f.Compare(t, "want.json", hometest.ReadPlan(plan, err))
	})
}
