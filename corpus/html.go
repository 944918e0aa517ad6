package corpus

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxDepth bounds the recursion over nested elements; what lies deeper is read without its structure.
const maxDepth = 400

// extractHTML reads decoded HTML or XHTML.
func extractHTML(src []byte) (*extract, error) {
	root, err := html.ParseWithOptions(bytes.NewReader(selfClosing(src)), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, err
	}
	w := &htmlWalker{}
	w.walk(root, 0)
	return w.finish(w.title), nil
}

type htmlWalker struct {
	textBuilder
	title   string
	lists   int // depth of definition lists
	article int // depth of article and main elements
	cells   []int
}

func (w *htmlWalker) children(n *html.Node, depth int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.walk(c, depth+1)
	}
}

func (w *htmlWalker) walk(n *html.Node, depth int) {
	switch {
	case n.Type == html.TextNode:
		w.text(n.Data)
		return
	case n.Type != html.ElementNode:
		if n.Type == html.DocumentNode {
			w.children(n, depth)
		}
		return
	case depth > maxDepth:
		w.flat(n)
		return
	case w.dropped(n):
		w.block(1)
		return
	}
	switch n.DataAtom {
	case atom.Title:
		if w.title == "" && n.Namespace == "" {
			w.title = collapse(textOf(n))
		}
	case atom.Head:
		w.children(n, depth)
	case atom.Script, atom.Style, atom.Meta, atom.Link, atom.Base:
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		start := w.startHeading()
		w.children(n, depth)
		w.endHeading(int(n.Data[1]-'0'), start)
	case atom.Pre, atom.Textarea, atom.Listing, atom.Xmp:
		w.block(2)
		w.pre++
		w.children(n, depth)
		w.pre--
		w.block(2)
	case atom.Br:
		if w.pre > 0 {
			w.verbatim("\n")
		} else {
			w.block(1)
		}
	case atom.P, atom.Blockquote, atom.Figure, atom.Hr, atom.Ul, atom.Ol:
		w.block(2)
		w.children(n, depth)
		w.block(2)
	case atom.Table:
		w.block(2)
		w.children(n, depth)
		w.block(2)
	case atom.Tr:
		w.block(1)
		w.cells = append(w.cells, 0)
		w.children(n, depth)
		w.cells = w.cells[:len(w.cells)-1]
		w.endRow()
	case atom.Td, atom.Th:
		if k := len(w.cells) - 1; k >= 0 {
			if w.cells[k] > 0 {
				w.cell()
			}
			w.cells[k]++
		}
		w.children(n, depth)
	case atom.Dl:
		w.block(2)
		w.lists++
		w.children(n, depth)
		w.closeLevel(entryLevel + w.lists - 1)
		w.lists--
		w.block(2)
	case atom.Dt:
		if w.lists > 0 && named(n) {
			start := w.startHeading()
			w.children(n, depth)
			w.endHeading(entryLevel+w.lists-1, start)
		} else {
			w.block(1)
			w.children(n, depth)
		}
		w.block(1)
	case atom.A:
		start := len(w.buf)
		w.children(n, depth)
		if href := attr(n, "href"); href != "" {
			w.link(start, href)
		}
	case atom.Article, atom.Main:
		w.article++
		w.around(n, depth)
		w.article--
	default:
		switch {
		case admonition(n):
			w.quiet++
			w.around(n, depth)
			w.quiet--
		case blocks[n.DataAtom]:
			w.around(n, depth)
		default:
			w.children(n, depth)
		}
	}
}

// entryLevel is the level of the first depth of named definition list entries.
const entryLevel = 7

func (w *htmlWalker) around(n *html.Node, depth int) {
	w.block(1)
	w.children(n, depth)
	w.block(1)
}

// flat reads the text below n without recursion.
func (w *htmlWalker) flat(n *html.Node) {
	for c := range n.Descendants() {
		switch {
		case c.Type == html.TextNode && c.Parent != nil && c.Parent.DataAtom != atom.Script && c.Parent.DataAtom != atom.Style:
			w.text(c.Data)
		case c.Type == html.ElementNode && blocks[c.DataAtom]:
			w.block(1)
		}
	}
}

var blocks = map[atom.Atom]bool{
	atom.Address: true, atom.Aside: true, atom.Body: true, atom.Caption: true, atom.Center: true, atom.Dd: true,
	atom.Details: true, atom.Dir: true, atom.Div: true, atom.Fieldset: true, atom.Figcaption: true, atom.Footer: true,
	atom.Form: true, atom.Header: true, atom.Hgroup: true, atom.Html: true, atom.Legend: true, atom.Li: true,
	atom.Menu: true, atom.P: true, atom.Section: true, atom.Summary: true, atom.Tbody: true, atom.Tfoot: true,
	atom.Thead: true, atom.Tr: true, atom.Td: true, atom.Th: true, atom.Dt: true, atom.Video: true, atom.Audio: true,
}

// textOf returns the text below n.
func textOf(n *html.Node) string {
	var sb strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			sb.WriteString(c.Data)
		}
	}
	return sb.String()
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// named reports whether n can be linked to, by its own id or that of an anchor at its beginning.
func named(n *html.Node) bool {
	if attr(n, "id") != "" {
		return true
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.A && (attr(c, "id") != "" || attr(c, "name") != "") {
			return true
		}
	}
	return false
}

// selfClosing opens elements that XHTML closes in place (<a id="x"/>) and an HTML parser would take to stay open.
func selfClosing(src []byte) []byte {
	if !bytes.HasPrefix(bytes.TrimLeft(src, " \t\r\n"), []byte("<?xml")) {
		return src
	}
	out := make([]byte, 0, len(src)+len(src)/50)
	for {
		end := bytes.Index(src, []byte("/>"))
		if end < 0 {
			return append(out, src...)
		}
		open := bytes.LastIndexByte(src[:end], '<')
		name := ""
		if open >= 0 {
			name = tagName(src[open+1 : end])
		}
		if name == "" || void[name] || bytes.IndexByte(src[open:end], '>') >= 0 {
			out = append(out, src[:end+2]...)
		} else {
			out = append(out, src[:end]...)
			out = append(out, "></"+name+">"...)
		}
		src = src[end+2:]
	}
}

func tagName(tag []byte) string {
	for i, c := range tag {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' && i > 0) {
			return string(tag[:i])
		}
	}
	return string(tag)
}

var void = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true,
	"link": true, "meta": true, "param": true, "source": true, "track": true, "wbr": true,
}
