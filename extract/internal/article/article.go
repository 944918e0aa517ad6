package article

import (
	"golang.org/x/net/html"
)

// Article is what was found on a page. Fields are empty where the page does not
// tell.
type Article struct {
	// Byline is who wrote the page, as it says; several names are separated by
	// commas.
	Byline string
	// Canonical is the address that the page declares as its own, made absolute.
	Canonical string
	// Dates are the dates of publication and update that the page states of itself,
	// each with where it was found; the most trustworthy of a kind first.
	Dates []Date
	// Language is the tag of the language that the page declares.
	Language string
	// SiteName is the name of the site that the page belongs to.
	SiteName string
	// Title is the title of the page, without the name of the site.
	Title string

	main map[*html.Node]struct{}
}

// Find finds the main content of the page under root, and what the page says of
// itself. The page was fetched from pageURL; it may be empty. Find reads the tree
// and changes nothing in it. Its time and memory grow with the number of nodes,
// and it does not recurse, so that no depth of the tree is too much.
func Find(root *html.Node, pageURL string) *Article {
	p := newPage(root, pageURL)
	h := p.readHead()
	t := p.bestThing()
	titles := claimedTitles(&h, t)
	p.dropUnseen()
	p.buildLines()
	title := p.titleHeading(titles)
	notes := p.takeNotes()
	p.dropAround(title)
	top := p.container(t, title)
	p.prune(top, titles, h.lang)
	text := p.firstText(top)
	above := title
	if above < 0 {
		above = p.nearestHeading(text)
	}
	zone := p.around(above, top, text, notes)
	a := &Article{
		Byline:    p.author(&h, t, zone),
		Canonical: h.address(pageURL),
		Dates:     p.dates(&h, t, zone),
		Language:  h.language(t),
		SiteName:  h.site(t),
		main:      p.kept(top),
	}
	a.Title = p.pageTitle(&h, t, title, a.SiteName)
	return a
}

// Contains tells whether a node is part of the main content: a text that is, the
// white space between such texts of a line, or an element around one that lies
// within the element that holds the content. Titles, bylines, captions, share bars,
// prompts and links to other pages are not part of it.
func (a *Article) Contains(n *html.Node) bool {
	_, ok := a.main[n]
	return ok
}

// kept collects the texts of lines that were kept, the white space between them,
// and the elements around them.
func (p *page) kept(top int32) map[*html.Node]struct{} {
	kept := map[*html.Node]struct{}{}
	for k := range p.lines {
		l := &p.lines[k]
		if l.dropped || !p.inside(l.first, top) {
			continue
		}
		for i := l.first; i <= l.last; i++ {
			nd := &p.nodes[i]
			if nd.out {
				i = nd.end - 1
				continue
			}
			if nd.n.Type != html.TextNode {
				continue
			}
			kept[nd.n] = struct{}{}
			for j := nd.parent; j >= top; j = p.nodes[j].parent {
				if _, ok := kept[p.nodes[j].n]; ok {
					break
				}
				kept[p.nodes[j].n] = struct{}{}
			}
		}
	}
	return kept
}
