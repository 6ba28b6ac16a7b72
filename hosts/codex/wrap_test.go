package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/plugins"
)

// Each fixture is a home and a workspace, what is to be fronted (args: front=,
// or hooks-only), and the plan (want.json), with the values of its edits as text.
func TestPlansOfWholeHomes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/wrap/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			f := unpack(t, file)
			plan, err := f.adapter().PlanWrap(context.Background(), f.wrapRequest())
			f.compare(t, "want.json", readable(plan, err))

			again, errAgain := f.adapter().PlanWrap(context.Background(), f.wrapRequest())
			if a, b := asJSON(t, readable(plan, err)), asJSON(t, readable(again, errAgain)); a != b {
				t.Errorf("the same request gave another plan:\n%s\n%s", a, b)
			}
		})
	}
}

func (f *fixture) wrapRequest() plugins.WrapRequest {
	_, hooksOnly := f.args["hooks-only"]
	hook := "/opt/ctx/bin/ctx-hook"
	if v := f.args["hook"]; len(v) > 0 {
		hook = strings.ReplaceAll(v[0], "_", " ")
	}
	return plugins.WrapRequest{
		Machine:    f.machine(),
		Workspace:  filepath.Join(f.dir, "ws"),
		Gateway:    !hooksOnly,
		Front:      f.args["front"],
		Hook:       hook,
		GatewayBin: "/opt/ctx/bin/ctx-gateway",
	}
}

type readableEdit struct {
	Path    string   `json:"path"`
	Format  string   `json:"format"`
	Ops     []string `json:"ops"`
	Why     string   `json:"why"`
	Exclude bool     `json:"exclude,omitempty"`
	Tracked string   `json:"tracked,omitempty"`
}

func readable(plan plugins.WrapPlan, err error) any {
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	var edits []readableEdit
	for _, e := range plan.Edits {
		r := readableEdit{Path: e.Path, Format: string(e.Format), Why: e.Why, Exclude: e.Exclude, Tracked: e.Tracked}
		for _, op := range e.Ops {
			text := string(op.Kind) + " " + strings.Join(op.Path, " / ") + " = " + string(op.Value)
			if op.Existing {
				text += " (existing alone)"
			}
			r.Ops = append(r.Ops, text)
		}
		edits = append(edits, r)
	}
	return map[string]any{"edits": edits, "notes": plan.Notes, "next": plan.Next}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
