// Package ctxtest runs test scripts in which ctx is a command, as a user has it
// who stands in a new workspace; terminal is ctx where a question can be asked.
package ctxtest

import (
	"maps"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
)

// Main is the TestMain of a package with scripts. They have the commands ctx and
// terminal, and more.
func Main(m *testing.M, more map[string]func()) {
	run := func(interactive bool) {
		env := os.Environ()
		s := iostreams.System(env)
		s.Interactive = interactive
		os.Exit(root.Main(os.Args[1:], env, s))
	}
	commands := map[string]func(){
		"ctx":      func() { run(false) },
		"terminal": func() { run(true) },
	}
	maps.Copy(commands, more)
	testscript.Main(m, commands)
}

// Params runs the scripts of a folder, each in $WORK/ws with $WORK/home as home
// and no other setting of the user's; prepare, which may be nil, has the last
// word.
func Params(dir string, prepare func(*testscript.Env) error) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for _, v := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"} {
				e.Setenv(v, "")
			}
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Cd = e.WorkDir + "/ws"
			if err := os.MkdirAll(e.Cd, 0o700); err != nil || prepare == nil {
				return err
			}
			return prepare(e)
		},
	}
}
