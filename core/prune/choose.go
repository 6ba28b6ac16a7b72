package prune

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Answer is what the user said of a group of items that are numbered from 1.
type Answer struct {
	Explain []int // show more of these, then ask again
	Prune   []int // these go, in ascending order; everything else stays
}

// Choose reads an answer on n items of which the rule would prune some:
//
//	(Enter)  what the rule says      1,3-5  exactly these go
//	all      all go                  +2     what the rule says, and 2
//	none     all stay                -3     what the rule says, but not 3
//	?2       explain 2, and ask again
//
// Several are divided by commas or spaces; a range may stand wherever a number
// can.
func Choose(line string, n int, rule []int) (Answer, error) {
	words := strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\r' || r == '\n' })
	switch {
	case len(words) == 0:
		return Answer{Prune: sorted(rule)}, nil
	case len(words) == 1 && words[0] == "all":
		return Answer{Prune: numbers(1, n)}, nil
	case len(words) == 1 && words[0] == "none":
		return Answer{Prune: []int{}}, nil
	}
	want := formOf(words[0])
	var a Answer
	if want == signed {
		a.Prune = slices.Clone(rule)
	}
	for _, w := range words {
		if w == "all" || w == "none" {
			return Answer{}, fmt.Errorf("%q stands alone", w)
		}
		if formOf(w) != want {
			return Answer{}, fmt.Errorf("%q and %q do not go together", words[0], w)
		}
		these, err := span(strings.TrimLeft(w[:1], "+-?")+w[1:], n)
		if err != nil {
			return Answer{}, err
		}
		switch {
		case want == asked:
			a.Explain = append(a.Explain, these...)
		case w[0] == '-':
			a.Prune = slices.DeleteFunc(a.Prune, func(i int) bool { return slices.Contains(these, i) })
		default:
			a.Prune = append(a.Prune, these...)
		}
	}
	a.Explain, a.Prune = sorted(a.Explain), sorted(a.Prune)
	return a, nil
}

type form int

const (
	listed form = iota
	signed
	asked
)

func formOf(word string) form {
	switch word[0] {
	case '+', '-':
		return signed
	case '?':
		return asked
	}
	return listed
}

// span reads "3" or "3-5".
func span(text string, n int) ([]int, error) {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	from, err := number(first, n)
	if err != nil {
		return nil, err
	}
	to, err := number(last, n)
	if err != nil {
		return nil, err
	}
	if from > to {
		return nil, fmt.Errorf("%q runs backwards", text)
	}
	return numbers(from, to), nil
}

func number(text string, n int) (int, error) {
	i, err := strconv.Atoi(text)
	switch {
	case err != nil || strings.HasPrefix(text, "+"):
		return 0, fmt.Errorf("%q is no number", text)
	case i < 1 || i > n:
		return 0, fmt.Errorf("there is no %d: the numbers go from 1 to %d", i, n)
	}
	return i, nil
}

func numbers(from, to int) []int {
	all := make([]int, 0, max(to-from+1, 0))
	for i := from; i <= to; i++ {
		all = append(all, i)
	}
	return all
}

func sorted(all []int) []int {
	all = slices.Clone(all)
	slices.Sort(all)
	return slices.Compact(all)
}
