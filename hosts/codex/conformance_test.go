package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ctx-sidecar/ctx/plugins/plugintest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "ctx-host-codex")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	plugintest.Run(t, plugintest.Config{
		Adapter:    adapter{system: "/nonexistent"},
		Odd:        true,
		Executable: program,
		Fixtures: map[string]fs.FS{
			"typical":       os.DirFS("testdata/conformance/typical"),
			"hooks in TOML": os.DirFS("testdata/conformance/hooks-in-toml"),
		},
	})
}
