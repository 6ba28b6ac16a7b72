package surface_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/ctxtest"
)

// built are the adapters and a server, made once for all scripts.
func built(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, path := range map[string]string{
		"ctx-host-claude": "hosts/claude", "ctx-host-codex": "hosts/codex", "ctx-host-antigravity": "hosts/antigravity",
		"stubserver": "internal/stubserver",
	} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, name), "../../../../"+path)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", name, err, out)
		}
	}
	return dir
}

func TestScriptsWithHosts(t *testing.T) {
	dir := built(t)
	for _, scripts := range []string{"testdata/audit", "testdata/compile"} {
		testscript.Run(t, params(scripts, dir))
	}
}

// params has scripts find the adapters in dir.
func params(scripts, dir string) testscript.Params {
	p := ctxtest.Params(scripts, func(e *testscript.Env) error {
		e.Setenv("CTX_PLUGINS", dir)
		e.Setenv("STUB", filepath.Join(dir, "stubserver"))
		e.Setenv("WS", e.Cd)
		return nil
	})
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){
		// fill FILE...: ${STUB} and ${WS} in a file become what they stand for.
		"fill": func(ts *testscript.TestScript, _ bool, args []string) {
			for _, name := range args {
				text := os.Expand(ts.ReadFile(name), func(v string) string {
					if v == "STUB" || v == "WS" {
						return ts.Getenv(v)
					}
					return "${" + v + "}"
				})
				ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
			}
		},
	}
	return p
}
