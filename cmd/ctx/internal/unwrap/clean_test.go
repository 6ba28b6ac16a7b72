package unwrap_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/state"
)

// A compiled profile is written into a workspace that need not be wrapped.
func TestTheFolderOfACompiledProfileGoesWithoutAWrap(t *testing.T) {
	home := t.TempDir()
	layout := paths.FromEnv([]string{"HOME=" + home})
	ctx := func(code int, says string, args ...string) {
		t.Helper()
		s, _, o, e := iostreams.Test()
		got := root.Main(args, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, s)
		if said := o.String() + e.String(); got != code || !strings.Contains(said, says) {
			t.Fatalf("ctx %s: exit %d, want %d and %q\n%s", strings.Join(args, " "), got, code, says, said)
		}
	}
	workspace := func() string {
		ws := paths.Real(t.TempDir())
		if err := state.NoteCompiled(layout, ws); err != nil {
			t.Fatal(err)
		}
		if err := state.MakeCompiledDir(ws); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(ws, ".ctx-surface", "compiled.json"), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		return ws
	}
	there := func(ws string) bool {
		_, err := os.Stat(filepath.Join(ws, ".ctx-surface"))
		return err == nil
	}
	one, two, gone := workspace(), workspace(), workspace()
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	t.Chdir(one)
	ctx(0, "would be removed", "unwrap", "--dry-run")
	ctx(0, "removed", "unwrap")
	if there(one) || !there(two) {
		t.Errorf("in the one %v, in the other %v", there(one), there(two))
	}
	ctx(1, "not wrapped", "unwrap")
	if err := os.WriteFile(filepath.Join(two, ".ctx-surface", "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx(0, "mine.txt", "unwrap", "--all")
	if err := os.Remove(filepath.Join(two, ".ctx-surface", "mine.txt")); err != nil {
		t.Fatal(err)
	}
	ctx(0, "removed", "unwrap", "--all")
	if left, err := state.Compiled(layout); there(two) || len(left) != 0 || err != nil {
		t.Errorf("left: %v, %v %v", there(two), left, err)
	}
}
