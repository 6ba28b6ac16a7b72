package activate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"slices"

	"github.com/ctx-sidecar/ctx/core/tap"
)

func TestI3Cal(t *testing.T) {
	if os.Getenv("I3CAL") == "" { t.Skip() }
	r, err := Load(Source{Env: os.Environ(), Model: "/work/main/models/all-minilm-l6-v2-q", CacheDir: "/tmp/I3/cal"})
	if err != nil { t.Fatal(err) }
	caps, _ := tap.LoadDir("/work/shared/data/taps/octomind-tap")
	var phrases []string
	var owner []int
	for i, c := range caps { for _, tr := range c.Triggers { phrases = append(phrases, tr); owner = append(owner, i) } }
	type row struct{ Text, Domain, Kind string; Expect []string }
	f, _ := os.Open(os.Getenv("I3CAL"))
	sc := bufio.NewScanner(f); sc.Buffer(nil, 1<<20)
	type res struct{ best, second float64; ok, pos bool }
	var all []res
	for sc.Scan() {
		var w row
		if json.Unmarshal(sc.Bytes(), &w) != nil { continue }
		cs, err := r.Similar(t.Context(), w.Text, phrases)
		if err != nil { t.Fatal(err) }
		best := map[int]float64{}
		for i, c := range cs { if caps[owner[i]].In(w.Domain) { best[owner[i]] = max(best[owner[i]], c) } }
		var a, b float64; ai := -1
		for i, v := range best { if v > a { b = a; a = v; ai = i } else if v > b { b = v } }
		all = append(all, res{a, b, ai >= 0 && slices.Contains(w.Expect, caps[ai].Name), len(w.Expect) > 0})
	}
	for _, floor := range []float64{.45, .5, .55, .5762, .6, .65} {
		for _, gap := range []float64{0, .02, .053, .08, .12} {
			var fc, pos, ff, abs, wrong int
			for _, x := range all {
				fires := x.best >= floor && x.best-x.second >= gap
				if x.pos { pos++; if fires && x.ok { fc++ } else if fires { wrong++ } } else { abs++; if fires { ff++ } }
			}
			fmt.Printf("floor %.3f gap %.3f: correct %.3f wrong %.3f false %.3f (%d pos, %d none)\n", floor, gap, float64(fc)/float64(pos), float64(wrong)/float64(pos), float64(ff)/float64(abs), pos, abs)
		}
	}
}
