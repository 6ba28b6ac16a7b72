package reconcile

import "math"

// z bounds the middle 95 % of a normal distribution.
const z = 1.959963984540054

// Upper is the upper end of Wilson's 95 % score interval for the share of misses,
// k of n: with p = k/n,
//
//	(p + z²/2n + z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)
//
// E. B. Wilson, "Probable inference, the law of succession, and statistical
// inference", Journal of the American Statistical Association 22 (1927), 209-212.
// Without a trial nothing is known: 1.
func Upper(k, n int) float64 {
	if n <= 0 || k >= n { // with misses alone it is 1, which rounding would fall short of
		return 1
	}
	p, m := float64(k)/float64(n), float64(n)
	spread := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return min(1, (p+z*z/(2*m)+spread)/(1+z*z/m))
}
