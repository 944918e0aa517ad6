package article

import (
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
