package unwrap_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// site is a workspace, in which the test stands, with a settings file for each
// host that is wrapped there.
type site struct {
	*testing.T
	home, ws string
	layout   paths.Layout
	store    *wiring.Store
}

func newSite(t *testing.T) site {
	home, ws := t.TempDir(), paths.Real(t.TempDir())
	t.Chdir(ws)
	l := paths.FromEnv([]string{"HOME=" + home})
	return site{t, home, ws, l, wiring.Open(l.Wraps())}
}

// ctx runs the command, which has to succeed.
func (s site) ctx(args ...string) {
	s.Helper()
	if code, said := s.run(args); code != 0 {
		s.Fatalf("ctx %s: exit %d\n%s", strings.Join(args, " "), code, said)
	}
}

func (s site) fails(args ...string) {
	s.Helper()
	if code, said := s.run(args); code == 0 {
		s.Errorf("ctx %s does not fail:\n%s", strings.Join(args, " "), said)
	}
}

func (s site) run(args []string) (code int, said string) {
	streams, _, out, failure := iostreams.Test()
	code = root.Main(args, []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH")}, streams)
	return code, out.String() + failure.String()
}

func (s site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func entry(host string, fronted ...string) wiring.HostRecord {
	h := wiring.HostRecord{Host: host, Gateway: true}
	for _, name := range fronted {
		h.Fronted = append(h.Fronted, wiring.Fronted{Name: name, Scope: "user"})
	}
	return h
}

func (s site) settings(host string) string { return filepath.Join(s.home, host+".json") }

// deny writes what the wrap of an entry puts into the host's settings.
func (s site) deny(h wiring.HostRecord) {
	s.Helper()
	edit := wiring.Edit{Path: s.settings(h.Host), Format: wiring.JSON}
	for _, f := range h.Fronted {
		edit.Ops = append(edit.Ops, wiring.Op{Kind: wiring.Append, Path: []string{"denied"}, Value: []byte(`"` + f.Name + `"`)})
	}
	change, err := s.store.Plan(wiring.Owner{Workspace: s.ws, Host: h.Host}, []wiring.Edit{edit})
	s.must(err)
	s.must(change.Apply())
}

func (s site) announce(h wiring.HostRecord) {
	s.Helper()
	_, err := s.store.Announce(s.ws, h)
	s.must(err)
}

func (s site) wrap(h wiring.HostRecord) {
	s.Helper()
	s.announce(h)
	s.deny(h)
	s.must(s.store.PutHosts(s.ws, h))
}

func TestUnwrapHealsAWrapThatWasKilled(t *testing.T) {
	const mine = "{ \"theme\": 1.0 }\n"
	for name, until := range map[string]func(site){
		"before the files": func(s site) { s.announce(entry("claude", "git")) },
		"behind the files": func(s site) {
			s.announce(entry("claude", "git"))
			s.deny(entry("claude", "git"))
		},
		"behind the files of a wrap that fronts fewer": func(s site) {
			s.wrap(entry("claude", "git", "mail"))
			s.announce(entry("claude", "git"))
			s.deny(entry("claude", "git"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.must(os.WriteFile(s.settings("claude"), []byte(mine), 0o600))
			until(s)
			if !s.layout.Wrapped(s.ws) {
				t.Error("nothing says that the workspace is wrapped")
			}
			s.ctx("unwrap")
			if b, err := os.ReadFile(s.settings("claude")); err != nil || string(b) != mine {
				t.Errorf("the settings are %q, %v", b, err)
			}
			if rec, ok, err := s.store.Record(s.ws); ok || err != nil {
				t.Errorf("%v %v", rec, err)
			}
		})
	}
}

// Without the record of a file nobody knows what of it is ours: to unwrap would
// leave it wired for good, and to wrap would take it for the user's own.
func TestNothingIsChangedWhileARecordCannotBeRead(t *testing.T) {
	s := newSite(t)
	s.wrap(entry("claude", "git"))
	journals, err := filepath.Glob(filepath.Join(s.layout.Wraps(), "files", "*.json"))
	if err != nil || len(journals) != 1 {
		t.Fatal(journals, err)
	}
	s.must(os.WriteFile(journals[0], []byte(`{"schema":"ctx.wrap.file/v9"}`), 0o600))
	wired, err := os.ReadFile(s.settings("claude"))
	s.must(err)
	for _, args := range [][]string{
		{"unwrap"}, {"unwrap"}, {"unwrap", "--dry-run"}, {"unwrap", "--all"},
		{"wrap", "setup"}, {"wrap", "setup", "--dry-run"}, {"doctor"},
	} {
		if code, said := s.run(args); code == 0 || !strings.Contains(said, journals[0]+".bad") || !strings.Contains(said, "hint: ") {
			t.Errorf("ctx %s: exit %d\n%s", strings.Join(args, " "), code, said)
		}
	}
	if b, err := os.ReadFile(s.settings("claude")); err != nil || string(b) != string(wired) {
		t.Errorf("the settings are %q, %v", b, err)
	}
	if _, ok, err := s.store.Record(s.ws); !ok || err != nil {
		t.Errorf("the record of the wrap: %v %v", ok, err)
	}
	s.must(os.Remove(journals[0] + ".bad"))
	s.ctx("unwrap")
}
