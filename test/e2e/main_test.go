package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var (
	prefix  string // where install.sh put this commit
	stub    string // a small MCP server that keeps notes
	clients string // the real clients, "" when there are none
)

func TestMain(m *testing.M) { os.Exit(runAll(m)) }

func runAll(m *testing.M) int {
	clients = os.Getenv("CTX_REALHOSTS")
	dir, err := os.MkdirTemp("", "ctx-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	prefix = filepath.Join(dir, "prefix")
	if out, err := install("--prefix", prefix); err != nil {
		fmt.Fprintf(os.Stderr, "install.sh: %v\n%s", err, out)
		return 1
	}
	stub = filepath.Join(dir, "stubserver")
	if out, err := exec.Command("go", "build", "-o", stub, "../../internal/stubserver").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "stubserver: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// install runs install.sh of this checkout and returns all that it printed.
func install(args ...string) (string, error) {
	cmd := exec.Command("../../install.sh", args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}
