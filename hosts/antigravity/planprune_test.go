package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/hosts/internal/hometest"
	"github.com/ctx-sidecar/ctx/plugins"
)

func TestPrunedServersAndToolsAreOffAndComeBackByteForByte(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	const config = "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"command\": \"a\", \"disabledTools\": [\"old\"]}, // mine\r\n\t\t\"b\": {\"command\": \"b\"}\r\n\t}\r\n}\r\n"
	hometest.Write(t, serversFile(home), config)
	var a adapter
	m := plugins.Machine{Home: home}
	plan, err := a.PlanPrune(t.Context(), plugins.PruneRequest{Machine: m, Workspace: dir, Items: []plugins.PruneItem{
		{Kind: surface.KindTool, Provider: "a", Name: "drop"},
		{Kind: surface.KindServer, Provider: "user", Name: "b"},
		{Kind: surface.KindSkill, Provider: "user", Name: "x"},
		{Kind: surface.KindServer, Provider: "user", Name: "nowhere"},
	}})
	if err != nil || len(plan.Stays) != 2 || plan.Stays[0].Item != 2 || plan.Stays[1].Item != 3 || len(plan.Notes) == 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	store := wiring.Open(filepath.Join(dir, "wraps"))
	owner := wiring.Owner{Workspace: dir, Host: hostName, For: wiring.Prune}
	change, err := store.Plan(owner, plan.Edits)
	if err == nil {
		err = change.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Sources(t.Context(), plugins.SourcesRequest{Machine: m, Workspace: dir})
	if err != nil || len(s.Servers) != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, srv := range s.Servers {
		if srv.Name == "a" && !slices.Equal(srv.DisabledTools, []string{"old", "drop"}) || srv.Name == "b" && !srv.Disabled {
			t.Errorf("%+v", srv)
		}
	}
	if change, err = store.Unplan(owner); err == nil {
		err = change.Apply()
	}
	if b, read := os.ReadFile(serversFile(home)); err != nil || read != nil || string(b) != config {
		t.Errorf("%v, %v\n%s", err, read, b)
	}
}
