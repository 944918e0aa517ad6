package pdf

import (
	"cmp"
	"math"
	"slices"

	"github.com/quarry-sdk/quarry/extract"
)

// The measures of a heading.
const (
	headingSize  = 1.15 // in sizes of the body
	headingBytes = 300
	headingLines = 4
)

// headings makes headings of the short paragraphs that are set larger than the body
// of the document. Levels follow the sizes.
func headings(pages []*page) {
	body := bodySize(pages)
	if body == 0 {
		return
	}
	var found []*block
	var sizes []float64
	for _, p := range pages {
		for i := range p.blocks {
			g := &p.blocks[i]
			if g.kind == extract.Paragraph && !g.aside && g.size >= headingSize*body && g.short() {
				found = append(found, g)
				sizes = append(sizes, rounded(g.size))
			}
		}
	}
	slices.SortFunc(sizes, func(a, b float64) int { return cmp.Compare(b, a) })
	sizes = slices.Compact(sizes)
	for _, g := range found {
		g.kind = extract.Heading
		g.level = min(6, slices.Index(sizes, rounded(g.size))+1)
	}
}

func rounded(size float64) float64 { return math.Round(size*2) / 2 }

// bodySize is the size that most characters have.
func bodySize(pages []*page) float64 {
	count := map[float64]int{}
	for _, p := range pages {
		for _, g := range p.blocks {
			count[rounded(g.size)] += len(g.text)
		}
	}
	best, most := 0.0, 0
	for size, n := range count {
		if n > most || n == most && size < best {
			best, most = size, n
		}
	}
	return best
}

// short tells that a block is as short as a heading and says something.
func (b *block) short() bool {
	return b.letters && len(b.text) <= headingBytes && b.lines <= headingLines
}
