package unwrap

import (
	"testing"

	"github.com/ctx-sidecar/ctx/core/wiring"
)

func TestWhoHasNothingToUnwrapIsToldWhatToDo(t *testing.T) {
	if got, want := others(wiring.Open(t.TempDir())), "no workspace is; ctx wrap setup --gateway wraps one"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
