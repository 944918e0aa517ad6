package article

import (
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// line is a run of text that a reader sees as one paragraph, item or line:
// consecutive texts with no boundary of a block between them.
type line struct {
	first, last int32 // indexes of its first and last text
	block       int32 // index of the block element that it stands in
	chars       int32 // characters, those of dense scripts counted more than once
	links       int32 // those of them in links
	words       int32
	stops       int32 // commas and ends of sentences
	ended       bool  // the line ends as a sentence does
	lower       bool  // the line starts with a small letter
	good        bool  // a paragraph by itself
	dropped     bool  // the line is not part of the content
	weight      int32 // what the line says for its container, negative if against
}

// maxText bounds the text of one line that is looked at as a string.
const maxText = 400

// isBlock tells whether an element begins and ends a line.
func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Button, atom.Caption, atom.Center, atom.Dd,
		atom.Details, atom.Dialog, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer,
		atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Html,
		atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.Option, atom.P, atom.Pre, atom.Section, atom.Select,
		atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Textarea, atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Ul,
		atom.Iframe, atom.Video, atom.Audio, atom.Object:
		return true
	}
	return false
}

// buildLines cuts the texts that are not out into lines and sums them up.
func (p *page) buildLines() {
	p.lines = p.lines[:0]
	for i := range p.nodes {
		p.nodes[i].line = -1
	}
	var (
		open  = false
		inA   int32 // index behind the link that is open
		block int32
		ends  []int32 // ends of the blocks that are open
		stack []int32
	)
	for i := int32(0); i < int32(len(p.nodes)); i++ {
		nd := &p.nodes[i]
		for len(ends) > 0 && ends[len(ends)-1] <= i {
			ends = ends[:len(ends)-1]
			stack = stack[:len(stack)-1]
			open = false
		}
		if nd.out {
			if isBlock(nd.n.DataAtom) {
				open = false
			}
			i = nd.end - 1
			continue
		}
		switch nd.n.Type {
		case html.ElementNode:
			switch {
			case nd.n.DataAtom == atom.Br:
				open = false
			case isBlock(nd.n.DataAtom):
				open = false
				ends = append(ends, nd.end)
				stack = append(stack, i)
			case nd.n.DataAtom == atom.A && hasAttr(nd.n, "href"):
				inA = max(inA, nd.end)
			}
		case html.TextNode:
			if isBlank(nd.n.Data) {
				continue
			}
			block = 0
			if len(stack) > 0 {
				block = stack[len(stack)-1]
			}
			if !open {
				p.lines = append(p.lines, line{first: i, block: block})
				open = true
			}
			l := &p.lines[len(p.lines)-1]
			l.last = i
			nd.line = int32(len(p.lines) - 1)
			l.add(nd.n.Data, i < inA)
		}
	}
	for i := range p.lines {
		p.lines[i].weigh()
	}
	p.sum()
}

// sum adds up what is below each node.
func (p *page) sum() {
	for i := range p.nodes {
		nd := &p.nodes[i]
		nd.mass, nd.chars, nd.links = 0, 0, 0
	}
	p.goodSum = slices.Grow(p.goodSum[:0], len(p.nodes)+1)[:len(p.nodes)+1]
	sum := int32(0)
	for i := range p.nodes {
		p.goodSum[i] = sum
		if k := p.nodes[i].line; k >= 0 && p.lines[k].first == int32(i) && p.lines[k].good {
			sum += p.lines[k].weight
		}
	}
	p.goodSum[len(p.nodes)] = sum
	for i := len(p.nodes) - 1; i >= 0; i-- {
		nd := &p.nodes[i]
		if nd.line >= 0 {
			if l := &p.lines[nd.line]; l.first == int32(i) {
				nd.mass += l.weight
				nd.chars += l.chars
				nd.links += l.links
			}
		}
		if nd.parent >= 0 {
			up := &p.nodes[nd.parent]
			up.mass += nd.mass
			up.chars += nd.chars
			up.links += nd.links
		}
	}
}

func (l *line) add(s string, linked bool) {
	chars, blank := int32(0), true
	for _, r := range s {
		switch {
		case r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' || r == 0xa0:
			blank = true
			continue
		case r >= 0x2e80 && r < 0xe000 || r >= 0xf900 && r < 0xfb00 || r >= 0xff00 && r < 0xffef:
			chars += 3 // a letter of these scripts says about as much as three
			l.words++
		default:
			chars++
		}
		if l.chars == 0 && chars > 0 && blank {
			l.lower = r >= 'a' && r <= 'z'
		}
		if blank {
			l.words++
			chars++
			blank = false
		}
		switch r {
		case ',', '，', '、', '،', ';', '；':
			l.stops++
			l.ended = false
		case '.', '!', '?', '。', '！', '？', '…', '؟', '।', ':', '：':
			l.stops++
			l.ended = true
		case '"', '\'', ')', '”', '’', '»', '」', '』', '）', ']', '“':
		default:
			l.ended = false
		}
	}
	l.chars += chars
	if linked {
		l.links += chars
	}
}

// weigh decides what a line says for its container.
func (l *line) weigh() {
	plain := l.chars - l.links
	switch {
	case l.links*4 > l.chars*3, l.links*2 > l.chars && plain < 80:
		l.weight = -min(l.chars, 40)
	case plain >= 80 && l.stops > 0:
		l.good = true
		l.weight = plain
	case plain >= 140:
		l.good = true
		l.weight = plain
	case plain >= 40 && l.ended:
		l.good = true
		l.weight = plain / 2
	case plain < 25:
		l.weight = -5
	}
}
