package surface

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/inventory"
	page "github.com/ctx-sidecar/ctx/core/report"
	"github.com/ctx-sidecar/ctx/core/surface"
)

const (
	mostOrigins = 15 // that bars are drawn for
	usualWidth  = 80 // columns, where nobody knows
	widestName  = 32
	widestBar   = 60
)

// ink is what bars are drawn with.
type ink struct{ resident, deferred, free, cut string }

func inkOf(s *iostreams.Streams) ink {
	if s.Unicode {
		return ink{"█", "▒", "·", "…"}
	}
	return ink{"#", "=", ".", "~"}
}

// bar is one line of a drawing, or a heading where it has no cost.
type bar struct {
	name    string
	cost    *surface.Cost
	unknown bool   // a part of the cost is not known
	highest string // authority
}

func (d Drawn) printBars(s *iostreams.Streams) {
	in := inkOf(s)
	for _, h := range d.Hosts {
		fmt.Fprintf(s.Out, "%s in %s, in tokens (%s)\n", s.Bold(iostreams.Clean(h.Title)), iostreams.Clean(d.Workspace), d.Tokenizer)
		budgetBar(s, h.Total.Resident, d.Budget)
		draw(s, append(kindBars(h), originBars(h)...))
		fmt.Fprintf(s.Out, "  %s\n", s.Dim(fmt.Sprintf("%s in every request  %s deferred until the host asks; ctx surface report --output FILE.html draws a map", in.resident, in.deferred)))
		if n := len(h.Findings); n > 0 {
			fmt.Fprintf(s.Out, "  %s: ctx surface audit\n", s.Yellow(count(n, "finding")))
		}
		if n := unpriced(h, func(inventory.Record) bool { return true }); n > 0 {
			fmt.Fprintf(s.Out, "  %s of unknown price, in no bar: ctx surface inventory says why\n", s.Yellow(count(n, "record")))
		}
		blind(s, h.Inventory)
		fmt.Fprintln(s.Out)
	}
}

func kindBars(h HostReport) []bar {
	bars := []bar{{name: "KIND"}}
	for _, k := range h.Kinds {
		n := unpriced(h, func(r inventory.Record) bool { return r.Kind == k.Kind })
		bars = append(bars, bar{name: string(k.Kind), cost: &k.Cost, unknown: n > 0})
	}
	for _, a := range h.Around {
		bars = append(bars, bar{name: "around " + string(a.Kind), cost: &a.Cost})
	}
	return bars
}

func originBars(h HostReport) []bar {
	bars := []bar{{name: "FROM"}}
	rest, more := bar{cost: &surface.Cost{}}, 0
	for i, o := range page.Origins(h.Records) {
		if i < mostOrigins {
			bars = append(bars, bar{o.Name, &o.Cost, o.Unknown > 0, o.Highest.Word})
			continue
		}
		more++
		*rest.cost = rest.cost.Plus(o.Cost)
		rest.unknown = rest.unknown || o.Unknown > 0
	}
	if more > 0 {
		rest.name = fmt.Sprintf("%d more", more)
		bars = append(bars, rest)
	}
	return bars
}

// unpriced counts the records of some sort whose price is not known.
func unpriced(h HostReport, of func(inventory.Record) bool) int {
	n := 0
	for _, r := range h.Records {
		if r.Unmeasured != "" && of(r) {
			n++
		}
	}
	return n
}

// budgetBar draws what is in every request against the budget.
func budgetBar(s *iostreams.Streams, total, budget int) {
	in := inkOf(s)
	text, dress := fmt.Sprintf("%d of %d in every request", total, budget), s.Green
	if total > budget {
		text, dress = fmt.Sprintf("%d in every request, %d over the budget of %d", total, total-budget, budget), s.Red
	}
	room := min(max(cmp.Or(s.Width, usualWidth)-utf8.RuneCountInString(text)-6, 10), widestBar)
	full := length(total, max(total, budget), room)
	fmt.Fprintf(s.Out, "  %s%s  %s\n", dress(strings.Repeat(in.resident, full)), s.Dim(strings.Repeat(in.free, room-full)), text)
}

// draw draws bars on one scale.
func draw(s *iostreams.Streams, bars []bar) {
	in := inkOf(s)
	name, longest := 0, 0
	for i := range bars {
		b := &bars[i]
		b.name = iostreams.Clean(b.name)
		if r := []rune(b.name); len(r) > widestName {
			b.name = string(r[:widestName-1]) + in.cut
		}
		name = max(name, utf8.RuneCountInString(b.name))
		if b.cost != nil {
			longest = max(longest, b.cost.Resident+b.cost.Deferred)
		}
	}
	const numbers, last = "  RESIDENT  DEFERRED  ON DEMAND  ", "AUTHORITY"
	tier := len(last)
	for _, t := range authority.Tiers() {
		tier = max(tier, len(t.String()))
	}
	room := min(max(cmp.Or(s.Width, usualWidth)-len("  ")-name-len(numbers)-tier-len("  ")-1, 8), widestBar)
	for _, b := range bars {
		if b.cost == nil {
			fmt.Fprintln(s.Out, s.Dim("  "+pad(b.name, name)+numbers+last))
			continue
		}
		all := length(b.cost.Resident+b.cost.Deferred, longest, room)
		resident := min(all, length(b.cost.Resident, longest, room))
		dress := func(t string) string { return t }
		switch b.highest {
		case authority.Destructive.String():
			dress = s.Red
		case authority.RemoteWrite.String():
			dress = s.Yellow
		}
		line := fmt.Sprintf("  %s  %8s  %8s  %9d  %s  %s%s", pad(b.name, name), b.price(b.cost.Resident), b.price(b.cost.Deferred), b.cost.OnDemand,
			pad(b.highest, tier), dress(strings.Repeat(in.resident, resident)), s.Dim(strings.Repeat(in.deferred, all-resident)))
		fmt.Fprintln(s.Out, strings.TrimRight(line, " "))
	}
}

// price is a number of tokens; "?" stands for what is not known of it.
func (b bar) price(n int) string {
	switch {
	case !b.unknown:
		return strconv.Itoa(n)
	case n == 0:
		return "?"
	}
	return strconv.Itoa(n) + "+?"
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// length is a part of a length in whole columns: something is never none.
func length(part, whole, of int) int {
	if part <= 0 || whole <= 0 {
		return 0
	}
	return max(1, (part*of+whole/2)/whole)
}
