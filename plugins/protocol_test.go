package plugins

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestTheVersionIsTheOneOfTheProto(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("host.proto")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`protocol (\d+\.\d+)\.`).FindSubmatch(b)
	if m == nil {
		t.Fatal("host.proto does not say which protocol it is")
	}
	if got := fmt.Sprintf("%d.%d", ProtocolMajor, ProtocolMinor); got != string(m[1]) {
		t.Errorf("the constants say %s and host.proto %s", got, m[1])
	}
	if want := fmt.Sprintf("package ctx.host.v%d;", ProtocolMajor); !strings.Contains(string(b), want) {
		t.Errorf("host.proto lacks %q", want)
	}
}

func TestAnAdapterRunByHandSaysWhatItIs(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(link(t, "ctx-host-echo")).CombinedOutput()
	exit, ok := err.(*exec.ExitError)
	if !ok || exit.ExitCode() != 1 {
		t.Errorf("it exits with %v, want 1", err)
	}
	if n := strings.Count(string(out), "\n"); n != 1 || !strings.Contains(string(out), "ctx plugins trust echo") {
		t.Errorf("it says %q", out)
	}
}

func TestRemoveSocketsRemovesNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keep := filepath.Join(dir, "letter.txt")
	if err := os.WriteFile(keep, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	removeSockets(dir)
	removeSockets("")
	if _, err := os.Stat(keep); err != nil {
		t.Error(err)
	}
}
