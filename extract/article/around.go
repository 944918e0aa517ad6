package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// dropUnseen drops what no reader sees, and controls.
func (p *page) dropUnseen() {
	for i := int32(0); i < int32(len(p.nodes)); i++ {
		nd := &p.nodes[i]
		if nd.n.Type == html.CommentNode || nd.n.Type == html.DoctypeNode {
			nd.out = true
			continue
		}
		if nd.n.Type != html.ElementNode {
			continue
		}
		if unseen(nd.n) {
			nd.out = true
			i = nd.end - 1
		}
	}
}

func unseen(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Head, atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Canvas,
		atom.Video, atom.Audio, atom.Select, atom.Textarea, atom.Input, atom.Button, atom.Datalist, atom.Noframes, atom.Map, atom.Dialog:
		return true
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "hidden":
			return true
		case "style":
			s := strings.ReplaceAll(strings.ToLower(a.Val), " ", "")
			if strings.Contains(s, "display:none") || strings.Contains(s, "visibility:hidden") {
				return true
			}
		case "aria-hidden":
			if a.Val == "true" {
				return true
			}
		}
	}
	return false
}

// dropAround drops what stands around the content by its names, unless it holds
// much of the page's text.
func (p *page) dropAround(title int32) {
	const (
		around = navName | sideName | footName | adName | shareName | commentName | relatedName | signupName | consentName | hiddenName
		// sure are names that nobody gives to what holds an article.
		sure = commentName | shareName | hiddenName
	)
	total := p.good(p.body)
	if title >= 0 && (p.goodSum[p.nodes[p.body].end]-p.goodSum[title])*2 > total {
		for i := p.body; i < title; i++ {
			if nd := &p.nodes[i]; nd.n.Type == html.TextNode {
				nd.out = true
			}
		}
	}
	for i := p.body + 1; i < int32(len(p.nodes)); i++ {
		nd := &p.nodes[i]
		if nd.out {
			i = nd.end - 1
			continue
		}
		if nd.n.Type != html.ElementNode || nd.names&around == 0 || nd.names&(bodyName|quoteName) != 0 {
			continue
		}
		switch nd.n.DataAtom {
		case atom.Body, atom.Main, atom.H1, atom.A, atom.Span, atom.B, atom.Strong, atom.Em, atom.I, atom.P:
			if nd.n.DataAtom != atom.P && nd.n.DataAtom != atom.A && nd.n.DataAtom != atom.Span || nd.names&(hiddenName|adName|shareName|relatedName) == 0 {
				continue
			}
		}
		if p.holdsContent(i, total, nd.names&sure != 0) {
			continue
		}
		nd.out = true
		i = nd.end - 1
	}
}

// holdsContent tells whether a node named as if it stood around the content
// holds it nevertheless.
func (p *page) holdsContent(i, total int32, sure bool) bool {
	good := p.good(i)
	if !sure || p.nodes[i].names&shareName != 0 {
		for j := i + 1; j < p.nodes[i].end; j++ {
			if p.nodes[j].names&quoteName != 0 {
				return true
			}
		}
	}
	if good*5 < total {
		return false
	}
	for j := i + 1; j < p.nodes[i].end; j++ {
		nd := &p.nodes[j]
		if nd.names&bodyName != 0 && p.good(j)*3 > good {
			return true
		}
		if nd.n.DataAtom == atom.H1 && !sure {
			return true
		}
	}
	if sure {
		return good*10 > total*9
	}
	return good*10 > total*6
}

// good is the weight of the good lines below a node.
func (p *page) good(i int32) int32 {
	return p.goodSum[p.nodes[i].end] - p.goodSum[i]
}
