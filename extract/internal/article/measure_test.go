package article_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quarry-sdk/quarry/extract/internal/article"
)

// lineBreaks are the elements that the renderer puts on lines of their own.
var lineBreaks = map[atom.Atom]bool{
	atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Br: true, atom.Center: true, atom.Dd: true, atom.Div: true, atom.Dl: true,
	atom.Dt: true, atom.Figcaption: true, atom.Figure: true, atom.Footer: true, atom.Form: true, atom.H1: true, atom.H2: true,
	atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Header: true, atom.Hr: true, atom.Li: true, atom.Main: true,
	atom.Nav: true, atom.Ol: true, atom.P: true, atom.Pre: true, atom.Section: true, atom.Table: true, atom.Td: true,
	atom.Th: true, atom.Tr: true, atom.Ul: true,
}

// render writes the texts below root that keep holds, blocks on lines.
func render(root *html.Node, keep func(*html.Node) bool) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && lineBreaks[n.DataAtom] {
			b.WriteByte('\n')
		}
		if n.Type == html.TextNode && keep(n) {
			if before := n.PrevSibling; before != nil && lineBreaks[before.DataAtom] {
				b.WriteByte('\n')
			}
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// everything keeps all text that is not the page's machinery.
func everything(n *html.Node) bool {
	for up := n.Parent; up != nil; up = up.Parent {
		switch up.DataAtom {
		case atom.Head, atom.Noscript, atom.Script, atom.Style, atom.Template:
			return false
		}
	}
	return true
}

func parse(t testing.TB, src string) *html.Node {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(src), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// mainText is what Find leaves of a page.
func mainText(t testing.TB, src, url string) (string, *article.Article) {
	t.Helper()
	root := parse(t, src)
	a := article.Find(root, url)
	return render(root, a.Contains), a
}
