package tap

import (
	"os"
	"path/filepath"
	"testing"
)

// realTap is the tap of the field that the tests read where it is there.
func realTap(t *testing.T) string {
	t.Helper()
	data := os.Getenv("CTX_DATA")
	if data == "" {
		data = filepath.Join("..", "..", "..", "shared", "data")
	}
	dir := filepath.Join(data, "taps", "octomind-tap")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no tap to read: %v (set CTX_DATA)", err)
	}
	return dir
}

func TestRealTapLoadsWithTheWarningsItDeserves(t *testing.T) {
	t.Parallel()
	all, problems := LoadDir(realTap(t))
	routable, triggers := 0, 0
	for _, c := range all {
		if len(c.Triggers) > 0 {
			routable++
		}
		triggers += len(c.Triggers)
		if c.Title == "" || c.Description == "" || c.Provider == "" || c.Broken != "" {
			t.Errorf("%+v", c)
		}
	}
	if len(all) != 72 || routable != 58 || triggers != 541 {
		t.Errorf("%d capabilities, %d routable, %d triggers; want 72, 58, 541", len(all), routable, triggers)
	}
	if len(problems) != 14 {
		t.Errorf("%d problems, want 14", len(problems))
	}
	for _, p := range problems {
		if p.Rule != "no-config" || p.Severity != Warning {
			t.Error(p)
		}
	}
}
