package wrap

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

// site is a workspace with a settings file for each host that is wrapped there.
type site struct {
	*testing.T
	dir    string
	layout paths.Layout
	store  *wiring.Store
}

func newSite(t *testing.T) site {
	dir := paths.Real(t.TempDir())
	l := paths.Layout{Home: dir, State: filepath.Join(dir, "state"), Config: filepath.Join(dir, "config"), Data: filepath.Join(dir, "data")}
	return site{t, dir, l, wiring.Open(l.Wraps())}
}

func (p site) settings(host string) string { return filepath.Join(p.dir, host+".json") }

// wrapper is a wrap of hosts that is decided: the servers go behind the gateway,
// and the host's settings deny them.
func (p site) wrapper(names []string, servers ...string) *wrapper {
	s, _, _, _ := iostreams.Test()
	w := &wrapper{
		options: &options{gateway: true}, f: &cmdutil.Factory{IO: s}, layout: p.layout, workspace: p.dir, store: p.store,
	}
	for _, name := range names {
		j := &job{host: &hosts.Host{Description: plugins.Description{Name: name, Title: name}}}
		edit := wiring.Edit{Path: p.settings(name), Format: wiring.JSON}
		for _, server := range servers {
			j.servers = append(j.servers, Server{Server: surface.Server{Name: server, Scope: surface.ScopeUser}, Verdict: Front})
			edit.Ops = append(edit.Ops, wiring.Op{Kind: wiring.Append, Path: []string{"denied"}, Value: []byte(`"` + server + `"`)})
		}
		j.plan.Edits = []wiring.Edit{edit}
		w.jobs = append(w.jobs, j)
	}
	return w
}

func (p site) apply(w *wrapper) {
	p.Helper()
	if err := w.apply(p.Context()); err != nil {
		p.Fatal(err)
	}
}

// announce is what a wrap does before it comes to the files.
func (p site) announce(w *wrapper) {
	p.Helper()
	before, _, err := p.store.Record(p.dir)
	if err == nil {
		_, err = p.store.Announce(p.dir, w.record(before)...)
	}
	if err != nil {
		p.Fatal(err)
	}
}

// fronts fails unless the record names these servers of a host, and its settings
// deny just them.
func (p site) fronts(host string, servers ...string) {
	p.Helper()
	if diff := cmp.Diff(servers, p.store.Fronted(p.dir, host)); diff != "" {
		p.Errorf("on record of %s (-want +got):\n%s", host, diff)
	}
	change, err := p.store.Plan(wiring.Owner{Workspace: p.dir, Host: host}, p.wrapper([]string{host}, servers...).jobs[0].plan.Edits)
	if err != nil || !change.Empty() {
		p.Errorf("in the settings of %s: %v\n%s", host, err, change.Diff())
	}
}

func TestHostsWrappedAtOnceAreBothOnRecord(t *testing.T) {
	p := newSite(t)
	for range 20 {
		var both errgroup.Group
		for _, host := range []string{"claude", "codex"} {
			w := p.wrapper([]string{host}, "git")
			both.Go(func() error { return w.apply(t.Context()) })
		}
		if err := both.Wait(); err != nil {
			t.Fatal(err)
		}
		for _, host := range []string{"claude", "codex"} {
			p.fronts(host, "git")
			if err := p.store.DropHost(p.dir, host); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestTheNextWrapHealsOneThatWasKilled(t *testing.T) {
	t.Run("before the files", func(t *testing.T) {
		p := newSite(t)
		p.announce(p.wrapper([]string{"claude"}, "git", "mail"))
		p.apply(p.wrapper([]string{"claude"}, "git"))
		p.fronts("claude", "git")
	})
	t.Run("behind the files of a wrap that fronts fewer", func(t *testing.T) {
		p := newSite(t)
		p.apply(p.wrapper([]string{"claude"}, "git", "mail"))
		fewer := p.wrapper([]string{"claude"}, "git")
		p.announce(fewer)
		change, err := p.store.Plan(fewer.owner(fewer.jobs[0]), fewer.jobs[0].plan.Edits)
		if err == nil {
			err = change.Apply()
		}
		if err != nil {
			t.Fatal(err)
		}
		p.apply(p.wrapper([]string{"claude"}, "git"))
		p.fronts("claude", "git")
	})
}

func TestNoFileIsTouchedThatCouldNotBeRecorded(t *testing.T) {
	p := newSite(t)
	if err := os.WriteFile(p.settings("claude"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A write replaces the file, so that the link would be to another one.
	if err := os.Link(p.settings("claude"), p.settings("link")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(p.layout.Wraps(), "records.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := p.wrapper([]string{"claude"}, "git").apply(t.Context()); err == nil {
		t.Error("it was wrapped without a record")
	}
	was, err := os.Stat(p.settings("link"))
	now, failed := os.Stat(p.settings("claude"))
	if err := errors.Join(err, failed); err != nil || !os.SameFile(was, now) {
		t.Errorf("the settings were written: %v", err)
	}
}

func TestAWrapThatFailsPutsTheRecordBack(t *testing.T) {
	p := newSite(t)
	p.apply(p.wrapper([]string{"claude"}, "git"))
	if err := os.Mkdir(p.settings("codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := p.wrapper([]string{"claude", "codex"}, "mail").apply(t.Context()); err == nil {
		t.Error("a folder was wired")
	}
	p.fronts("claude", "git")
	if got := p.store.Fronted(p.dir, "codex"); len(got) > 0 {
		t.Errorf("on record of codex: %q", got)
	}
}
