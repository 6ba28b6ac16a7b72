package tap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestAScriptRunsAsTheBytesThatWereApproved(t *testing.T) {
	t.Parallel()
	root, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	c := Capability{Name: "db", Tap: "acme/tools", Root: root, Deps: []string{"acme/db"}}
	if _, err := c.Script("acme/db"); !errors.Is(err, ErrNoScript) {
		t.Errorf("no script: %v", err)
	}
	path := filepath.Join(root, "deps", "acme", "db.sh")
	lib := filepath.Join(root, "deps", "lib", "platform.sh")
	write(t, lib, "say() { echo \"$1\" >> \"$OUT\"; }\n")
	write(t, path, "set -e\n. \"$(dirname \"$0\")/../lib/platform.sh\"\nsay installed\n[ -z \"$(cat)\" ]\n")
	env := append(os.Environ(), "OUT="+out)
	s, err := c.Script("acme/db")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context(), env); err != nil {
		t.Fatal(err)
	}
	said := func() string { b, _ := os.ReadFile(out); return string(b) }
	if said() != "installed\n" {
		t.Errorf("it said %q", said())
	}
	for name, change := range map[string]func(){
		"itself":          func() { write(t, path, "echo evil >> \"$OUT\"\n") },
		"what it sources": func() { write(t, lib, "say() { echo evil >> \"$OUT\"; }\n") },
	} {
		write(t, path, "set -e\n. \"$(dirname \"$0\")/../lib/platform.sh\"\nsay installed\n[ -z \"$(cat)\" ]\n")
		write(t, lib, "say() { echo \"$1\" >> \"$OUT\"; }\n")
		change()
		if err := s.Run(t.Context(), env); !errors.Is(err, ErrOtherScript) {
			t.Errorf("%s has changed: %v", name, err)
		}
		if now, err := c.Script("acme/db"); err != nil || now.Declaration().Fingerprint() == s.Declaration().Fingerprint() {
			t.Errorf("%s has changed, and its approval holds: %v", name, err)
		}
	}
	if strings.Contains(said(), "evil") {
		t.Error("other bytes ran")
	}
}

func TestAScriptThatFailsSaysItsLastLine(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, filepath.Join(root, "deps", "acme", "db.sh"), "echo one\necho no network >&2\nexit 7\n")
	c := Capability{Root: root}
	s, err := c.Script("acme/db")
	if err != nil {
		t.Fatal(err)
	}
	err = s.Run(t.Context(), os.Environ())
	if err == nil || !strings.Contains(err.Error(), "install acme/db: exit status 7: no network") {
		t.Errorf("got %v", err)
	}
}

// What nobody waits for any more leaves nothing behind.
func TestAScriptEndsWithAllThatItStarted(t *testing.T) {
	t.Parallel()
	root, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	write(t, filepath.Join(root, "deps", "acme", "db.sh"), "sleep 600 &\necho $! > \"$OUT\"\nmv \"$OUT\" \"$OUT.pid\"\nwait\n")
	s, err := Capability{Root: root}.Script("acme/db")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, append(os.Environ(), "OUT="+out)) }()
	var child int
	soon(t, "the script has started its child", func() bool {
		b, _ := os.ReadFile(out + ".pid")
		child, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return child > 0
	})
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	soon(t, "its child is gone", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
		return syscall.Kill(child, 0) != nil || err == nil && strings.Contains(string(stat), ") Z ")
	})
}

func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestCommandsAreAllThatWouldRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "db", "query the database")
	write(t, filepath.Join(root, "capabilities", "db", "default.toml"), "[deps]\nrequire = [\"acme/db\", \"acme/none\"]\n"+
		"[[mcp.servers]]\nname = \"db\"\ncommand = \"db-mcp\"\n[[mcp.servers]]\nname = \"core\"\ntype = \"builtin\"\n")
	write(t, filepath.Join(root, "deps", "acme", "db.sh"), "exit 0\n")
	all, _ := LoadDir(root)
	c := all[0]
	c.Tap = "acme/tools"
	list, err := c.Commands()
	if err != nil || len(list) != 2 || !list[0].Script || list[1].Declaration.Command != "db-mcp" {
		t.Fatalf("%+v, %v", list, err)
	}
	if list[0].ID != "tap:acme/tools/db/deps/acme/db.sh" || list[1].ID != "tap:acme/tools/db/db" {
		t.Errorf("ids %s, %s", list[0].ID, list[1].ID)
	}
}
