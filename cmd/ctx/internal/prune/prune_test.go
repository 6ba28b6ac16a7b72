package prune_test

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/ctxtest"
)

func TestMain(m *testing.M) { ctxtest.Main(m, nil) }

func TestScripts(t *testing.T) {
	p := ctxtest.Params("testdata", nil)
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){"exits": exits}
	testscript.Run(t, p)
}

// exits runs a command and wants the exit code of its first argument.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGS...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("%s: exit %d, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}
