package surface_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/ctxtest"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/reconcile"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

func TestMain(m *testing.M) {
	ctxtest.Main(m, map[string]func(){
		"exits":   exits,
		"past":    past,
		"session": session,
	})
}

// exits runs a program and fails unless it ends with the exit code given first.
func exits() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		panic(err)
	}
	if strconv.Itoa(code) != os.Args[1] {
		fmt.Fprintf(os.Stderr, "exit code %d, want %s\n", code, os.Args[1])
		os.Exit(1)
	}
}

// folder is the surface folder of the working folder.
func folder() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	l := paths.FromEnv(os.Environ())
	folder, _ := state.SafeDir(l, l.Workspace(dir))
	return folder
}

// session makes a session known in the working folder: session ID [ended].
func session() {
	_, err := state.Open(folder()).Update(os.Args[1], func(s *state.Session) {
		if len(os.Args) > 2 {
			now := time.Now().UTC()
			s.Ended = &now
		}
	})
	if err != nil {
		panic(err)
	}
}

// past makes so many sessions known in the working folder in which a family would
// have been hidden: past clean|miss|open FAMILY COUNT.
func past() {
	folder := folder()
	ledger, log := reconcile.OpenLedger(folder), usage.Open(folder)
	n, err := strconv.Atoi(os.Args[3])
	if err != nil {
		panic(err)
	}
	known, _ := ledger.Read()
	at := time.Now().UTC().Add(-time.Hour)
	for i := range n {
		id := fmt.Sprintf("%s-%d-%d", os.Args[1], len(known), i)
		at := at.Add(time.Duration(len(known)+i) * time.Second)
		entry := reconcile.Entry{
			At: at, Session: id, Generation: 1, Op: reconcile.Hide, Family: surface.Family(os.Args[2]), Tokens: 700, Phase: reconcile.Explore,
			Servers: []string{"srv"}, Tools: []string{"srv:one"},
		}
		entries := []reconcile.Entry{entry}
		tool := "other"
		if os.Args[1] == "miss" {
			tool = "one"
		}
		if err := log.Append(usage.Call{Session: id, Server: "srv", Tool: tool, At: at.Add(time.Millisecond)}); err != nil {
			panic(err)
		}
		if os.Args[1] != "open" {
			entries = append(entries, reconcile.Entry{At: at.Add(2 * time.Millisecond), Session: id, Op: reconcile.End})
		}
		if err := ledger.Append(entries...); err != nil {
			panic(err)
		}
	}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, ctxtest.Params("testdata", func(e *testscript.Env) error {
		// A workspace that is wrapped keeps what ctx knows of it.
		record := paths.FromEnv(e.Vars).WrapRecord(paths.Real(e.Cd))
		if err := os.MkdirAll(filepath.Dir(record), 0o700); err != nil {
			return err
		}
		return os.WriteFile(record, []byte("{}"), 0o600)
	}))
}
