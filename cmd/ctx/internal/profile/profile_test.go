package profile_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ctx": func() {
			env := os.Environ()
			os.Exit(root.Main(os.Args[1:], env, iostreams.System(env)))
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for _, v := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"} {
				e.Setenv(v, "")
			}
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Cd = e.WorkDir + "/ws"
			return os.MkdirAll(e.Cd, 0o700)
		},
	})
}
