package file

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSweepRemovesWhatAKilledWriteLeft(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a [b]*")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "trust.json")
	for _, name := range []string{"trust.json", ".trust.json.ctx-123", ".trust.json.ctx-9", ".other.json.ctx-1", "trust.json.bad"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	Sweep(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if len(left) != 3 || left[0] != ".other.json.ctx-1" || left[1] != "trust.json" || left[2] != "trust.json.bad" {
		t.Errorf("left: %v", left)
	}
}
