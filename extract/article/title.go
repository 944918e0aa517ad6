package article

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// claimedTitles are the titles that the page declares, the most trustworthy
// first.
func claimedTitles(h *head, t *thing) []string {
	var found []string
	for _, s := range []string{
		t.headline, h.first("og:title"), h.first("twitter:title"), h.first("dc.title", "dcterms.title", "parsely-title", "sailthru.title", "headline"), h.title,
	} {
		if s = strings.Join(strings.Fields(html.UnescapeString(s)), " "); s != "" {
			found = append(found, s)
		}
	}
	return found
}

// titleHeading is the index of the heading that shows one of the titles, the
// first h1 that does before other headings; -1 if none does.
func (p *page) titleHeading(titles []string) int32 {
	keys := make([]string, len(titles))
	for i, s := range titles {
		keys[i] = fold(s)
	}
	best, bestScore := int32(-1), 0
	for i := range p.nodes {
		nd := &p.nodes[i]
		score := 0
		switch nd.n.DataAtom {
		case atom.H1:
			score = 3
		case atom.H2:
			score = 2
		case atom.H3, atom.H4:
			score = 1
		default:
			continue
		}
		text := fold(p.innerText(int32(i), maxText))
		for _, key := range keys {
			switch {
			case text == "" || key == "":
			case text == key:
				score += 20
			case len(text) >= 12 && (strings.HasPrefix(key, text) || strings.HasPrefix(text, key) && len(key) >= 12):
				score += 10
			case len(text) >= 20 && strings.Contains(key, text):
				score += 8
			default:
				continue
			}
			break
		}
		if score > bestScore && score >= 8 {
			best, bestScore = int32(i), score
		}
	}
	return best
}

// fold keeps the letters and digits of a text, in small letters, with one blank
// between words.
func fold(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(unicode.ToLower(r))
		case r == '\'' || r == '’' || r == 0xad || r == 0x200b:
		default:
			gap = true
		}
	}
	return b.String()
}

// pageTitle is the title of the page without the name of the site: what it claims
// for others to show, else the heading that its title element holds, else that
// element.
func (p *page) pageTitle(h *head, t *thing, heading int32, site string) string {
	for _, s := range claimedTitles(h, t) {
		if s == strings.Join(strings.Fields(h.title), " ") {
			break
		}
		if fold(s) != fold(site) {
			return withoutSite(s, site)
		}
	}
	title := strings.Join(strings.Fields(h.title), " ")
	if heading >= 0 {
		if s := p.innerText(heading, maxText); len(strings.Fields(s)) >= 4 || title == "" || len(s)*2 >= len(title) {
			return s
		}
	}
	if title == "" {
		for i := range p.nodes {
			if p.nodes[i].n.DataAtom == atom.H1 && !p.nodes[i].out {
				return p.innerText(int32(i), maxText)
			}
		}
	}
	return withoutSite(title, site)
}

// withoutSite cuts the name of the site off a title, with the mark between them.
func withoutSite(title, site string) string {
	if site == "" {
		return title
	}
	for _, mark := range []string{" | ", " - ", " – ", " — ", " :: ", " » ", " · ", " / ", ": ", "_", "|"} {
		if i := strings.LastIndex(title, mark); i > 0 && fold(title[i+len(mark):]) == fold(site) {
			return strings.TrimSpace(title[:i])
		}
		if i := strings.Index(title, mark); i > 0 && fold(title[:i]) == fold(site) {
			return strings.TrimSpace(title[i+len(mark):])
		}
	}
	return title
}
