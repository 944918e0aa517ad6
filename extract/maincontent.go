package extract

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quarry-sdk/quarry/extract/internal/article"
)

// pageFacts is what is told of a page beside its text. Empty fields are unknown.
type pageFacts struct {
	title, byline, siteName, canonical, language string
	dates                                        []Date
}

// mainFinder tells which nodes of a parsed page belong to its main content, and
// what the page says of itself. A node whose ancestor belongs to it is asked for
// too. This is the one place where a better way to find the main content is put in.
type mainFinder func(root *html.Node, url string) (contains func(n *html.Node) bool, facts pageFacts)

// maxNodes is the number of nodes of a page above which its main content is not
// weighed: that takes memory for each of them.
const maxNodes = 100_000

// findMain finds the main content of a page.
func findMain(root *html.Node, url string) (func(n *html.Node) bool, pageFacts) {
	if moreNodes(root, maxNodes) {
		return outsideFrame(root, url)
	}
	a := article.Find(root, url)
	facts := pageFacts{title: a.Title, byline: a.Byline, siteName: a.SiteName, canonical: a.Canonical, language: a.Language}
	for _, d := range a.Dates {
		facts.dates = append(facts.dates, Date{Kind: DateKind(d.Kind), Value: d.Value, Source: d.Source, Raw: d.Raw})
	}
	return a.Contains, facts
}

// moreNodes tells whether a tree has more than n nodes.
func moreNodes(root *html.Node, n int) bool {
	for range root.Descendants() {
		if n--; n < 0 {
			return true
		}
	}
	return false
}

// outsideFrame takes for main content what lies in no element that stands around
// the content of a page by its name or its role.
func outsideFrame(*html.Node, string) (func(n *html.Node) bool, pageFacts) {
	return func(n *html.Node) bool {
		for ; n != nil; n = n.Parent {
			switch n.DataAtom {
			case atom.Nav, atom.Footer, atom.Aside:
				return false
			case atom.Header:
				if !within(n, atom.Article, atom.Main) {
					return false
				}
			}
			switch attr(n, "role") {
			case "navigation", "banner", "contentinfo", "complementary", "search":
				return false
			}
		}
		return true
	}, pageFacts{}
}

// within reports whether n lies in an element of one of these names.
func within(n *html.Node, names ...atom.Atom) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		for _, name := range names {
			if p.DataAtom == name {
				return true
			}
		}
	}
	return false
}

// attr returns the value of an attribute, "" if n has none of the name.
func attr(n *html.Node, key string) string {
	value, _ := lookAttr(n, key)
	return value
}

func lookAttr(n *html.Node, key string) (value string, ok bool) {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}
