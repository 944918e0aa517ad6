package pdf

import (
	"cmp"
	"math"
	"slices"
)

// The measures of columns, in font sizes and shares.
const (
	gutterWidth  = 0.8  // of the strip between columns
	columnLines  = 2    // that a column has at least
	crossedLines = 0.35 // lines across the strip, to those of the shorter column
	sideChanges  = 0.5  // changes from one side to the other in the page's content, to lines
	bandGap      = 1.3  // between lines of different bands
	splitDepth   = 24
)

// regions splits the segments of a group into parts that are read one after the
// other, each line by line. A strip of white that divides lines over some height
// parts two columns, unless the content of the page goes back and forth across it,
// as that of a table does; lines that run across the strip are read between what
// stands above and below them.
func regions(segs []*segment, depth int) [][]*segment {
	if len(segs) < 2*columnLines || depth >= splitDepth {
		return [][]*segment{segs}
	}
	if left, right, across, ok := columns(segs); ok {
		return bands(left, right, across, depth)
	}
	if above, below, ok := cut(segs); ok {
		return append(regions(above, depth+1), regions(below, depth+1)...)
	}
	return [][]*segment{segs}
}

// bands reads the columns between each two lines that run across them.
func bands(left, right, across []*segment, depth int) [][]*segment {
	var out [][]*segment
	take := func(list *[]*segment, above float64) []*segment {
		n := 0
		for n < len(*list) && (*list)[n].base > above {
			n++
		}
		part := (*list)[:n]
		*list = (*list)[n:]
		return part
	}
	rtl := 0
	for _, s := range slices.Concat(left, right) {
		rtl += s.rtl
	}
	if rtl > 0 {
		left, right = right, left
	}
	for _, list := range [][]*segment{left, right, across} {
		slices.SortStableFunc(list, func(a, b *segment) int { return cmp.Compare(b.base, a.base) })
	}
	for {
		above := math.Inf(-1)
		if len(across) > 0 {
			above = across[0].base
		}
		l, r := take(&left, above), take(&right, above)
		for _, part := range [][]*segment{l, r} {
			if len(part) > 0 {
				out = append(out, regions(part, depth+1)...)
			}
		}
		if len(across) == 0 {
			return out
		}
		// The lines across with no column between them.
		next := math.Inf(-1)
		if len(left) > 0 {
			next = left[0].base
		}
		if len(right) > 0 {
			next = max(next, right[0].base)
		}
		n := 1
		for n < len(across) && across[n].base >= next {
			n++
		}
		out = append(out, regions(across[:n:n], depth+1)...)
		across = across[n:]
	}
}

// columns finds the widest strip of white that parts two columns.
func columns(segs []*segment) (left, right, across []*segment, ok bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range segs {
		low, high = min(low, s.left), max(high, s.right)
	}
	size := typicalSize(segs)
	const bins = 1024
	width := (high - low) / bins
	if width <= 0 || size <= 0 {
		return nil, nil, nil, false
	}
	// covered counts the segments over each bin.
	var covered [bins + 1]int
	for _, s := range segs {
		covered[int((s.left-low)/width)]++
		covered[min(bins, int((s.right-low)/width)+1)]--
	}
	for i := 1; i < bins; i++ {
		covered[i] += covered[i-1]
	}
	type strip struct {
		from, to int
	}
	var strips []strip
	limits := []int{0, len(segs) / 20, len(segs) / 8}
	for i, limit := range limits {
		if i > 0 && limit == limits[i-1] {
			continue
		}
		from := -1
		for x := 0; x <= bins; x++ {
			if x < bins && covered[x] <= limit {
				if from < 0 {
					from = x
				}
				continue
			}
			if from >= 0 && float64(x-from)*width >= gutterWidth*size {
				strips = append(strips, strip{from, x})
			}
			from = -1
		}
	}
	slices.SortStableFunc(strips, func(a, b strip) int { return cmp.Compare(b.to-b.from, a.to-a.from) })
	for _, s := range strips[:min(len(strips), 12)] {
		from, to := low+float64(s.from)*width, low+float64(s.to)*width
		left, right, across = side(segs, from, to)
		if parted(left, right, across) {
			return left, right, across, true
		}
	}
	return nil, nil, nil, false
}

// side sorts segments to the sides of a strip.
func side(segs []*segment, from, to float64) (left, right, across []*segment) {
	mid := (from + to) / 2
	for _, s := range segs {
		switch {
		case s.right <= mid:
			left = append(left, s)
		case s.left >= mid:
			right = append(right, s)
		default:
			across = append(across, s)
		}
	}
	return left, right, across
}

// parted tells that what stands on the two sides of a strip is not read across it.
func parted(left, right, across []*segment) bool {
	l, r := lineCount(left), lineCount(right)
	few := min(l, r)
	if few < columnLines || float64(lineCount(across)) > max(1, crossedLines*float64(few)) && float64(lineCount(across)) > crossedLines*float64(max(l, r)) {
		return false
	}
	// Columns stand side by side.
	if overlap(lowest(left), highest(left), lowest(right), highest(right)) < 0.3 {
		return false
	}
	type step struct {
		order int
		right bool
	}
	var steps []step
	for _, s := range left {
		steps = append(steps, step{s.order, false})
	}
	for _, s := range right {
		steps = append(steps, step{s.order, true})
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.order, b.order) })
	changes := 0
	for i := 1; i < len(steps); i++ {
		if steps[i].right != steps[i-1].right {
			changes++
		}
	}
	if few == 2 { // too few to tell from a table unless they are written apart
		return changes == 1
	}
	return float64(changes) <= max(2, sideChanges*float64(few))
}

// cut splits segments at the widest band of white, if it is wider than lines of one
// part are apart.
func cut(segs []*segment) (above, below []*segment, ok bool) {
	sorted := slices.Clone(segs)
	slices.SortStableFunc(sorted, func(a, b *segment) int { return cmp.Compare(b.top(), a.top()) })
	size := typicalSize(segs)
	low := sorted[0].bottom()
	at, widest := 0, bandGap*size
	for i, s := range sorted[1:] {
		if gap := low - s.top(); gap > widest {
			at, widest = i+1, gap
		}
		low = min(low, s.bottom())
	}
	if at == 0 {
		return nil, nil, false
	}
	return sorted[:at:at], sorted[at:], true
}

// lineCount counts the lines on which segments stand.
func lineCount(segs []*segment) int {
	bases := make([]float64, len(segs))
	for i, s := range segs {
		bases[i] = s.base
	}
	slices.Sort(bases)
	n := 0
	last := math.Inf(-1)
	for _, b := range bases {
		if b-last > 3 {
			n++
			last = b
		}
	}
	return n
}

func lowest(segs []*segment) float64 {
	low := math.Inf(1)
	for _, s := range segs {
		low = min(low, s.bottom())
	}
	return low
}

func highest(segs []*segment) float64 {
	high := math.Inf(-1)
	for _, s := range segs {
		high = max(high, s.top())
	}
	return high
}

// typicalSize is the median size of the characters.
func typicalSize(segs []*segment) float64 {
	type weighed struct {
		size float64
		n    int
	}
	list := make([]weighed, len(segs))
	total := 0
	for i, s := range segs {
		list[i] = weighed{s.size, len(s.text)}
		total += len(s.text)
	}
	slices.SortFunc(list, func(a, b weighed) int { return cmp.Compare(a.size, b.size) })
	sum := 0
	for _, w := range list {
		sum += w.n
		if 2*sum >= total {
			return w.size
		}
	}
	return 0
}
