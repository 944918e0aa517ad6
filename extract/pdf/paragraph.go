package pdf

import (
	"math"
	"slices"

	"github.com/quarry-sdk/quarry/extract"
)

// paragraph is a block of a page with the places of its characters.
type paragraph struct {
	lines []line
	size  float64
	kind  extract.BlockKind
	level int
	bold  bool
}

// paragraphs joins the lines of a region to paragraphs.
func paragraphs(list []line) []paragraph {
	if len(list) == 0 {
		return nil
	}
	leading := typicalLeading(list)
	left, right := math.Inf(1), math.Inf(-1)
	for _, l := range list {
		left, right = min(left, l.left), max(right, l.right)
	}
	var out []paragraph
	for i, l := range list {
		row := l.cells > 1 && (i > 0 && list[i-1].cells > 1 || i+1 < len(list) && list[i+1].cells > 1)
		if i > 0 && !row && out[len(out)-1].kind != extract.TableRow && continues(list[i-1], l, leading, left, right) {
			p := &out[len(out)-1]
			p.lines = append(p.lines, l)
			p.bold = p.bold && l.bold
			continue
		}
		p := paragraph{lines: []line{l}, size: l.size, kind: extract.Paragraph, bold: l.bold}
		switch {
		case row:
			p.kind = extract.TableRow
		case l.bulleted():
			p.kind, p.level = extract.ListItem, 1
		}
		out = append(out, p)
	}
	return out
}

// continues tells that line b belongs to the paragraph of line a above it.
func continues(a, b line, leading, left, right float64) bool {
	size := max(a.size, b.size)
	if math.Abs(a.size-b.size) > 0.15*size {
		return false
	}
	if a.hyphenated() && b.startsLower() {
		return true
	}
	distance := a.base - b.base
	if distance > 1.3*leading && distance > 1.25*size || distance > 2.5*size {
		return false
	}
	if b.bulleted() {
		return false
	}
	if a.bold != b.bold && a.endsSentence() != b.endsSentence() && a.bold {
		return false
	}
	near, far := a.left, a.right
	start, edge, other := b.left, left, right
	if b.rtl { // mirrored
		near, far = -a.right, -a.left
		start, edge, other = -b.right, -right, -left
	}
	short := other-far > 0.2*(other-edge)
	if short && a.endsSentence() {
		return false
	}
	// An indented first line starts a paragraph, but the line behind one does not.
	if start-near > 0.8*size && start-edge > 0.8*size && near-edge < 0.5*size && (short || a.endsSentence()) {
		return false
	}
	return true
}

// typicalLeading is the distance between most lines.
func typicalLeading(list []line) float64 {
	var steps []float64
	for i := 1; i < len(list); i++ {
		if d := list[i-1].base - list[i].base; d > 0.5*list[i].size && d < 3*list[i].size {
			steps = append(steps, d)
		}
	}
	if len(steps) == 0 {
		return 1.2 * list[0].size
	}
	slices.Sort(steps)
	return steps[(len(steps)-1)/3] // lines of a paragraph are closer than paragraphs
}
