package article

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// head is what a page declares of itself in meta, link and title elements.
type head struct {
	meta      map[string][]string // by name in small letters, in order
	title     string
	canonical string
	lang      string
}

// readHead reads the declarations, wherever on the page they stand.
func (p *page) readHead() head {
	h := head{meta: map[string][]string{}}
	for i := int32(0); i < int32(len(p.nodes)); i++ {
		n := p.nodes[i].n
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Html:
			if h.lang == "" {
				h.lang = attr(n, "lang")
			}
			if h.lang == "" {
				h.lang = attr(n, "xml:lang")
			}
		case atom.Title:
			if h.title == "" && n.Namespace == "" {
				h.title = p.innerText(i, 2*maxText)
			}
		case atom.Link:
			if h.canonical == "" && hasToken(attr(n, "rel"), "canonical") {
				h.canonical = strings.TrimSpace(attr(n, "href"))
			}
		case atom.Meta:
			content := strings.TrimSpace(attr(n, "content"))
			if content == "" || len(content) > 8*maxText {
				continue
			}
			keys := []string{"property", "name", "http-equiv", "itemprop"}
			if i > p.body && p.body > 0 {
				keys = keys[:3] // in the body, microdata is of the element around it
			}
			for _, key := range keys {
				for name := range strings.FieldsSeq(strings.ToLower(attr(n, key))) {
					if len(h.meta[name]) < 20 {
						h.meta[name] = append(h.meta[name], content)
					}
				}
			}
		}
	}
	return h
}

// first is the first content of the names, which are looked at in order.
func (h *head) first(names ...string) string {
	for _, name := range names {
		for _, s := range h.meta[name] {
			return s
		}
	}
	return ""
}

func hasToken(list, token string) bool {
	for s := range strings.FieldsSeq(strings.ToLower(list)) {
		if s == token {
			return true
		}
	}
	return false
}

// site is the name of the site that the page belongs to.
func (h *head) site(t *thing) string {
	for _, s := range []string{h.first("og:site_name"), t.publisher, h.first("application-name", "al:ios:app_name", "apple-mobile-web-app-title")} {
		if s = strings.Join(strings.Fields(html.UnescapeString(s)), " "); s != "" && len(s) < 120 {
			return s
		}
	}
	return ""
}

// language is the tag of the page's language, as it says.
func (h *head) language(t *thing) string {
	for _, s := range []string{h.lang, h.first("content-language", "dc.language", "dcterms.language", "language"), t.language, h.first("og:locale")} {
		s, _, _ = strings.Cut(strings.TrimSpace(s), ",")
		s = strings.ReplaceAll(strings.TrimSpace(s), "_", "-")
		if len(s) >= 2 && len(s) <= 35 && !strings.ContainsAny(s, " <>\"'{}") {
			return s
		}
	}
	return ""
}

// address is the address that the page declares as its own, made absolute; empty
// if that is no page of the web.
func (h *head) address(pageURL string) string {
	base, err := url.Parse(pageURL)
	if err != nil {
		base = &url.URL{}
	}
	for _, s := range []string{h.canonical, h.first("og:url")} {
		u, err := url.Parse(strings.TrimSpace(s))
		if s == "" || err != nil {
			continue
		}
		if u = base.ResolveReference(u); (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			return u.String()
		}
	}
	return ""
}
