package fictional

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readHTML returns what the search engine keeps of an HTML page: its title, its text with
// a line to a block, and the date that its head states. It is a plain reading for words;
// quotes are checked against the text of package extract.
func readHTML(raw []byte) (title, text, published string) {
	root, err := html.Parse(bytes.NewReader(raw))
	if err != nil { // the reader cannot fail
		return "", "", ""
	}
	var b strings.Builder
	var visit func(*html.Node)
	visit = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
			return
		case n.DataAtom == atom.Title:
			title = strings.Join(strings.Fields(textOf(n)), " ")
			return
		case n.DataAtom == atom.Meta:
			switch attr(n, "name") + attr(n, "property") {
			case "date", "article:published_time":
				published = attr(n, "content")
			}
			return
		case isHidden(n):
			return
		}
		block := n.Type == html.ElementNode && !isInline(n.DataAtom)
		if block {
			b.WriteByte('\n')
		}
		for c := range n.ChildNodes() {
			visit(c)
		}
		switch {
		case n.DataAtom == atom.Td || n.DataAtom == atom.Th:
			b.WriteByte('\t')
		case block:
			b.WriteByte('\n')
		}
	}
	visit(root)
	var lines []string
	for line := range strings.SplitSeq(b.String(), "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return title, strings.Join(lines, "\n"), published
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func isHidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template:
		return true
	}
	return strings.Contains(attr(n, "style"), "display:none")
}

func isInline(a atom.Atom) bool {
	switch a {
	case atom.A, atom.B, atom.Font, atom.I, atom.Small, atom.Span, atom.Sup, atom.Td, atom.Th, atom.Time, atom.Label, atom.Input:
		return true
	}
	return false
}
