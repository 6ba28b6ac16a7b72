package unwrap_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/state"
)

// next is a workspace of the same user, behind those before it by name.
func (s site) next() site {
	s.ws = paths.Real(s.TempDir())
	return s
}

// wired fails unless these hosts are wired in the workspace.
func (s site) wired(hosts ...string) {
	s.Helper()
	rec, _, err := s.store.Record(s.ws)
	s.must(err)
	var got []string
	for _, h := range rec.Hosts {
		got = append(got, h.Host)
	}
	if strings.Join(got, " ") != strings.Join(hosts, " ") {
		s.Errorf("%s: wired are %q, want %q", s.ws, got, hosts)
	}
}

func (s site) all(code int, args ...string) string {
	s.Helper()
	got, said := s.run(append([]string{"unwrap", "--all"}, args...))
	if got != code {
		s.Fatalf("ctx unwrap --all %s: exit %d, want %d\n%s", strings.Join(args, " "), got, code, said)
	}
	return said
}

func TestAHostIsUnwiredInEveryWorkspaceThatHasIt(t *testing.T) {
	one := newSite(t)
	two, three, compiled := one.next(), one.next(), one.next()
	one.wrap(entry("codex", "git"))
	two.wrap(entry("claude", "git"))
	three.wrap(entry("claude", "git"))
	three.wrap(entry("codex", "git"))
	compiled.must(state.NoteCompiled(compiled.layout, compiled.ws))
	compiled.must(state.MakeCompiledDir(compiled.ws))

	for _, args := range [][]string{{"--dry-run"}, nil} {
		said := one.all(0, append(args, "--host", "codex", "--host", "antigravity")...)
		if !strings.Contains(said, one.ws) || strings.Contains(said, two.ws) || !strings.Contains(said, three.ws) || strings.Contains(said, "claude in") {
			t.Errorf("%q:\n%s", args, said)
		}
	}
	one.wired()
	two.wired("claude")
	three.wired("claude")
	if _, err := os.Stat(state.CompiledDir(compiled.ws)); err != nil {
		t.Errorf("the folder of a workspace that is not wrapped: %v", err)
	}
	if said := one.all(1, "--host", "codex"); !strings.Contains(said, "codex is not wired in any workspace") {
		t.Error(said)
	}
}

func TestAWorkspaceThatCannotBeUnwrappedKeepsNothingFromTheOthers(t *testing.T) {
	one := newSite(t)
	two, three := one.next(), one.next()
	two.home = filepath.Join(two.home, "two") // its host's settings are another file
	one.must(os.Mkdir(two.home, 0o700))
	one.wrap(entry("codex", "git"))
	two.wrap(entry("codex", "git"))
	three.wrap(entry("codex", "git"))
	one.must(os.Remove(two.settings("codex")))
	one.must(os.Mkdir(two.settings("codex"), 0o700))
	said := one.all(1)
	for _, want := range []string{"codex in " + one.ws, "codex in " + three.ws, "error: " + two.ws + ": "} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	one.wired()
	two.wired("codex")
	three.wired()
}
