package article

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// page is a tree laid out in document order, so that everything below works in
// loops over slices, whatever the depth of the tree.
type page struct {
	nodes []node
	lines []line
	// goodSum[i] is the weight of the good lines that begin before node i.
	goodSum []int32
	// quotes[i] counts the posts of other sites that begin before node i.
	quotes []int32
	// anchors are the indexes of headlines and named bodies, in order.
	anchors []int32
	url     string
	body    int32 // index of the body element, or of the root if there is none
}

// node is an element or a text of the page.
type node struct {
	n      *html.Node
	parent int32
	end    int32 // index behind the last node below this one
	line   int32 // of a text, the index of its line; else -1
	names  names // what class, id and role say of an element
	// out tells that the node is not part of the content: set of the uppermost
	// node when it is decided, and of all below it when lines are built.
	out bool
	// mass and links are the weights of good lines, and the characters in links,
	// of all that is below the node and not out.
	mass, chars, links int32
}

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

// newPage lays out the tree.
func newPage(root *html.Node, url string) *page {
	p := &page{url: url}
	up, quoted := int32(-1), int32(0) // index of the parent of n; posts seen so far
	for n := root; ; {
		i := int32(len(p.nodes))
		p.nodes = append(p.nodes, node{n: n, parent: up, line: -1})
		if n.Type == html.ElementNode {
			if n.DataAtom == atom.Body && p.body == 0 {
				p.body = i
			}
			nd := &p.nodes[i]
			nd.names = namesOf(n)
			if n.DataAtom == atom.H1 || nd.names&bodyName != 0 {
				p.anchors = append(p.anchors, i)
			}
			if nd.names&quoteName != 0 {
				quoted++
			}
		}
		p.quotes = append(p.quotes, quoted)
		if n.FirstChild != nil {
			up, n = i, n.FirstChild
			continue
		}
		p.nodes[i].end = i + 1
		for n != root && n.NextSibling == nil {
			n = n.Parent
			p.nodes[up].end = int32(len(p.nodes))
			up = p.nodes[up].parent
		}
		if n == root {
			p.quotes = append(p.quotes, quoted)
			return p
		}
		n = n.NextSibling
	}
}

// blocks are the elements that begin and end a line.
var blocks = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Body: true, atom.Button: true,
	atom.Caption: true, atom.Center: true, atom.Dd: true, atom.Details: true, atom.Dialog: true, atom.Div: true, atom.Dl: true,
	atom.Dt: true, atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true, atom.Footer: true, atom.Form: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Header: true,
	atom.Hgroup: true, atom.Hr: true, atom.Html: true, atom.Legend: true, atom.Li: true, atom.Main: true, atom.Menu: true,
	atom.Nav: true, atom.Ol: true, atom.Option: true, atom.P: true, atom.Pre: true, atom.Section: true, atom.Select: true,
	atom.Summary: true, atom.Table: true, atom.Tbody: true, atom.Td: true, atom.Textarea: true, atom.Tfoot: true, atom.Th: true,
	atom.Thead: true, atom.Tr: true, atom.Ul: true, atom.Iframe: true, atom.Video: true, atom.Audio: true, atom.Object: true,
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
			if blocks[nd.n.DataAtom] {
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
			case blocks[nd.n.DataAtom]:
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

// text is the line's text with white space collapsed, cut at maxText bytes.
func (p *page) text(l *line) string {
	var b strings.Builder
	for i := l.first; i <= l.last && b.Len() < maxText; i++ {
		nd := &p.nodes[i]
		if nd.n.Type != html.TextNode || nd.line < 0 {
			continue
		}
		writeCollapsed(&b, nd.n.Data)
	}
	return strings.TrimSpace(b.String())
}

// innerText is the text below a node, with white space collapsed, cut at limit
// bytes.
func (p *page) innerText(i int32, limit int) string {
	var b strings.Builder
	for j := i; j < min(p.nodes[i].end, i+maxInner) && b.Len() < limit; j++ {
		n := p.nodes[j].n
		switch {
		case n.Type == html.TextNode:
			writeCollapsed(&b, n.Data)
		case n.DataAtom == atom.Script || n.DataAtom == atom.Style || n.DataAtom == atom.Noscript:
			j = p.nodes[j].end - 1
		case n.DataAtom == atom.Br || blocks[n.DataAtom]:
			writeCollapsed(&b, " ")
		}
	}
	return strings.TrimSpace(b.String())
}

// maxInner bounds the nodes that are looked at for the text of one element.
const maxInner = 4000

func writeCollapsed(b *strings.Builder, s string) {
	blank := b.Len() > 0 && strings.HasSuffix(b.String(), " ")
	for _, r := range s {
		if r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' || r == 0xa0 {
			if !blank {
				b.WriteByte(' ')
			}
			blank = true
			continue
		}
		b.WriteRune(r)
		blank = false
		if b.Len() > 4*maxText {
			return
		}
	}
}

func isBlank(s string) bool {
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch r {
		case ' ', '\n', '\t', '\r', '\f', 0xa0, 0x200b, 0xfeff:
		default:
			return false
		}
		s = s[n:]
	}
	return true
}

func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return n.Attr[i].Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, key string) bool {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return true
		}
	}
	return false
}
