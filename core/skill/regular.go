package skill

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Sizes of a regular expression. Time is linear in the text and in these.
const (
	mostPattern = 1000 // bytes
	mostStates  = 2000
)

var errLarge = errors.New("the expression is too large")

// compile makes an expression, unless a few bytes of it stand for a large one.
func compile(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > mostPattern {
		return nil, fmt.Errorf("%w: it has over %d bytes", errLarge, mostPattern)
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if states(tree) > mostStates {
		return nil, errLarge
	}
	return regexp.Compile(pattern)
}

// states estimates the size of an expression once its repetitions are written
// out.
func states(r *syntax.Regexp) int {
	n := 1 + len(r.Rune)
	for _, sub := range r.Sub {
		n += states(sub)
	}
	if r.Op == syntax.OpRepeat {
		n *= max(r.Min, r.Max, 1)
	}
	return min(n, mostStates+1)
}
