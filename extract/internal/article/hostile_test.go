package article_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quarry-sdk/quarry/extract/internal/article"
)

// nest builds n elements within each other, around a paragraph.
func nest(n int, attrs ...html.Attribute) *html.Node {
	root := &html.Node{Type: html.DocumentNode}
	up := root
	for range n {
		div := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div, Attr: attrs}
		up.AppendChild(div)
		up = div
	}
	p := &html.Node{Type: html.ElementNode, Data: "p", DataAtom: atom.P}
	p.AppendChild(&html.Node{Type: html.TextNode, Data: strings.Repeat("A sentence, and one more. ", 20)})
	up.AppendChild(p)
	return root
}

// TestFindIsBounded gives pages that were made to take for ever.
func TestFindIsBounded(t *testing.T) {
	t.Parallel()
	class := func(s string) html.Attribute { return html.Attribute{Key: "class", Val: s} }
	fromHTML := func(src string) func() *html.Node { return func() *html.Node { return parse(t, src) } }
	scale, limit := 1, 10*time.Second
	if raceEnabled {
		scale, limit = 20, time.Minute
	}
	many := func(s string, n int) string { return strings.Repeat(s, n/scale) }
	nest := func(n int, attrs ...html.Attribute) *html.Node { return nest(n/scale, attrs...) }
	tests := []struct {
		name string
		root func() *html.Node
	}{
		{"deep", func() *html.Node { return nest(300_000) }},
		{"deep with names", func() *html.Node { return nest(300_000, class("comment share article-body related")) }},
		{"deep headlines", func() *html.Node {
			root := nest(200_000)
			for n := range root.Descendants() {
				if n.Type == html.ElementNode {
					n.Data, n.DataAtom = "h1", atom.H1
				}
			}
			return root
		}},
		{"deep dates", func() *html.Node {
			root := nest(50_000, html.Attribute{Key: "itemprop", Val: "datePublished"}, class("byline"))
			for n := range root.Descendants() {
				if n.Type == html.ElementNode {
					n.AppendChild(&html.Node{Type: html.TextNode, Data: "article.Published 3 May 2019"})
				}
			}
			return root
		}},
		{"many headings", fromHTML("<title>a title of the page</title>" + many("<h1>a title of the page</h1><h2>Related</h2>", 50_000))},
		{"many times", fromHTML("<h1>a title</h1>" + many("<time>May 3, 2019</time><p>By me", 50_000))},
		{"many lines", fromHTML(many("<p><a href=x>Read more: a link</a>", 100_000))},
		{"one line", fromHTML("<p>" + many("<b></b>word <i>word</i>", 100_000))},
		{"one word", fromHTML("<h1>x</h1><p>" + many("1234567890/", 300_000))},
		{"commas in JSON", fromHTML(`<script type="application/ld+json">{"a":1` + many(",", 900_000) + `</script>`)},
		{"brackets in JSON", fromHTML(`<script type="application/ld+json">` + many("[", 900_000) + `</script>`)},
		{"slashes in JSON", fromHTML(`<script type="application/ld+json">` + many("/*", 400_000) + `</script>`)},
		{"attributes", fromHTML("<div " + many("itemprop=x class=y ", 100_000) + "><time>3 May 2019</time>" + many("<p>1 May 2019", 2000))},
		{"long class", fromHTML("<div class='" + many("related-", 200_000) + "'><p>text")},
		{"many meta", fromHTML(many("<meta name=date content=2019-01-01><meta name=author content=me>", 50_000))},
	}
	for _, test := range tests {
		root := test.root()
		start := time.Now()
		article.Find(root, "http://example.org/")
		if took := time.Since(start); took > limit {
			t.Errorf("%s took %v", test.name, took)
		} else {
			t.Logf("%-20s %v", test.name, took.Round(time.Millisecond))
		}
	}
}

func TestFindOfNothing(t *testing.T) {
	t.Parallel()
	for _, root := range []*html.Node{
		{Type: html.DocumentNode}, {Type: html.TextNode, Data: "text"}, {Type: html.ElementNode, Data: "p", DataAtom: atom.P},
		{Type: html.CommentNode}, parse(t, ""), parse(t, "<p>"),
	} {
		a := article.Find(root, "::not a url")
		if a == nil || a.Contains(nil) || len(a.Dates) > 0 {
			t.Errorf("found %+v in %v", a, root)
		}
	}
}
