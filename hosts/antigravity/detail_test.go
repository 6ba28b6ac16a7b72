package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

func TestDetailHasTextsAndWorkflows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"ws/AGENTS.md": "words", "ws/.agents/workflows/ship.md": "steps"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	req := plugins.SourcesRequest{Machine: plugins.Machine{Home: filepath.Join(dir, "home")}, Workspace: filepath.Join(dir, "ws")}
	plain, err := adapter{}.Sources(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.Detail = true
	full, err := adapter{}.Sources(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if len(plain.Items) != 1 || len(full.Items) != 2 {
		t.Fatalf("%+v\n%+v", plain.Items, full.Items)
	}
	if full.Items[0].Text != "words" {
		t.Errorf("%+v", full.Items[0])
	}
	if it := full.Items[1]; it.Kind != surface.KindCommand || it.Name != "ship" || it.Resident != 0 || it.OnDemand != 5 {
		t.Errorf("%+v", it)
	}
}
