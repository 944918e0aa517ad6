package article

import (
	"slices"

	"golang.org/x/net/html/atom"
)

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
