package spelling_test

import (
	"testing"

	"github.com/ctx-sidecar/ctx/core/spelling"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "wrap", 4},
		{"wrap", "wrap", 0},
		{"warp", "wrap", 2},
		{"doctr", "doctor", 1},
		{"unwrap", "wrap", 2},
		{"kitten", "sitting", 3},
	} {
		if got := spelling.Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if there, back := spelling.Distance(tt.a, tt.b), spelling.Distance(tt.b, tt.a); there != back {
			t.Errorf("%q and %q: %d one way, %d the other", tt.a, tt.b, there, back)
		}
	}
}
