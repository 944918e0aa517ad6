package article

import (
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// prune drops from the container what is not the text itself.
func (p *page) prune(top int32, titles []string, lang string) {
	p.dropInside(top)
	p.buildLines()
	if p.good(top) == 0 {
		return // without a paragraph there is nothing to judge links and lines by
	}
	p.dropLists(top)
	p.buildLines()
	p.dropLines(top, titles, lang)
}

// dropInside drops elements in the container by their names.
func (p *page) dropInside(top int32) {
	inside := captionName | bylineName | bioName | tagsName | mediaName | titleName | dekName
	total := p.good(top)
	for i := top + 1; i < p.nodes[top].end; i++ {
		nd := &p.nodes[i]
		if nd.out {
			i = nd.end - 1
			continue
		}
		if nd.n.Type != html.ElementNode {
			continue
		}
		drop := false
		named := inside
		if p.goodSum[i] > p.goodSum[top] {
			named &^= dekName // what introduces a text stands before it
		}
		switch nd.n.DataAtom {
		case atom.Tr, atom.Td, atom.Th, atom.Tbody, atom.Blockquote, atom.Q, atom.H2, atom.H3:
			drop = nd.names&named&(captionName|bylineName|dekName) != 0
		case atom.H1, atom.Form:
			drop = true
		default:
			drop = nd.names&named != 0 && nd.names&(bodyName|quoteName) == 0
		}
		// What only introduces or captions a text may weigh much beside a short one.
		share := int32(4)
		if nd.names&(dekName|captionName|bylineName) != 0 {
			share = 2
		}
		if nd.names&inside == bylineName && nd.chars > maxByline {
			continue
		}
		if drop && p.good(i)*share < total {
			nd.out = true
			i = nd.end - 1
		}
	}
}

// maxByline is how many characters a byline has at most.
const maxByline = 400

// dropLists drops blocks that are mostly links.
func (p *page) dropLists(top int32) {
	total := p.nodes[top].chars
	for i := top + 1; i < p.nodes[top].end; i++ {
		nd := &p.nodes[i]
		if nd.out {
			i = nd.end - 1
			continue
		}
		if nd.n.Type != html.ElementNode || !blocks[nd.n.DataAtom] || nd.chars == 0 {
			continue
		}
		switch nd.n.DataAtom {
		case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Li, atom.Td, atom.Tr, atom.Th, atom.Blockquote:
			continue
		}
		if nd.links*10 > nd.chars*8 && nd.chars*2 < total && p.linesIn(i) >= 3 {
			nd.out = true
			i = nd.end - 1
		}
	}
}

// linesIn is the number of lines that begin below a node.
func (p *page) linesIn(i int32) int {
	from, _ := slices.BinarySearchFunc(p.lines, i, func(l line, at int32) int { return int(l.first) - int(at) })
	to, _ := slices.BinarySearchFunc(p.lines, p.nodes[i].end, func(l line, at int32) int { return int(l.first) - int(at) })
	return to - from
}

// dropLines drops lines by what they say and where they stand.
func (p *page) dropLines(top int32, titles []string, lang string) {
	var in []int
	for k := range p.lines {
		if p.inside(p.lines[k].first, top) {
			in = append(in, k)
		}
	}
	p.dropSections(in)
	first, last := -1, -1
	for x, k := range in {
		l := &p.lines[k]
		if l.chars < 250 {
			text := p.text(l)
			switch {
			case l.dropped:
			case isLabel(text):
				l.dropped = true
			case l.chars < 200 && (pointer().MatchString(text) || pointerWide().MatchString(text)) && l.links*3 > l.chars:
				l.dropped = true
			case prompt().MatchString(text):
				l.dropped = true
			case l.links*10 > l.chars*8 && l.chars > 30 && p.alone(l) && !(x > 0 && p.level(&p.lines[in[x-1]]) > 0):
				l.dropped = true
			}
		}
		if l.good && !l.dropped {
			if first < 0 {
				first = x
			}
			last = x
		}
	}
	if first < 0 {
		return
	}
	p.trimStart(in[:first+1], titles, lang)
	p.trimEnd(in, last)
	p.dropOrphans(in)
}

// trimStart drops titles, bylines and links before the first paragraph.
func (p *page) trimStart(in []int, titles []string, lang string) {
	known := map[string]bool{}
	for _, s := range titles {
		known[fold(s)] = true
	}
	for _, k := range in {
		l := &p.lines[k]
		if l.chars > 300 {
			continue
		}
		text := p.text(l)
		if known[fold(text)] || !l.good && (isByline(text, lang) || l.links*2 > l.chars) {
			l.dropped = true
		}
	}
}

// trimEnd drops credits, links and headings behind the last paragraph.
func (p *page) trimEnd(in []int, last int) {
	for x := len(in) - 1; x >= 0; x-- {
		l := &p.lines[in[x]]
		if l.dropped {
			continue
		}
		text := p.text(l)
		switch {
		case credit().MatchString(text):
		case x > last && (l.links*2 > l.chars || p.level(l) > 0):
		case x <= last:
			return
		default:
			continue
		}
		l.dropped = true
	}
}

// dropOrphans drops headings when nothing is left of what they stood over, lower
// headings included.
func (p *page) dropOrphans(in []int) {
	for x, k := range in {
		l := &p.lines[k]
		level := p.level(l)
		if l.dropped || level == 0 {
			continue
		}
		gone, left := 0, false
		for _, m := range in[x+1:] {
			next := &p.lines[m]
			if next.dropped {
				gone++
				continue
			}
			below := p.level(next)
			left = below == 0 || below > level
			break
		}
		l.dropped = gone > 0 && !left
	}
}

// alone tells whether a line is all there is in its paragraph, outside of lists,
// tables and headings.
func (p *page) alone(l *line) bool {
	switch p.nodes[l.block].n.DataAtom {
	case atom.P, atom.Div, atom.Section, atom.Center, atom.Body, atom.Article:
	default:
		return false
	}
	for i, steps := p.nodes[l.block].parent, 0; i >= 0 && steps < maxClimb; i, steps = p.nodes[i].parent, steps+1 {
		switch p.nodes[i].n.DataAtom {
		case atom.Li, atom.Td, atom.Th, atom.Blockquote, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			return false
		case atom.Article, atom.Main, atom.Body:
			return true
		}
	}
	return true
}

// level is the level of the heading that a line stands in; 0 outside of one.
func (p *page) level(l *line) int {
	if n := p.nodes[l.block].n; isHeading(n) {
		return int(n.Data[1] - '0')
	}
	return 0
}
