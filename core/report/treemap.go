package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ctx-sidecar/ctx/core/inventory"
)

// A treemap is drawn in these units, at most as many pixels.
const (
	mapWidth, mapHeight = 1200.0, 640.0

	heading   = 20.0   // the height of an origin's heading
	gap       = 2.0    // around what is drawn
	least     = 480.0  // the area of the smallest cell that is drawn by itself
	few       = 1500.0 // the same of an origin
	mostCells = 90     // of one origin
	letter    = 6.65   // the width of a letter of a label
	line      = 14.0   // the height of a line of one
)

// treemap is the cost of a host's records in one measure.
type treemap struct {
	measure
	Total         int // tokens
	Areas         []area
	Width, Height float64
}

// area is one origin in a treemap.
type area struct {
	box
	Origin  int    // in the page's table of origins; -1 for what is none
	Heading string // "" where there is no room
	Title   string
	Cells   []cell
}

// cell is one record in a treemap, or several that are too small to be drawn.
type cell struct {
	box
	Row    int // in the page's table of records; -1 for none
	Origin int
	Tier   Mark
	Use    Mark
	Title  string
	Lines  []string // as many as there is room for
}

// value is a record or an origin with what it costs in a measure.
type value struct {
	at, tokens int
}

// several is the place of values that are drawn as one.
const several = math.MinInt

// heaviest keeps the values that cost something, the heaviest first.
func heaviest(values []value) (kept []value, total int) {
	for _, v := range values {
		if v.tokens > 0 {
			kept = append(kept, v)
			total += v.tokens
		}
	}
	slices.SortStableFunc(kept, func(a, b value) int { return cmp.Compare(b.tokens, a.tokens) })
	return kept, total
}

// large is how many of the values are drawn by themselves when all of them share
// an area: the others become one cell.
func large(values []value, total int, area, least float64, most int) int {
	n := 0
	for n < len(values) && n < most && float64(values[n].tokens)/float64(total)*area >= least {
		n++
	}
	if n == len(values)-1 {
		n++ // one alone needs no cell for several
	}
	return n
}

func newTreemap(h *hostView, m measure) treemap {
	t := treemap{measure: m, Width: mapWidth, Height: mapHeight}
	var values []value
	for i, o := range h.origins {
		v := value{at: i}
		for _, r := range o.Records {
			v.tokens += m.of(h.records[r])
		}
		values = append(values, v)
	}
	for i, a := range h.around {
		values = append(values, value{at: -1 - i, tokens: m.of(inventory.Record{Cost: a.Cost})})
	}
	values, t.Total = heaviest(values)
	d := drawing{host: h, of: m.of}
	d.divide(values, t.Total, box{0, 0, mapWidth, mapHeight}, few, len(values), func(b box, one *value, rest []value) {
		if one != nil && one.at >= 0 {
			t.Areas = append(t.Areas, d.area(b, *one))
			return
		}
		t.Areas = append(t.Areas, d.nobody(b, one, rest))
	})
	return t
}

// drawing places the records of one host.
type drawing struct {
	host *hostView
	of   func(inventory.Record) int
}

// divide lays values out in a box and gives each its place: one, or the rest of
// them that are too small.
func (d drawing) divide(values []value, total int, in box, least float64, most int, place func(b box, one *value, rest []value)) {
	n := large(values, total, in.area(), least, most)
	shown, rest := slices.Clone(values[:n]), values[n:]
	if len(rest) > 0 {
		all := value{at: several}
		for _, v := range rest {
			all.tokens += v.tokens
		}
		// It takes its place in the order of size.
		at, _ := slices.BinarySearchFunc(shown, all, func(a, b value) int { return cmp.Compare(b.tokens, a.tokens) })
		shown = slices.Insert(shown, at, all)
	}
	sizes := make([]float64, len(shown))
	for i, v := range shown {
		sizes[i] = float64(v.tokens)
	}
	for i, b := range squarify(sizes, in) {
		if shown[i].at == several {
			place(b, nil, rest)
		} else {
			place(b, &shown[i], nil)
		}
	}
}

// area draws an origin with its records.
func (d drawing) area(b box, v value) area {
	o := d.host.origins[v.at]
	a := area{box: b.inset(gap / 2), Origin: v.at}
	a.Title = fmt.Sprintf("%s: %s", o.Name, counted(v.tokens, "token"))
	if a.h < 2.5*heading || a.w < 60 {
		a.Cells = []cell{d.whole(b, v)}
		return a
	}
	a.Heading = label(o.Name, a.w-12-letter*float64(len(group(v.tokens))+1), heading) + " " + group(v.tokens)
	inside := a.box
	inside.y, inside.h = inside.y+heading, inside.h-heading
	var values []value
	for _, r := range o.Records {
		values = append(values, value{r, d.of(d.host.records[r])})
	}
	values, total := heaviest(values)
	d.divide(values, total, inside, least, mostCells, func(b box, one *value, rest []value) {
		if one != nil {
			a.Cells = append(a.Cells, d.record(b, v.at, *one))
			return
		}
		a.Cells = append(a.Cells, d.more(b, v.at, rest))
	})
	return a
}

// whole draws an origin that has no room for its records.
func (d drawing) whole(b box, v value) cell {
	o := d.host.origins[v.at]
	if len(o.Records) == 1 {
		return d.record(b, v.at, value{o.Records[0], v.tokens})
	}
	c := cell{box: b.inset(gap / 2), Row: -1, Origin: v.at, Tier: o.Highest, Use: uses[2]}
	for _, r := range o.Records {
		switch use := useOf(d.host.records[r]); {
		case use == uses[0]:
			c.Use = use
		case use == uses[1] && c.Use == uses[2]:
			c.Use = use
		}
	}
	c.Title = fmt.Sprintf("%s: %s in %s, authority up to %s", o.Name, counted(v.tokens, "token"), counted(len(o.Records), "record"), o.Highest.Word)
	c.Lines = c.label(o.Name, group(v.tokens), "≤ "+o.Highest.Word)
	return c
}

// record draws one record.
func (d drawing) record(b box, origin int, v value) cell {
	r := d.host.records[v.at]
	c := cell{box: b.inset(gap / 2), Row: v.at, Origin: origin, Tier: tierOf(r), Use: useOf(r)}
	if v.at >= d.host.listed {
		c.Row = -1
	}
	name := plain(r.Name)
	c.Title = fmt.Sprintf("%s (%s): %s, %s, %s", name, r.Kind, counted(v.tokens, "token"), c.Tier.Word, useText(r))
	c.Lines = c.label(name, group(v.tokens)+" "+c.Tier.Word, c.Use.Letter+" "+useText(r))
	return c
}

// more draws the records of an origin that are too small.
func (d drawing) more(b box, origin int, rest []value) cell {
	tokens, highest := 0, tiers[0]
	for _, v := range rest {
		tokens += v.tokens
		highest = higher(highest, tierOf(d.host.records[v.at]))
	}
	c := cell{box: b.inset(gap / 2), Row: -1, Origin: origin, Tier: Mark{Class: "more"}}
	c.Title = fmt.Sprintf("%s more of %s: %s, authority up to %s", group(len(rest)), d.host.origins[origin].Name, counted(tokens, "token"), highest.Word)
	c.Lines = c.label(group(len(rest))+" more", group(tokens)+" ≤ "+highest.Word)
	return c
}

// nobody draws the host's own words, or the origins that are too small.
func (d drawing) nobody(b box, one *value, rest []value) area {
	a := area{box: b.inset(gap / 2), Origin: -1}
	c := cell{box: a.box, Row: -1, Origin: -1, Tier: Mark{Class: "more"}}
	if one != nil {
		kind := d.host.around[-1-one.at].Kind
		c.Tier, c.Use = tiers[0], uses[2]
		c.Title = fmt.Sprintf("The host's own words around every %s: %s", kind, counted(one.tokens, "token"))
		c.Lines = c.label("host's words", group(one.tokens)+" around "+string(kind))
	} else {
		tokens := 0
		for _, v := range rest {
			tokens += v.tokens
		}
		c.Title = fmt.Sprintf("%s more origins: %s; see the table of origins", group(len(rest)), counted(tokens, "token"))
		c.Lines = c.label(group(len(rest))+" more", group(tokens)+" tokens")
	}
	a.Title, a.Cells = c.Title, []cell{c}
	return a
}

// label keeps of the lines those for which a cell has room. The letter of its
// tier stands where no line does.
func (c cell) label(lines ...string) []string {
	var kept []string
	for i, l := range lines {
		text := label(l, c.w-8, c.h-8-line*float64(i))
		if text == "" {
			break
		}
		kept = append(kept, text)
	}
	if len(kept) == 0 && c.Tier.Letter != "" && c.w >= 14 && c.h >= line+2 {
		kept = []string{c.Tier.Letter}
	}
	return kept
}

// label is a text as far as it fits into a width; "" where it is higher than
// there is room.
func label(text string, width, height float64) string {
	if height < line-4 {
		return ""
	}
	return fit(text, int(width/letter))
}

// X, Y, W and H are where a rectangle is drawn.
func (b box) X() string { return units(b.x) }
func (b box) Y() string { return units(b.y) }
func (b box) W() string { return units(b.w) }
func (b box) H() string { return units(b.h) }

// TextX and TextY are where a heading is written.
func (b box) TextX() string { return units(b.x + 6) }
func (b box) TextY() string { return units(b.y + line) }

func units(f float64) string { return fmt.Sprintf("%.1f", f) }
