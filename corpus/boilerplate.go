package corpus

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// dropped reports whether n is no part of the document's text: code, hidden parts, controls and navigation.
func dropped(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Template, atom.Noscript, atom.Svg, atom.Iframe, atom.Object, atom.Select, atom.Button, atom.Datalist,
		atom.Canvas, atom.Rt, atom.Rp:
		return true
	case atom.Header:
		return !inArticle(n) && !hasHeading(n)
	case atom.Footer:
		return !inArticle(n)
	case atom.Body, atom.Html, atom.Article, atom.Main:
		return false
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return a.Val != "until-found"
		case "aria-hidden":
			if a.Val == "true" {
				return true
			}
		case "role":
			if roles[a.Val] {
				return true
			}
		case "style":
			style := strings.ToLower(strings.ReplaceAll(a.Val, " ", ""))
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		case "class", "id":
			for c := range strings.FieldsSeq(a.Val) {
				if navigation[strings.ToLower(c)] {
					return true
				}
			}
		case "summary":
			if v := strings.ToLower(a.Val); n.DataAtom == atom.Table && strings.HasPrefix(v, "navigation") {
				return true
			}
		}
	}
	return false
}

// inArticle reports whether n lies in an article or the main part of a page.
func inArticle(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Article || p.DataAtom == atom.Main {
			return true
		}
	}
	return false
}

var roles = map[string]bool{"navigation": true, "search": true, "banner": true, "contentinfo": true, "menu": true, "menubar": true}

// navigation holds class names and ids that documentation generators give to what surrounds the text.
var navigation = map[string]bool{
	"navheader": true, "navfooter": true, "navbar": true, "nav-links": true, "navigation": true, "site-nav": true,
	"sphinxsidebar": true, "sphinxsidebarwrapper": true, "related": true, "headerlink": true, "headerlinks": true,
	"breadcrumb": true, "breadcrumbs": true, "wy-nav-side": true, "wy-breadcrumbs": true, "rst-footer-buttons": true,
	"md-sidebar": true, "md-header": true, "md-footer": true, "toc-drawer": true, "sidebar-drawer": true,
	"skip-link": true, "skip-to-content": true, "visually-hidden": true, "sr-only": true, "screen-reader-text": true,
	"cookie-banner": true, "cookie-notice": true, "edit-this-page": true, "theme-toggle": true, "copybtn": true,
	"searchbox": true, "mw-editsection": true, "page-header-actions": true,
}

// admonition reports whether n is a note beside the text: its heading ("Warning") heads no section.
func admonition(n *html.Node) bool {
	if n.DataAtom != atom.Div && n.DataAtom != atom.Aside && n.DataAtom != atom.Section {
		return false
	}
	for c := range strings.FieldsSeq(strings.ToLower(attr(n, "class"))) {
		switch c {
		case "note", "tip", "warning", "caution", "important", "danger", "hint", "admonition", "example", "sidebar":
			return true
		}
	}
	return false
}

func hasHeading(n *html.Node) bool {
	for c := range n.Descendants() {
		switch c.DataAtom {
		case atom.H1, atom.H2, atom.H3:
			return true
		}
	}
	return false
}
