package article

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

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
		case n.DataAtom == atom.Br || isBlock(n.DataAtom):
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
