package pdf

import (
	"math"
	"unicode"
)

// segment is a stretch of characters that stand close together on one baseline, in
// the order in which they are read. Coordinates are those of its group, in which
// text runs to the right and lines follow downwards.
type segment struct {
	text        []mark
	order       int      // place in the content of the page
	next        *segment // in that content
	left, right float64
	base        float64
	size        float64 // of most of it
	bold        bool
	rtl         int // right-to-left letters less left-to-right ones
}

// mark is a character of a segment, with the place on the page where it stands.
type mark struct {
	r    rune
	x, y float32
}

func (s *segment) bottom() float64 { return s.base - 0.25*s.size }
func (s *segment) top() float64    { return s.base + 0.75*s.size }

// overlap is how much of the lower of two spans the other covers, from 0 to 1.
func overlap(low1, high1, low2, high2 float64) float64 {
	return (min(high1, high2) - max(low1, low2)) / max(0.01, min(high1-low1, high2-low2))
}

// wordGap and cellGap are the gaps, in font sizes, over which characters of one
// line still belong together, without and with a blank between them.
const (
	wordGap = 1.0
	cellGap = 1.6
)

// segments splits the characters of a group where the pen jumps.
func segments(group []glyph) []*segment {
	var list []*segment
	var cur *segment
	var last glyph
	blank, broken := false, false
	sizes := map[float64]int{}
	bases := map[float64]float64{} // of the first character of each size
	bolds := 0
	finish := func() {
		if cur != nil {
			most := 0
			for size, n := range sizes {
				if n > most || n == most && size > cur.size {
					cur.size, most = size, n
				}
			}
			cur.bold = 2*bolds > len(cur.text)
			cur.base = bases[cur.size]
			if n := len(list); n > 0 {
				list[n-1].next = cur
			}
			list = append(list, cur)
		}
		cur, bolds, blank, broken = nil, 0, false, false
		clear(sizes)
		clear(bases)
	}
	for i, g := range group {
		if g.generated && g.r != lineHyphen {
			if g.r == '\r' || g.r == '\n' {
				broken = true
			} else {
				blank = true
			}
			continue
		}
		if unicode.IsSpace(g.r) || g.r == '\u00a0' {
			blank = true
			continue
		}
		if g.generated { // a hyphen at the end of a line has no place of its own
			if cur != nil {
				cur.text = append(cur.text, mark{g.r, last.px, last.py})
				finish()
			}
			continue
		}
		if cur != nil && jumps(last, g, blank) {
			finish()
		}
		if cur == nil {
			cur = &segment{order: i, left: g.left, right: g.right}
		} else if blank || broken && !touches(last, g) {
			cur.text = append(cur.text, mark{' ', g.px, g.py})
		}
		blank, broken = false, false
		cur.text = append(cur.text, mark{g.r, g.px, g.py})
		cur.left, cur.right = min(cur.left, g.left), max(cur.right, g.right)
		cur.rtl += direction(g.r)
		size := math.Round(g.style.size*4) / 4
		if sizes[size]++; sizes[size] == 1 {
			bases[size] = g.y
		}
		if g.style.bold {
			bolds++
		}
		last = g
	}
	finish()
	return list
}

// jumps tells that b does not continue the line of a.
func jumps(a, b glyph, blank bool) bool {
	sa, sb := a.style.size, b.style.size
	if high := overlap(a.y-0.25*sa, a.y+0.75*sa, b.y-0.25*sb, b.y+0.75*sb); high < 0.1 || high < 0.4 && !touches(a, b) {
		return true // but an exponent follows directly
	}
	limit := wordGap * max(sa, sb)
	if blank {
		limit = cellGap * max(sa, sb)
	}
	gap := b.left - a.right
	if b.left < a.left {
		gap = a.left - b.right
	}
	return gap > limit
}

// touches tells that b stands directly behind a.
func touches(a, b glyph) bool {
	gap := b.left - a.right
	if b.left < a.left {
		gap = a.left - b.right
	}
	return math.Abs(gap) < 0.2*max(a.style.size, b.style.size)
}

// direction is 1 for a letter of a script that is written from right to left, -1
// for one of another, else 0.
func direction(r rune) int {
	switch {
	case r < 'A':
		return 0
	case r >= 0x0590 && r < 0x0900, r >= 0xFB1D && r < 0xFE00, r >= 0xFE70 && r < 0xFEFF, r >= 0x10800 && r < 0x11000, r >= 0x1E800 && r < 0x1F000:
		if unicode.IsLetter(r) {
			return 1
		}
		return 0
	case unicode.IsLetter(r):
		return -1
	}
	return 0
}
