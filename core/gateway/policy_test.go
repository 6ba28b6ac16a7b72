package gateway

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// wrapped is the policy of a workspace in which servers are behind the gateway.
type wrapped struct {
	*Files
	t      testing.TB
	file   string // the host's configuration
	mu     sync.Mutex
	config surface.Sources
	fail   error
	reads  int
}

func wrap(t testing.TB, servers ...surface.Server) *wrapped {
	t.Helper()
	dir := t.TempDir()
	w := &wrapped{t: t, file: filepath.Join(dir, "config"), config: surface.Sources{Servers: servers}}
	w.config.Files = []string{w.file, filepath.Join(dir, "absent")}
	w.touch()
	l := paths.Layout{State: filepath.Join(dir, "state")}
	w.Files = &Files{
		Layout: l, Workspace: dir, HostName: "testhost", Log: hclog.NewNullLogger(),
		Wraps: wiring.Open(l.Wraps()), Trust: trust.Open(l.Trust()),
		Read: func(_ context.Context, fronted []string) (surface.Sources, Asker, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.reads++
			return w.config, HostAsks, w.fail
		},
	}
	rec := wiring.Record{Workspace: dir, Hosts: []wiring.HostRecord{{Host: "testhost", Gateway: true}}}
	for _, s := range servers {
		rec.Hosts[0].Fronted = append(rec.Hosts[0].Fronted, wiring.Fronted{Name: s.Name, Scope: string(s.Scope)})
	}
	if err := w.Wraps.PutHosts(rec.Workspace, rec.Hosts...); err != nil {
		t.Fatal(err)
	}
	return w
}

var edits atomic.Int64

// touch changes the configuration file.
func (w *wrapped) touch() {
	n := int(edits.Add(1))
	if err := os.WriteFile(w.file, []byte(strings.Repeat("x", n)), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wrapped) approve(s surface.Server) {
	w.t.Helper()
	if err := w.Trust.Approve(trust.ServerID(s, w.Workspace), trust.Approval{Fingerprint: s.Fingerprint(), By: "user", Server: s}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wrapped) started() []string {
	var names []string
	for _, s := range w.Rules(context.Background()).Servers {
		names = append(names, s.Name)
	}
	return names
}

func declared(name, command string) surface.Server {
	return surface.Server{Name: name, Scope: surface.ScopeProject, Transport: surface.Stdio, Command: command}
}

func TestOnlyWhatTheUserApprovedAsItIsMayBeStarted(t *testing.T) {
	t.Parallel()
	good, other := declared("good", "a"), declared("unasked", "b")
	w := wrap(t, good, other, declared("own", "c"), declared("off", "d"), declared("oauth", "e"))
	for _, s := range w.config.Servers {
		if s.Name != "unasked" {
			w.approve(s)
		}
	}
	w.config.Servers[2].Own = true
	w.config.Servers[3].Disabled = true
	w.config.Servers[4].Direct = "needs the host's own OAuth"
	beside := declared("beside", "f")
	w.config.Servers = append(w.config.Servers, beside)
	w.approve(beside)
	if got := w.started(); !slices.Equal(got, []string{"good"}) {
		t.Errorf("started %q", got)
	}
	if ws := w.Rules(context.Background()).Warnings; len(ws) != 1 || !strings.Contains(ws[0], "unasked") {
		t.Errorf("warned %q", ws)
	}
	if e := w.Trust.Entries(); !slices.ContainsFunc(e, func(e trust.Entry) bool { return e.Server.Name == "unasked" && e.Waits() }) {
		t.Errorf("the user cannot be shown what waits: %+v", e)
	}
	w.approve(other)
	if got := w.started(); !slices.Equal(got, []string{"good", "unasked"}) {
		t.Errorf("once approved, started %q", got)
	}
	w.mu.Lock()
	w.config.Servers = slices.Clone(w.config.Servers)
	w.config.Servers[0].Command = "evil"
	w.mu.Unlock()
	w.touch()
	if got := w.started(); !slices.Equal(got, []string{"unasked"}) {
		t.Errorf("once changed, started %q", got)
	}
	if err := w.Trust.Reject(trust.ServerID(other, w.Workspace), other.Fingerprint()); err != nil {
		t.Fatal(err)
	}
	if got := w.started(); len(got) != 0 {
		t.Errorf("once rejected, started %q", got)
	}
}

func TestAServerOfWhichEverythingIsDeniedIsNotStarted(t *testing.T) {
	t.Parallel()
	s := declared("fs", "a")
	w := wrap(t, s)
	w.approve(s)
	w.config.Rules = []surface.Rule{{Effect: surface.EffectDeny, Server: "fs", Tool: "*"}}
	if got := w.started(); len(got) != 0 {
		t.Errorf("started %q", got)
	}
}

func TestTheConfigurationIsReadAgainOnlyWhenAFileChanged(t *testing.T) {
	t.Parallel()
	w := wrap(t)
	ctx := context.Background()
	first := w.Rules(ctx)
	if first.Asker != HostAsks {
		t.Error("the adapter's word on who asks is lost")
	}
	for range 5 {
		if w.Rules(ctx) != first {
			t.Fatal("rules are new though nothing changed")
		}
	}
	if w.reads != 1 {
		t.Errorf("read %d times", w.reads)
	}
	for what, change := range map[string]func(){
		"written":  w.touch,
		"made":     func() { w.write(w.config.Files[1]) },
		"removed":  func() { os.Remove(w.file) },
		"replaced": func() { w.write(w.file + "2"); os.Rename(w.file+"2", w.file) },
		"wrapped": func() {
			if err := w.Wraps.PutHosts(w.Workspace, wiring.HostRecord{Host: "testhost", At: time.Now()}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		before := w.Rules(ctx)
		change()
		if w.Rules(ctx) == before {
			t.Errorf("%s: not seen", what)
		}
	}
}

func (w *wrapped) write(path string) {
	if err := os.WriteFile(path, []byte("new"), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func TestAConfigurationThatCannotBeReadKeepsTheRulesThatWere(t *testing.T) {
	t.Parallel()
	s := declared("fs", "a")
	w := wrap(t, s)
	w.approve(s)
	w.fail = errors.New("the adapter has died")
	if r := w.Rules(context.Background()); len(r.Servers) != 0 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "the adapter has died") {
		t.Errorf("at first: %+v", r)
	}
	w.fail = nil
	if got := w.started(); len(got) != 1 {
		t.Fatalf("started %q", got)
	}
	w.fail = errors.New("the adapter has died again")
	w.touch()
	if got := w.started(); len(got) != 1 {
		t.Errorf("then: %q", got)
	}
}

func TestNothingIsAdmittedBeforeTheConfigurationHasEverBeenRead(t *testing.T) {
	t.Parallel()
	w := wrap(t)
	w.Baseline = baseline.Open(t.TempDir(), w.Workspace, nil)
	tool := listing.Tool{Server: "local", Name: "read_text_file", Raw: []byte(readText)}
	w.fail = errors.New("the adapter has died")
	r := w.Rules(context.Background())
	if r.Admits(tool) || !strings.Contains(r.Gate.Withheld(tool), "the configuration of testhost cannot be read") {
		t.Errorf("admitted, though nobody knows what the user denies: %q", r.Gate.Withheld(tool))
	}
	if r.Baseline != w.Baseline {
		t.Error("what has changed since the user accepted it is not held back")
	}
	if w.Rules(context.Background()) != r {
		t.Error("rules are new though nothing changed")
	}
	w.fail = nil
	if r := w.Rules(context.Background()); !r.Admits(tool) {
		t.Errorf("once it is read: %q", r.Gate.Withheld(tool))
	}
}

func TestAllWhoWaitShareOneReading(t *testing.T) {
	t.Parallel()
	w := wrap(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { w.Rules(context.Background()) })
	}
	all.Wait()
	if w.reads != 1 {
		t.Errorf("read %d times", w.reads)
	}
}
