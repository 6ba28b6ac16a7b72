package skill_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/ctxtest"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/state"
)

func TestMain(m *testing.M) {
	ctxtest.Main(m, map[string]func(){
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
	testscript.Run(t, ctxtest.Params("testdata", nil))
}
