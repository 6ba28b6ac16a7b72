package logfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/internal/logfile"
)

func TestALogIsMadeWithItsFirstLineAndForTheUserAlone(t *testing.T) {
	t.Parallel()
	l := paths.Layout{State: t.TempDir()}
	path := l.Log("gateway")
	log := logfile.Open(l, "gateway", []string{"CTX_LOG=info"})
	log.Debug("not asked for")
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("a folder for no line")
	}
	log.Info("begins")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	if b, _ := os.ReadFile(path); !strings.Contains(string(b), "ctx-gateway: begins") {
		t.Errorf("log: %s", b)
	}
}

func TestAFullLogGivesWayAndAnUnwritableOneIsNoError(t *testing.T) {
	t.Parallel()
	l := paths.Layout{State: t.TempDir()}
	path := l.Log("x")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	logfile.Open(l, "x", nil).Warn("new")
	if info, err := os.Stat(path + ".1"); err != nil || info.Size() != 2<<20 {
		t.Errorf("the old log: %v, %v", info, err)
	}
	blocked := paths.Layout{State: filepath.Join(path, "below-a-file")}
	logfile.Open(blocked, "x", nil).Error("lost")
}
