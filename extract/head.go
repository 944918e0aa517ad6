package extract

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// head is what a page declares of itself.
type head struct {
	base                                       *url.URL
	title, siteName, canonical, ogURL, ogTitle string
	language, contentLanguage, ogLocale        string
}

// readHead reads the declarations of a page that came from address.
func readHead(root *html.Node, address string) head {
	var h head
	if u, err := url.Parse(address); err == nil && address != "" {
		h.base = u
	}
	based := false
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Namespace != "" {
			continue
		}
		switch n.DataAtom {
		case atom.Html:
			first(&h.language, attr(n, "lang"))
			first(&h.language, attr(n, "xml:lang"))
		case atom.Title:
			if n.FirstChild != nil {
				first(&h.title, collapse(n.FirstChild.Data))
			}
		case atom.Base:
			if href, ok := lookAttr(n, "href"); ok && !based {
				based = true
				if u, err := url.Parse(strings.Trim(href, blanks)); err == nil {
					if h.base != nil {
						u = h.base.ResolveReference(u)
					}
					h.base = u
				}
			}
		case atom.Link:
			if hasWord(strings.ToLower(attr(n, "rel")), "canonical") {
				first(&h.canonical, attr(n, "href"))
			}
		case atom.Meta:
			h.meta(n)
		}
	}
	first(&h.title, h.ogTitle)
	first(&h.canonical, h.ogURL)
	if h.canonical != "" {
		h.canonical = resolve(h.base, h.canonical)
	}
	first(&h.language, h.contentLanguage)
	first(&h.language, strings.ReplaceAll(h.ogLocale, "_", "-"))
	return h
}

func (h *head) meta(n *html.Node) {
	content := collapse(attr(n, "content"))
	if strings.EqualFold(attr(n, "http-equiv"), "content-language") {
		first(&h.contentLanguage, content)
	}
	name := attr(n, "property")
	if name == "" {
		name = attr(n, "name")
	}
	switch strings.ToLower(name) {
	case "og:site_name":
		first(&h.siteName, content)
	case "og:title":
		first(&h.ogTitle, content)
	case "og:url":
		first(&h.ogURL, content)
	case "og:locale":
		first(&h.ogLocale, content)
	case "language", "dc.language", "content-language":
		first(&h.contentLanguage, content)
	}
}

// first sets a value that is not set yet.
func first(to *string, value string) {
	if *to == "" {
		*to = value
	}
}

// pageLanguage returns the language that a page declares, or the one it is seen to be
// in where it declares none, or one of another script.
func pageLanguage(declared, text string) string {
	tag := languageTag(declared)
	if tag == "" {
		return DetectLanguage(text)
	}
	primary, _, _ := strings.Cut(tag, "-")
	script := mainScript(text)
	if want := scriptOf[primary]; script != "" && want != script && (want != "" || script != "latin") {
		if seen := DetectLanguage(text); seen != "" {
			return seen
		}
	}
	return tag
}

// languageTag brings a declared language to the form of BCP 47, "" if it has none.
func languageTag(s string) string {
	s, _, _ = strings.Cut(s, ",")
	parts := strings.Split(strings.ReplaceAll(strings.TrimSpace(s), "_", "-"), "-")
	for i, p := range parts {
		if len(p) < 1 || len(p) > 8 || strings.Trim(strings.ToLower(p), "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return ""
		}
		switch {
		case i == 0:
			if len(p) > 3 || strings.ContainsAny(p, "0123456789") {
				return ""
			}
			parts[i] = strings.ToLower(p)
		case len(p) == 4:
			parts[i] = strings.ToUpper(p[:1]) + strings.ToLower(p[1:])
		case len(p) == 2:
			parts[i] = strings.ToUpper(p)
		default:
			parts[i] = strings.ToLower(p)
		}
	}
	if tag := strings.Join(parts, "-"); len(parts[0]) > 1 && tag != "und" {
		return tag
	}
	return ""
}
