package article

import (
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
		if nd.n.Type != html.ElementNode || !isBlock(nd.n.DataAtom) || nd.chars == 0 {
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
