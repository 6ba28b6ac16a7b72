package reconcile

import (
	"math"
	"testing"
)

func TestUpperAgainstPublishedValues(t *testing.T) {
	t.Parallel()
	// R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3.
	for _, c := range []struct {
		k, n int
		want float64
	}{{81, 263, 0.3662}, {15, 148, 0.1605}, {0, 20, 0.1611}, {1, 29, 0.1718}} {
		if got := Upper(c.k, c.n); math.Abs(got-c.want) > 0.00006 {
			t.Errorf("Upper(%d, %d) = %.5f, want %.4f", c.k, c.n, got, c.want)
		}
	}
}

func TestHowManySessionsAPromotionTakes(t *testing.T) {
	t.Parallel()
	for misses, want := range []int{22, 34, 45} {
		n := max(LeastSessions, misses)
		for Upper(misses, n) > MostBound {
			n++
		}
		if n != want {
			t.Errorf("%d misses are outweighed by %d sessions, want %d", misses, n, want)
		}
	}
}

func TestUpperIsABoundThatMoreEvidenceTightens(t *testing.T) {
	t.Parallel()
	if Upper(0, 0) != 1 || Upper(5, -1) != 1 {
		t.Error("without a session something is known")
	}
	for n := 1; n <= 300; n++ {
		for k := 0; k <= n; k++ {
			u := Upper(k, n)
			switch {
			case u < float64(k)/float64(n) || u > 1 || math.IsNaN(u):
				t.Fatalf("Upper(%d, %d) = %g", k, n, u)
			case k > 0 && u <= Upper(k-1, n):
				t.Fatalf("Upper(%d, %d): a miss more is no worse", k, n)
			case u < 1 && Upper(k, n+1) >= u:
				t.Fatalf("Upper(%d, %d): a clean session more is no better", k, n)
			}
			// It solves the equation it comes from: |p - u| = z·√(u(1-u)/n).
			p := float64(k) / float64(n)
			if d := math.Abs(u-p) - z*math.Sqrt(u*(1-u)/float64(n)); math.Abs(d) > 1e-9 {
				t.Fatalf("Upper(%d, %d) is off by %g", k, n, d)
			}
		}
	}
}
