package article

import (
	"slices"
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
		atom.Video, atom.Audio, atom.Select, atom.Textarea, atom.Input, atom.Button, atom.Datalist, atom.Noframes, atom.Map, atom.Dialog, atom.Rt, atom.Rp:
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

const (
	// aroundNames are those of what stands around a text.
	aroundNames = navName | sideName | footName | adName | shareName | commentName | relatedName | teaserName | signupName | consentName | hiddenName
	// surelyAround are those that nobody gives to what holds a text.
	surelyAround = commentName | consentName | hiddenName
	// inlineAround are those that an element within a line is dropped for.
	inlineAround = hiddenName | consentName | adName | shareName | relatedName
)

// dropAround drops what stands around the content by its names, and what stands
// before the title. If that leaves little, only the surest names count.
func (p *page) dropAround(title int32) {
	total := p.good(p.body)
	if title >= 0 && (p.goodSum[p.nodes[p.body].end]-p.goodSum[title])*2 > total {
		for i := p.body; i < title; i++ {
			if nd := &p.nodes[i]; nd.n.Type == html.TextNode {
				nd.out = true
			}
		}
	}
	dropped := p.dropNamed(aroundNames, total)
	p.buildLines()
	marked := p.heaviest(-1, func(i int32) bool { return p.nodes[i].names&bodyName != 0 })
	if p.good(p.body)*4 >= total || marked >= 0 && p.nodes[marked].chars >= minMarked {
		return
	}
	for _, i := range dropped {
		p.nodes[i].out = false
	}
	p.dropNamed(surelyAround|footName, total)
	p.buildLines()
}

// dropNamed drops elements that have one of the names and do not hold the
// content nevertheless.
func (p *page) dropNamed(around names, total int32) []int32 {
	var dropped []int32
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
		case atom.Body, atom.Main, atom.H1, atom.B, atom.Strong, atom.Em, atom.I:
			continue
		case atom.A, atom.P, atom.Span:
			if nd.names&inlineAround == 0 {
				continue
			}
		}
		if p.holdsContent(i, total) {
			continue
		}
		nd.out = true
		dropped = append(dropped, i)
		i = nd.end - 1
	}
	return dropped
}

// holdsContent tells whether a node named as if it stood around the content
// holds it, or quotes a post of another site.
func (p *page) holdsContent(i, total int32) bool {
	sure := p.nodes[i].names&surelyAround != 0
	if !sure && p.quotes[p.nodes[i].end] > p.quotes[i] {
		return true
	}
	good := p.good(i)
	if p.nodes[i].names&aroundNames == shareName && good > maxShared {
		return true
	}
	if good*5 < total {
		return false
	}
	from, _ := slices.BinarySearch(p.anchors, i)
	for _, j := range p.anchors[from:min(len(p.anchors), from+maxAnchors)] {
		if j >= p.nodes[i].end {
			break
		}
		if p.nodes[j].n.DataAtom == atom.H1 && !sure || p.nodes[j].names&bodyName != 0 && p.good(j)*3 > good {
			return true
		}
	}
	if sure {
		return good*10 > total*9
	}
	return good*10 > total*6
}

// maxShared is how much weight of paragraphs a share bar may have.
const maxShared = 200

// maxAnchors bounds how many anchors in one element are looked at.
const maxAnchors = 32

// good is the weight of the good lines below a node.
func (p *page) good(i int32) int32 {
	return p.goodSum[p.nodes[i].end] - p.goodSum[i]
}
