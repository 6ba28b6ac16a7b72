package prune

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// started is a prune of one host that has read what there is and comes to its
// questions; what it will decide is that the tool goes.
func started(t *testing.T, f *cmdutil.Factory, ws, host, tool string) *pruner {
	t.Helper()
	known, _, err := prune.Load(f.Layout(), ws)
	if err != nil {
		t.Fatal(err)
	}
	p := &pruner{f: f, set: &survey.Set{Workspace: ws, Pruned: known}, store: wiring.Open(f.Layout().Wraps())}
	j := newJob(&survey.Host{Host: &hosts.Host{Description: plugins.Description{Name: host, Title: host}}}, p.set)
	j.decisions = []prune.Decision{{ID: "mcp_tool:db:" + tool, Kind: surface.KindTool, Provider: "db", Name: tool, By: prune.ByUser, Where: prune.AtGateway}}
	p.jobs = []*job{j}
	return p
}

func TestAPruneKeepsWhatWasPrunedWhileItAsked(t *testing.T) {
	s, _, out, _ := iostreams.Test()
	ws := paths.Real(t.TempDir())
	f := &cmdutil.Factory{IO: s, Env: []string{"HOME=" + t.TempDir()}, Dir: ws}
	decided := func() map[string]string {
		r, _, err := prune.Load(f.Layout(), ws)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, h := range r.Hosts {
			all[h.Host] = h.Decisions[0].Name
		}
		return all
	}
	apply := func(p *pruner, changes bool) {
		t.Helper()
		var r Result
		if err := p.apply(&r); err != nil || r.Changed != changes {
			t.Errorf("%v, changed %v", err, r.Changed)
		}
	}
	claude, again, codex := started(t, f, ws, "claude", "drop"), started(t, f, ws, "claude", "drop"), started(t, f, ws, "codex", "wipe")
	apply(codex, true)
	apply(claude, true)
	apply(again, false) // what it decides is on record by then
	if diff := cmp.Diff(map[string]string{"claude": "drop", "codex": "wipe"}, decided()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	if err := (&options{survey: survey.Options{Hosts: []string{"codex", "codex"}}}).runUndo(f); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "1 thing back"); n != 1 {
		t.Errorf("it is put back %d times:\n%s", n, out)
	}
	if diff := cmp.Diff(map[string]string{"claude": "drop"}, decided()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
