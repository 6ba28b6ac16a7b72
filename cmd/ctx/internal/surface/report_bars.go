package surface

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
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

// bar is one line of a drawing.
type bar struct {
	name    string
	cost    surface.Cost
	highest string // authority
}

func (d Drawn) printBars(s *iostreams.Streams) {
	for _, h := range d.Hosts {
		fmt.Fprintf(s.Out, "%s in %s, in tokens (%s)\n", s.Bold(iostreams.Clean(h.Title)), iostreams.Clean(d.Workspace), d.Tokenizer)
		budgetBar(s, h.Total.Resident, d.Budget)
		var kinds, origins []bar
		for _, k := range h.Kinds {
			kinds = append(kinds, bar{name: string(k.Kind), cost: k.Cost})
		}
		for _, a := range h.Around {
			kinds = append(kinds, bar{name: "around " + string(a.Kind), cost: a.Cost})
		}
		rest := bar{}
		more := 0
		for i, o := range page.Origins(h.Records) {
			if i < mostOrigins {
				origins = append(origins, bar{o.Name, o.Cost, o.Highest.Word})
				continue
			}
			more++
			rest.cost = rest.cost.Plus(o.Cost)
		}
		if more > 0 {
			rest.name = fmt.Sprintf("%d more", more)
			origins = append(origins, rest)
		}
		draw(s, "KIND", "", kinds)
		draw(s, "FROM", "AUTHORITY", origins)
		in := inkOf(s)
		fmt.Fprintf(s.Out, "  %s\n", s.Dim(fmt.Sprintf("%s in every request  %s deferred until the host asks; ctx surface report --output FILE.html draws a map", in.resident, in.deferred)))
		if n := len(h.Findings); n > 0 {
			fmt.Fprintf(s.Out, "  %s: ctx surface audit\n", s.Yellow(count(n, "finding")))
		}
		if n := unpriced(h); n > 0 {
			fmt.Fprintf(s.Out, "  %s of unknown price, in no bar: ctx surface inventory --probe-mcp asks those that you trust\n", s.Yellow(count(n, "record")))
		}
		blind(s, h.Inventory)
		fmt.Fprintln(s.Out)
	}
}

// unpriced counts the records whose price is not known.
func unpriced(h HostReport) int {
	n := 0
	for _, r := range h.Records {
		if r.Unmeasured != "" {
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
func draw(s *iostreams.Streams, what, which string, bars []bar) {
	in := inkOf(s)
	name, tier, longest := utf8.RuneCountInString(what), len(which), 0
	for i := range bars {
		b := &bars[i]
		b.name = iostreams.Clean(b.name)
		if r := []rune(b.name); len(r) > widestName {
			b.name = string(r[:widestName-1]) + in.cut
		}
		name, tier = max(name, utf8.RuneCountInString(b.name)), max(tier, len(b.highest))
		longest = max(longest, b.cost.Resident+b.cost.Deferred)
	}
	numbers := []string{"RESIDENT", "DEFERRED", "ON DEMAND"}
	room := cmp.Or(s.Width, usualWidth) - 2 - name - 1
	for _, n := range numbers {
		room -= len(n) + 2
	}
	if which != "" {
		room -= tier + 2
	}
	room = min(max(room, 8), widestBar)
	head := fmt.Sprintf("  %s  %s", pad(what, name), strings.Join(numbers, "  "))
	if which != "" {
		head += "  " + which
	}
	fmt.Fprintln(s.Out, s.Dim(head))
	for _, b := range bars {
		var line strings.Builder
		fmt.Fprintf(&line, "  %s  %8d  %8d  %9d  ", pad(b.name, name), b.cost.Resident, b.cost.Deferred, b.cost.OnDemand)
		if which != "" {
			fmt.Fprintf(&line, "%s  ", pad(b.highest, tier))
		}
		all := length(b.cost.Resident+b.cost.Deferred, longest, room)
		resident := min(all, length(b.cost.Resident, longest, room))
		dress := func(t string) string { return t }
		switch b.highest {
		case "destructive":
			dress = s.Red
		case "remote-write":
			dress = s.Yellow
		}
		line.WriteString(dress(strings.Repeat(in.resident, resident)) + s.Dim(strings.Repeat(in.deferred, all-resident)))
		fmt.Fprintln(s.Out, strings.TrimRight(line.String(), " "))
	}
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", width-utf8.RuneCountInString(text))
}

// length is a part of a length in whole columns: something is never none.
func length(part, whole, of int) int {
	if part <= 0 || whole <= 0 {
		return 0
	}
	return max(1, (part*of+whole/2)/whole)
}
