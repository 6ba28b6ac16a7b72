package skill_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/state"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ctx": func() {
			env := os.Environ()
			os.Exit(root.Main(os.Args[1:], env, iostreams.System(env)))
		},
		"session": session,
	})
}

// session makes a conversation known in the working folder.
func session() {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	l := paths.FromEnv(os.Environ())
	folder, _ := state.SafeDir(l, l.Workspace(dir))
	if _, err := state.Open(folder).Update(os.Args[1], func(*state.Session) {}); err != nil {
		panic(err)
	}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for _, v := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"} {
				e.Setenv(v, "")
			}
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Cd = e.WorkDir + "/ws"
			return nil
		},
	})
}
