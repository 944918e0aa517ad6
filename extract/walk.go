package extract

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// walker writes the visible text of a parsed page. The parser bounds the depth of
// its recursion.
type walker struct {
	builder
	reader   *Reader
	sheet    *stylesheet
	base     *url.URL
	inMain   func(*html.Node) bool
	hidden   int // bytes of text left out
	faded    int // those of them that are transparent or invisible only
	noscript int // those of them that are for browsers without scripts
	lists    int // depth of lists
	tables   []*table
}

// look is what an element hands on to those inside it.
type look struct {
	invisible bool   // visibility: hidden
	tiny      bool   // font-size: 0
	keepSpace bool   // white-space: pre and its like
	flex      bool   // the element lays its children out as boxes of their own
	color     string // of the text, "" if unknown
	back      string // the colour behind the text, "" if unknown
}

func (w *walker) children(n *html.Node, l look) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.walk(c, l)
	}
}

func (w *walker) walk(n *html.Node, l look) {
	switch n.Type {
	case html.TextNode:
		w.textNode(n, l)
	case html.DocumentNode:
		w.children(n, l)
	case html.ElementNode:
		if notText(n) {
			return
		}
		if w.leftOut(n) {
			w.block(1)
			return
		}
		style := w.sheet.styleOf(n, l)
		if style.hidden {
			w.countHidden(n, style.faded)
			if style.block {
				w.block(1)
			}
			return
		}
		start := len(w.buf)
		w.element(n, style)
		if w.reader.options.Visit != nil {
			w.reader.options.Visit(n, start, len(w.buf))
		}
	}
}

func (w *walker) textNode(n *html.Node, l look) {
	switch {
	case w.full:
		return
	case l.invisible || l.tiny || l.color != "" && l.color == l.back:
		size := len(collapse(n.Data))
		w.hidden += size
		if l.invisible {
			w.faded += size
		}
		if size > 0 && strings.IndexByte(blanks, n.Data[0]) >= 0 {
			w.text(" ")
		}
		return
	}
	// How a word is read, a drawing and a formula stay with the words around them.
	p := n.Parent
	if strings.TrimLeft(n.Data, blanks) != "" && p.DataAtom != atom.Rt && p.DataAtom != atom.Rp && p.Namespace == "" {
		w.side(w.inMain(n))
	}
	if l.keepSpace && w.pre == 0 {
		w.pre++
		w.text(n.Data)
		w.pre--
		return
	}
	w.text(n.Data)
}

// leftOut reports whether the caller does not want n.
func (w *walker) leftOut(n *html.Node) bool {
	return w.reader.options.Skip != nil && w.reader.options.Skip(n)
}

// countHidden counts the text below n as hidden.
func (w *walker) countHidden(n *html.Node, faded bool) {
	size := hiddenText(n)
	w.hidden += size
	if faded {
		w.faded += size
	}
	if n.DataAtom == atom.Noscript {
		w.noscript += size
	}
}

// element writes what is in a visible element.
func (w *walker) element(n *html.Node, s style) {
	space := 1
	if spacedBlocks[n.DataAtom] {
		space = 2
	}
	if s.block {
		w.block(space)
		defer w.block(space)
	}
	switch n.DataAtom {
	case atom.Br:
		if w.pre > 0 {
			w.verbatim("\n")
		} else {
			w.lineBreak()
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if w.kind.kind == Heading {
			w.children(n, s.look) // one inside another belongs to it
			return
		}
		long := neverClosed(n)
		w.inside(n, s, blockKind{kind: Heading, level: int(n.Data[1] - '0'), whole: !long, firstLine: long})
	case atom.Pre, atom.Textarea, atom.Listing, atom.Xmp, atom.Plaintext:
		w.pre++
		defer func() { w.pre-- }()
		w.inside(n, s, blockKind{kind: Preformatted, whole: w.row == 0})
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir, atom.Dl:
		w.lists++
		w.children(n, s.look)
		w.lists--
	case atom.Li, atom.Dt, atom.Dd:
		w.inside(n, s, blockKind{kind: ListItem, level: max(w.lists, 1)})
	case atom.Blockquote:
		w.inside(n, s, blockKind{kind: Quotation})
	case atom.Caption, atom.Figcaption:
		w.inside(n, s, blockKind{kind: Caption})
	case atom.Table:
		w.table(n, s)
	case atom.Tr:
		w.tableRow(n, s)
	case atom.Td, atom.Th:
		w.tableCell(n, s)
	case atom.A:
		start := len(w.buf)
		w.children(n, s.look)
		if href, ok := lookAttr(n, "href"); ok {
			if u := resolve(w.base, href); u != "" {
				w.link(start, u)
			}
		}
	default:
		w.children(n, s.look)
	}
}

// inside writes the children of n as blocks of a kind. In a heading, a caption or a
// row everything belongs to that; in a list item a quotation or a paragraph does.
func (w *walker) inside(n *html.Node, s style, k blockKind) {
	if outer := w.kind; outer.whole {
		w.children(n, s.look)
		return
	}
	if w.row > 0 {
		k = w.kind
	}
	restore := w.setKind(k)
	w.children(n, s.look)
	if s.block && w.row == 0 {
		w.closeBlock()
	}
	restore()
}

// maxHeading is the length in bytes up to which a heading may have several lines.
const maxHeading = 300

// neverClosed reports whether a heading was left open before the text that follows
// it: then only its first line is one.
func neverClosed(n *html.Node) bool {
	size, blocks := 0, false
	for c := range n.Descendants() {
		switch {
		case c.Type == html.TextNode:
			size += len(c.Data)
		case blockElements[c.DataAtom]:
			blocks = true
		}
		if blocks && size > maxHeading {
			return true
		}
	}
	return false
}

// resolve returns the address that a link leads to, "" if it is none that can be
// followed.
func resolve(base *url.URL, href string) string {
	href = strings.Trim(href, blanks)
	if strings.ContainsAny(href, "\t\n\r") {
		href = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(href)
	}
	if href == "" || hasPrefixFold(href, "javascript:") {
		return ""
	}
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	return u.String()
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
