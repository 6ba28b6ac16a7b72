package report

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/inventory"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// The example of the paper: 6 by 4, areas of 6, 6, 4, 3, 2, 2 and 1.
func TestSquarifyDrawsTheExampleOfThePaper(t *testing.T) {
	t.Parallel()
	got := squarify([]float64{6, 6, 4, 3, 2, 2, 1}, box{0, 0, 6, 4})
	want := []box{
		{0, 0, 3, 2}, {0, 2, 3, 2}, // the first column
		{3, 0, 12. / 7, 7. / 3}, {3 + 12./7, 0, 9. / 7, 7. / 3}, // the row beside it
		{3, 7. / 3, 1.2, 5. / 3}, {4.2, 7. / 3, 1.2, 5. / 3}, {5.4, 7. / 3, .6, 5. / 3},
	}
	for i, w := range want {
		g := got[i]
		if !near(g.x, w.x) || !near(g.y, w.y) || !near(g.w, w.w) || !near(g.h, w.h) {
			t.Errorf("%d: %+v, want %+v", i, g, w)
		}
	}
}

func TestEveryBoxHasItsShareAndNoneLiesOverAnother(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		values := make([]float64, 1+r.IntN(60))
		sum := 0.0
		for i := range values {
			values[i] = float64(1 + r.IntN(1+r.IntN(5000)))
			sum += values[i]
		}
		slices.SortFunc(values, func(a, b float64) int { return int(b - a) })
		in := box{3, 5, 10 + 1000*r.Float64(), 10 + 1000*r.Float64()}
		boxes := squarify(values, in)
		if len(boxes) != len(values) {
			t.Fatalf("%d boxes for %d values", len(boxes), len(values))
		}
		for i, b := range boxes {
			if share := values[i] / sum * in.area(); math.Abs(b.area()-share) > 1e-6*in.area() {
				t.Errorf("box %d has %f, want %f", i, b.area(), share)
			}
			const slack = 1e-6
			if b.x < in.x-slack || b.y < in.y-slack || b.x+b.w > in.x+in.w+slack || b.y+b.h > in.y+in.h+slack {
				t.Errorf("box %d %+v is out of %+v", i, b, in)
			}
			for _, c := range boxes[:i] {
				if min(b.x+b.w, c.x+c.w)-max(b.x, c.x) > slack && min(b.y+b.h, c.y+c.h)-max(b.y, c.y) > slack {
					t.Errorf("%+v lies over %+v", b, c)
				}
			}
		}
	}
}

func TestTextsAreCutToTheirRoom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"search_code", 20, "search_code"},
		{"search_code", 11, "search_code"},
		{"search_code", 7, "search…"},
		{"search_code", 3, ""},
		{"日本語の名前", 12, "日本語の名前"},
		{"日本語の名前", 9, "日本語の…"},
		{"", 5, ""},
	} {
		if got := fit(c.text, c.columns); got != c.want {
			t.Errorf("fit(%q, %d) = %q, want %q", c.text, c.columns, got, c.want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		if got := group(n); got != want {
			t.Errorf("group(%d) = %q", n, got)
		}
	}
}

// Whatever is too small to be drawn by itself: the boxes of a map stand for every
// token, and each for as many as its area says.
func TestAMapShowsEveryToken(t *testing.T) {
	t.Parallel()
	tokens := regexp.MustCompile(`: ([0-9,]+) token`)
	for _, h := range []Host{workshop(), crowd(300, 34), crowd(1, 5000), crowd(2000, 1), host("Empty")} {
		for _, m := range newHostView(0, h, 1, MostRows).Maps {
			sum := 0
			for _, a := range m.Areas {
				for _, c := range a.Cells {
					found := tokens.FindStringSubmatch(c.Title)
					if found == nil {
						t.Fatalf("a box says %q", c.Title)
					}
					n, _ := strconv.Atoi(strings.ReplaceAll(found[1], ",", ""))
					sum += n
				}
			}
			want := 0
			for _, r := range h.Records {
				want += m.of(r)
			}
			for _, a := range h.Around {
				want += m.of(inventory.Record{Cost: a.Cost})
			}
			if sum != want || m.Total != want {
				t.Errorf("%s, %s: the boxes say %d, the map %d, the records %d", h.Title, m.Key, sum, m.Total, want)
			}
		}
	}
}
