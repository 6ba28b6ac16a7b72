package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ctx-sidecar/ctx/plugins/plugintest"
)

// TestConformance runs the checks that every adapter must pass.
func TestConformance(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "ctx-host-claude")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	fixtures := make(map[string]fs.FS)
	for _, name := range []string{"transports", "switched-off", "mentions", "approval", "bom"} {
		a, err := txtar.ParseFile(filepath.Join("testdata/sources", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		fixtures[name] = os.DirFS(unpack(t, a).root)
	}
	plugintest.Run(t, plugintest.Config{
		Adapter:    &adapter{managed: "/nonexistent"},
		Odd:        true,
		Executable: program,
		Fixtures:   fixtures,
	})
}
