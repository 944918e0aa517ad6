package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

var bylineLine = lazyregexp.New(`(?i)^(?:by|von|por|par|di|door|autor|author|от|автор|作者|文|記者|기자)[:：]?\s+\S.{1,80}$|^(?:published|updated|posted|last updated|first published|veröffentlicht|aktualisiert|stand|publié|mis à jour|publicado|actualizado|atualizado|pubblicato|aggiornato|gepubliceerd|bijgewerkt|opublikowano|aktualizacja|опубликовано|обновлено|发布时间|公開日|更新日)\b.{0,80}$|^https?://\S+$`)

// isByline tells whether a line before the text only says who wrote it or when.
func isByline(text, lang string) bool {
	if len(text) > 160 {
		return false
	}
	if bylineLine().MatchString(text) {
		return true
	}
	_, ok := parseText(text, lang)
	return ok && len(text) < 60
}

// author is who wrote the page, as it says.
func (p *page) author(h *head, t *thing, zone region) string {
	if len(t.authors) > 0 {
		var people []string
		for _, s := range t.authors {
			if s = byWord().ReplaceAllString(s, ""); s != "" {
				people = append(people, s)
			}
		}
		return strings.Join(people, ", ")
	}
	for _, name := range []string{"dc.creator", "dc:creator", "dcterms.creator", "dc.contributor", "author", "article:author", "parsely-author", "sailthru.author", "byl", "citation_author", "cxenseparse:author", "article:author_name", "rnews:author"} {
		var people []string
		for _, s := range h.meta[name] {
			if s = cleanName(s); s != "" {
				people = append(people, s)
			}
		}
		if len(people) > 0 {
			return strings.Join(people, ", ")
		}
	}
	return p.visibleAuthor(zone)
}

// visibleAuthor reads the author between title and text, and elsewhere in the
// article where markup says that it is one.
func (p *page) visibleAuthor(zone region) string {
	best, score := "", 0
	left := maxStamps
	for i := range p.nodes {
		nd := &p.nodes[i]
		n := nd.n
		if n.Type != html.ElementNode || nd.names&bylineName == 0 || n.DataAtom == atom.Meta || n.DataAtom == atom.Body {
			continue
		}
		near := zone.near(int32(i))
		marked := hasToken(attr(n, "rel"), "author") || strings.Contains(strings.ToLower(attr(n, "itemprop")), "author")
		words := namesIn(attr(n, "class")+" "+attr(n, "id"))&bylineName != 0 && authorClass().MatchString(attr(n, "class")+" "+attr(n, "id"))
		rank := 0
		switch {
		case marked && near:
			rank = 4
		case words && near:
			rank = 3
		case marked && p.inside(int32(i), zone.top):
			rank = 2
		case words && p.inside(int32(i), zone.top):
			rank = 1
		}
		if rank <= score || p.foreign(int32(i), zone.top, beside) {
			continue
		}
		if left--; left < 0 {
			break
		}
		if s := cleanName(p.innerText(int32(i), 200)); s != "" {
			best, score = s, rank
		}
	}
	return best
}

var (
	authorClass = lazyregexp.New(`(?i)author|byline|writer`)
	byWord      = lazyregexp.New(`(?i)^(?:(?:written|posted|published|reported|story|article|text) )?(?:by|von|por|par|di|door|autor|author|от|автор|作者|文)\s*[:：]?\s+`)
	inBrackets  = lazyregexp.New(`\s*[(<]\s*(?:https?://|mailto:|\S+@)[^)>]*[)>]`)
	afterName   = lazyregexp.New(`(?i)\s*(?:\s(?:published|updated|posted)\b|[|•·–—]|\s-\s|\(?@|\d{1,2}[:.]\d{2}|\s(?:on|am|le|il|em) \d|,\s*(?:updated|published|posted)\b).*$`)
)

// cleanName takes what is not a name off a byline; empty if nothing is left.
func cleanName(s string) string {
	s = strings.Join(strings.Fields(html.UnescapeString(s)), " ")
	s = inBrackets().ReplaceAllString(s, "")
	s = byWord().ReplaceAllString(s, "")
	s = afterName().ReplaceAllString(s, "")
	s = strings.Trim(s, " ,;:|-–—")
	if s == "" || len(s) > 120 || strings.Contains(s, "://") || strings.HasPrefix(s, "www.") {
		return ""
	}
	if _, ok := parseText(s, ""); ok {
		return ""
	}
	return s
}
