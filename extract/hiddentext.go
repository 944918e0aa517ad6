package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// notText reports whether what is in n is never text of the page.
func notText(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Title, atom.Meta, atom.Link, atom.Base:
		return n.DataAtom != atom.Title || n.Namespace == "" || n.Namespace == "svg"
	case atom.Iframe, atom.Noframes, atom.Noembed, atom.Object, atom.Applet, atom.Canvas, atom.Audio, atom.Video, atom.Datalist:
		return true
	case atom.Desc:
		return n.Namespace == "svg"
	}
	switch n.Namespace {
	case "svg":
		switch n.Data {
		case "defs", "metadata", "symbol", "title", "clipPath", "mask":
			return true
		}
	case "math":
		return n.Data == "annotation" || n.Data == "annotation-xml"
	}
	return false
}

// hiddenText counts the bytes of text below n.
func hiddenText(n *html.Node) int {
	size := 0
	for c := range n.Descendants() {
		if c.Type != html.TextNode {
			continue
		}
		switch p := c.Parent; {
		case p.DataAtom == atom.Noscript: // its content is not parsed
			size += markupText(c.Data)
		case !notText(p):
			size += len(collapse(c.Data))
		}
	}
	return size
}

// markupText counts the bytes of text in HTML that was not parsed.
func markupText(src string) int {
	z := html.NewTokenizer(strings.NewReader(src))
	size, raw := 0, false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return size
		case html.StartTagToken:
			name, _ := z.TagName()
			raw = string(name) == "script" || string(name) == "style" || string(name) == "iframe"
		case html.EndTagToken:
			raw = false
		case html.TextToken:
			if !raw {
				size += len(collapse(string(z.Text())))
			}
		}
	}
}

// hiddenByMarkup reports whether n is hidden by its element or its attributes.
func hiddenByMarkup(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Template, atom.Noscript, atom.Rp:
		return true
	case atom.Dialog:
		_, open := lookAttr(n, "open")
		return !open
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return !strings.EqualFold(a.Val, "until-found")
		case "popover":
			return true
		}
	}
	return false
}
