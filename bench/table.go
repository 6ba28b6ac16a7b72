package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// row is one line of the table.
type row struct {
	what, ours, beside, bar, verdict string
}

// table collects what was measured.
type table struct{ rows []row }

// add adds a row; met says whether ours keeps to the bar.
func (t *table) add(what, ours, beside, bar string, met bool) {
	verdict := "missed"
	if met {
		verdict = "met"
	}
	t.rows = append(t.rows, row{what, ours, beside, bar, verdict})
}

// skip adds a row that could not be measured here, and why.
func (t *table) skip(what, bar, why string) {
	t.rows = append(t.rows, row{what, "-", "-", bar, "not run: " + why})
}

func (t *table) print(w io.Writer, markdown bool) {
	all := append([]row{{"what", "ctx", "beside it", "bar", ""}}, t.rows...)
	var width [5]int
	for _, r := range all {
		for i, c := range r.cells() {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for n, r := range all {
		cells := r.cells()
		for i, c := range cells {
			cells[i] = c + strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
		}
		if markdown {
			fmt.Fprintf(w, "| %s |\n", strings.Join(cells[:], " | "))
			if n == 0 {
				fmt.Fprintf(w, "|%s\n", strings.Repeat(" --- |", len(cells)))
			}
			continue
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(cells[:], "  "), " "))
	}
}

func (r row) cells() [5]string { return [5]string{r.what, r.ours, r.beside, r.bar, r.verdict} }

// times are durations of the same thing.
type times []time.Duration

// q is the quantile in [0, 1].
func (t times) q(at float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	s := slices.Clone(t)
	slices.Sort(s)
	return s[min(int(float64(len(s))*at), len(s)-1)]
}

func (t times) p50() time.Duration { return t.q(0.5) }

func ms(d time.Duration) string {
	f := float64(d) / float64(time.Millisecond)
	switch {
	case f < 1:
		return fmt.Sprintf("%.2f ms", f)
	case f < 100:
		return fmt.Sprintf("%.1f ms", f)
	}
	return fmt.Sprintf("%.0f ms", f)
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }
