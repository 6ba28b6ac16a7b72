package report

// box is a rectangle in the units of a drawing.
type box struct{ x, y, w, h float64 }

func (b box) area() float64 { return b.w * b.h }

func (b box) inset(by float64) box {
	return box{b.x + by, b.y + by, max(0, b.w-2*by), max(0, b.h-2*by)}
}

// squarify divides a box among values, the largest first, into rectangles that
// are as near to squares as can be, after Bruls, Huizing and van Wijk, "Squarified
// Treemaps" (Data Visualization 2000). Values must be positive.
func squarify(values []float64, within box) []box {
	var sum float64
	for _, v := range values {
		sum += v
	}
	boxes := make([]box, 0, len(values))
	for len(values) > 0 {
		scale := within.area() / sum
		short := min(within.w, within.h)
		// A row takes values as long as they make its worst rectangle better.
		n, row := 1, values[0]
		for ; n < len(values) && worst(values[:n+1], row+values[n], short, scale) <= worst(values[:n], row, short, scale); n++ {
			row += values[n]
		}
		at := within
		thick := 0.0
		if short > 0 {
			thick = row * scale / short
		}
		for _, v := range values[:n] {
			long := v / row * short
			if within.w >= within.h {
				boxes = append(boxes, box{within.x, at.y, thick, long})
				at.y += long
			} else {
				boxes = append(boxes, box{at.x, within.y, long, thick})
				at.x += long
			}
		}
		if within.w >= within.h {
			within.x, within.w = within.x+thick, max(0, within.w-thick)
		} else {
			within.y, within.h = within.y+thick, max(0, within.h-thick)
		}
		values, sum = values[n:], sum-row
	}
	return boxes
}

// worst is the largest ratio of sides in a row along a side. The values of a row
// fall, so it is that of the first or the last.
func worst(row []float64, sum, side, scale float64) float64 {
	across := sum * scale * sum * scale
	square := side * side
	first, last := row[0]*scale, row[len(row)-1]*scale
	return max(square*first/across, across/(square*last))
}
