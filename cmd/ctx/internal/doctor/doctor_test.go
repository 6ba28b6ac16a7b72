package doctor_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// user is someone on whose machine there is no adapter.
type user struct {
	*testing.T
	home   string
	layout paths.Layout
}

func newUser(t *testing.T) user {
	home := t.TempDir()
	return user{t, home, paths.FromEnv([]string{"HOME=" + home})}
}

// wrapped is a new workspace that is wrapped.
func (u user) wrapped() string {
	u.Helper()
	ws := paths.Real(u.TempDir())
	if err := wiring.Open(u.layout.Wraps()).PutHosts(ws, wiring.HostRecord{Host: "claude"}); err != nil {
		u.Fatal(err)
	}
	return ws
}

// changes has a server of a workspace list a tool otherwise than before.
func (u user) changes(ws, server string, scope surface.Scope) {
	u.Helper()
	s := baseline.Open(u.layout.Baselines(), ws, nil)
	for _, tool := range []string{`{"name":"read","description":"Reads."}`, `{"name":"read","description":"Sends."}`} {
		s.Observe(surface.Server{Name: server, Scope: scope, Transport: surface.Stdio, Command: server},
			listing.Listing{Server: server, Tools: []json.RawMessage{json.RawMessage(tool)}})
	}
	if err := s.Flush(); err != nil {
		u.Fatal(err)
	}
}

// doctor is what ctx doctor says in a workspace.
func (u user) doctor(ws string) string {
	u.Helper()
	u.Chdir(ws)
	s, _, out, failure := iostreams.Test()
	root.Main([]string{"doctor"}, []string{"HOME=" + u.home, "PATH=" + os.Getenv("PATH")}, s)
	if !strings.Contains(out.String(), ws) {
		u.Fatalf("no report of %s:\n%s%s", ws, out, failure)
	}
	return out.String()
}

func TestWhatOtherWorkspacesHoldBackIsNotSaidHere(t *testing.T) {
	u := newUser(t)
	here, other := u.wrapped(), u.wrapped()
	u.changes(other, "theirs", surface.ScopeProject)
	u.changes(here, "mine", surface.ScopeProject)
	u.changes(other, "everywhere", surface.ScopeUser)

	said := u.doctor(here)
	if strings.Contains(said, "server theirs") {
		t.Errorf("it is of another workspace:\n%s", said)
	}
	for _, name := range []string{"mine", "everywhere"} {
		if !strings.Contains(said, "server "+name) {
			t.Errorf("nothing of %s:\n%s", name, said)
		}
	}
}

func TestHowToolsAreFoundIsSaidOnce(t *testing.T) {
	u := newUser(t)
	said := u.doctor(u.wrapped())
	if n := strings.Count(said, "tools are"); n != 1 {
		t.Errorf("%d times:\n%s", n, said)
	}
}
