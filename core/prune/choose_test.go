package prune

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	rule := []int{2, 4}
	for _, c := range []struct {
		line  string
		prune []int
	}{
		{"", []int{2, 4}},
		{"  \r\n", []int{2, 4}},
		{"all", []int{1, 2, 3, 4, 5}},
		{"ALL\n", []int{1, 2, 3, 4, 5}},
		{"none", []int{}},
		{"1,3-5", []int{1, 3, 4, 5}},
		{"3-5 1", []int{1, 3, 4, 5}},
		{"5,5,1", []int{1, 5}},
		{"2-2", []int{2}},
		{"+1", []int{1, 2, 4}},
		{"-2", []int{4}},
		{"+1,-4", []int{1, 2}},
		{"+1-3, -2-4", []int{1}},
		{"+2", []int{2, 4}},
		{"-3", []int{2, 4}},
	} {
		a, err := Choose(c.line, 5, rule)
		if err != nil || len(a.Explain) > 0 {
			t.Errorf("%q: %+v, %v", c.line, a, err)
		} else if diff := cmp.Diff(c.prune, a.Prune); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.line, diff)
		}
	}
	if diff := cmp.Diff([]int{2, 4}, rule); diff != "" {
		t.Errorf("the rule itself has changed:\n%s", diff)
	}
}

func TestChooseExplains(t *testing.T) {
	t.Parallel()
	a, err := Choose("?2, ?4-5", 5, nil)
	if diff := cmp.Diff(Answer{Explain: []int{2, 4, 5}}, a); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestChooseRefuses(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"0", "6", "1-6", "5-3", "x", "1,x", "1,+2", "+2,3", "?1,2", "all,1", "1,none", "--1", "+", "-", "?", "1-", "-1-", "1-2-3", "++1", "+-1", "99999999999999999999", "1.5", "²",
	} {
		if a, err := Choose(line, 5, []int{1}); err == nil {
			t.Errorf("%q is %+v", line, a)
		}
	}
	if _, err := Choose("1", 0, nil); err == nil {
		t.Error("there is no 1 of none")
	}
}

func FuzzChoose(f *testing.F) {
	for _, line := range []string{"", "all", "none", "1,3-5", "+2 -3", "?2", "+1-3,-2", "9", "a"} {
		f.Add(line, 7, 5)
	}
	f.Fuzz(func(t *testing.T, line string, n, mask int) {
		n = max(min(n, 60), 0)
		var rule []int
		for i := range n {
			if mask>>i&1 == 1 {
				rule = append(rule, i+1)
			}
		}
		a, err := Choose(line, n, rule)
		if err != nil {
			if a.Prune != nil || a.Explain != nil {
				t.Errorf("%q fails and answers: %+v", line, a)
			}
			return
		}
		if len(a.Explain) > 0 && len(a.Prune) > 0 {
			t.Errorf("%q explains and decides: %+v", line, a)
		}
		for _, list := range [][]int{a.Explain, a.Prune} {
			if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
				t.Errorf("%q: out of order or twice: %v", line, list)
			}
			for _, i := range list {
				if i < 1 || i > n {
					t.Errorf("%q names %d of %d", line, i, n)
				}
			}
		}
	})
}
