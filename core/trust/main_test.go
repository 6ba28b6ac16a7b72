package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// TestMain is also the other process of the tests that need one.
func TestMain(m *testing.M) {
	if path := os.Getenv("TRUST_TEST_FILE"); path != "" {
		otherProcess(Open(path), os.Getenv("TRUST_TEST_NAME"))
		return
	}
	os.Exit(m.Run())
}

// otherProcess approves servers under its own name, as many as it is told, or
// until it is killed.
func otherProcess(s *Store, name string) {
	most, err := strconv.Atoi(os.Getenv("TRUST_TEST_COUNT"))
	for i := 0; err != nil || i < most; i++ {
		srv := server(fmt.Sprintf("%s-%d", name, i))
		if err := s.Approve(ServerID(srv, ""), Approval{Fingerprint: srv.Fingerprint(), By: "user", Server: srv}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if i == 0 {
			fmt.Println("started")
		}
	}
}

func server(name string, args ...string) surface.Server {
	return surface.Server{
		Name: name, Scope: surface.ScopeUser, Transport: surface.Stdio, Command: "npx", Args: args,
		Env: map[string]string{"TOKEN": "${TOKEN}"},
	}
}

// store is a store whose clock the test moves.
func store(t *testing.T) (*Store, *time.Time) {
	t.Helper()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	s := Open(filepath.Join(t.TempDir(), "ctx", "trust.json"))
	s.now = func() time.Time { return now }
	return s, &now
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func approve(t *testing.T, s *Store, srv surface.Server, workspace string) {
	t.Helper()
	must(t, s.Approve(ServerID(srv, workspace), Approval{Fingerprint: srv.Fingerprint(), By: "user", Server: srv}))
}
