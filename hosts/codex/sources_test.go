package main

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/hosts/internal/hometest"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Each fixture is a whole home and workspace, what is asked for (dir=, fronted=)
// and what must come out.
func TestSourcesOfWholeHomes(t *testing.T) {
	t.Parallel()
	hometest.Each(t, "testdata/sources/*.txtar", func(t *testing.T, f *hometest.Fixture) {
		req := plugins.SourcesRequest{Machine: f.Machine(), Workspace: f.Workspace(), Fronted: f.Args["fronted"]}
		if dir := f.Arg("dir"); dir != "" {
			req.Dir = filepath.Join(f.Dir, dir)
		}
		got, err := fixtureAdapter(f).Sources(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		f.Compare(t, "want.json", struct {
			Servers  []surface.Server `json:"servers"`
			Items    []surface.Item   `json:"items,omitempty"`
			Loading  surface.Loading  `json:"loading"`
			Warnings []string         `json:"warnings,omitempty"`
		}{got.Servers, got.Items, got.Loading, got.Warnings})
	})
}

func fixtureAdapter(f *hometest.Fixture) adapter {
	return adapter{system: filepath.Join(f.Dir, "etc")}
}
