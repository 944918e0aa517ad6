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

// findMain finds the main content of a page.
func findMain(root *html.Node, url string) (func(n *html.Node) bool, pageFacts) {
	a := article.Find(root, url)
	facts := pageFacts{title: a.Title, byline: a.Byline, siteName: a.SiteName, canonical: a.Canonical, language: a.Language}
	for _, d := range a.Dates {
		facts.dates = append(facts.dates, Date{Kind: DateKind(d.Kind), Value: d.Value, Source: d.Source, Raw: d.Raw})
	}
	return a.Contains, facts
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
