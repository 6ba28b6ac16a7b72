package eval

import (
	"math"
	"slices"

	"github.com/ctx-sidecar/ctx/core/activate"
)

// pull is how many rows' worth of evidence scale 1 and bias 0 have.
const pull = 5

// odds is what Platt scaling needs of a row: the logarithms of the candidates'
// odds against none, and which of them would be right; none is, where ok is
// false throughout.
type odds struct {
	each []float64
	ok   []bool
	none bool // that nothing fits is right
}

func oddsOf(a Answer) odds {
	o := odds{none: len(a.Expect) == 0}
	for _, s := range a.Scores {
		o.each = append(o.each, math.Log(max(s.Probability, 1e-12)/max(a.None, 1e-12)))
		// Where nothing may be activated, what the domain excludes may win as well.
		o.ok = append(o.ok, slices.Contains(a.Expect, s.Name) || o.none && s.Gate == activate.OutOfDomain)
	}
	return o
}

// platt returns the scale and bias under which the right answers are the most
// probable.
func platt(answers []Answer) activate.Calibration {
	var rows []odds
	for _, a := range answers {
		if len(a.Scores) > 0 {
			rows = append(rows, oddsOf(a))
		}
	}
	loss := func(logScale, bias float64) float64 {
		sum := pull * (logScale*logScale + bias*bias/4)
		for _, r := range rows {
			sum += r.surprise(math.Exp(logScale), bias)
		}
		return sum
	}
	var logScale, bias float64
	for range 8 {
		bias = lowest(-4, 4, func(b float64) float64 { return loss(logScale, b) })
		logScale = lowest(-1.2, 1.2, func(s float64) float64 { return loss(s, bias) })
	}
	return activate.Calibration{Scale: round(math.Exp(logScale)), Bias: round(bias)}
}

func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// surprise is the negative logarithm of the probability of what is right.
func (o odds) surprise(scale, bias float64) float64 {
	highest := 0.0
	for _, x := range o.each {
		highest = max(highest, scale*x+bias)
	}
	all := math.Exp(-highest)
	right := 0.0
	if o.none {
		right = all
	}
	for i, x := range o.each {
		p := math.Exp(scale*x + bias - highest)
		all += p
		if o.ok[i] {
			right += p
		}
	}
	return -math.Log(max(right/all, 1e-12))
}

// lowest finds where a function with one valley is lowest, by golden section.
func lowest(from, to float64, f func(float64) float64) float64 {
	const golden = 0.6180339887498949
	a, b := to-golden*(to-from), from+golden*(to-from)
	fa, fb := f(a), f(b)
	for range 24 {
		if fa < fb {
			to, b, fb = b, a, fa
			a = to - golden*(to-from)
			fa = f(a)
		} else {
			from, a, fa = a, b, fb
			b = from + golden*(to-from)
			fb = f(b)
		}
	}
	return (from + to) / 2
}
