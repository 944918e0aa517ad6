package pdf

import (
	"cmp"
	"math"
	"slices"
	"unicode"
)

// groups splits the characters of a page by the direction of their lines, turns
// each group so that its lines run to the right, and returns them with the largest
// first: a rotated page reads like any other, and a stamp in the margin does not
// tear its lines.
func groups(list []glyph) [][]glyph {
	byAngle := map[int][]glyph{}
	var angles []int
	angle := 0
	for _, g := range list {
		if g.style == nil {
			continue
		}
		if !g.generated {
			angle = quantized(g.style.angle)
		}
		if _, seen := byAngle[angle]; !seen {
			angles = append(angles, angle)
		}
		byAngle[angle] = append(byAngle[angle], g)
	}
	var out [][]glyph
	for _, a := range angles {
		group := byAngle[a]
		if a == 0 && vertical(group) {
			a = -90
		}
		out = append(out, turned(group, float64(a)))
	}
	slices.SortStableFunc(out, func(a, b []glyph) int { return cmp.Compare(len(b), len(a)) })
	return out
}

func quantized(angle float64) int {
	a := int(math.Round(angle))
	if right := int(math.Round(angle/90)) * 90; a-right <= 2 && right-a <= 2 {
		a = right
	}
	return (a%360 + 360) % 360
}

// vertical tells that most of the East Asian characters of a group follow each
// other downwards.
func vertical(group []glyph) bool {
	down, across := 0, 0
	for i := 1; i < len(group); i++ {
		a, b := group[i-1], group[i]
		if a.generated || b.generated || !ideographic(a.r) || !ideographic(b.r) {
			continue
		}
		dx, dy := math.Abs(b.x-a.x), a.y-b.y
		switch s := a.style.size; {
		case dx < 0.2*s && dy > 0.5*s && dy < 2*s:
			down++
		case dx > 0.3*s && math.Abs(dy) < 0.3*s:
			across++
		}
	}
	return down > across
}

func ideographic(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo) || r >= 0x3000 && r < 0x3040 || r >= 0xFF00 && r < 0xFFF0)
}

// turned returns the characters turned clockwise by degrees.
func turned(group []glyph, degrees float64) []glyph {
	if degrees == 0 {
		return group
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	turn := func(x, y float64) (float64, float64) { return x*cos + y*sin, y*cos - x*sin }
	out := slices.Clone(group)
	for i := range out {
		g := &out[i]
		x1, y1 := turn(g.left, g.bottom)
		x2, y2 := turn(g.right, g.top)
		x3, y3 := turn(g.left, g.top)
		x4, y4 := turn(g.right, g.bottom)
		g.x, g.y = turn(g.x, g.y)
		g.left, g.right = min(x1, x2, x3, x4), max(x1, x2, x3, x4)
		g.bottom, g.top = min(y1, y2, y3, y4), max(y1, y2, y3, y4)
		if degrees == -90 { // vertical writing: the origin is not on the line's side
			g.y = g.bottom + 0.25*g.style.size
		}
	}
	return out
}
