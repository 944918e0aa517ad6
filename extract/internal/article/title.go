package article

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// claimedTitles are the titles that the page declares, the most trustworthy
// first.
func claimedTitles(h *head, t *thing) []string {
	var found []string
	for _, s := range []string{
		t.headline, h.first("dc:title", "dc.title", "dcterms.title"), h.first("og:title"), h.first("twitter:title", "parsely-title", "sailthru.title", "headline", "title"), h.title,
	} {
		if s = strings.Join(strings.Fields(html.UnescapeString(s)), " "); s != "" {
			found = append(found, s)
		}
	}
	return found
}

// titleHeading is the index of the element that shows one of the titles: the
// first of the best among headings, or else a line that is just that; -1 if there
// is none.
func (p *page) titleHeading(titles []string) int32 {
	keys := foldedTitles(titles)
	best, bestScore := int32(-1), 0
	left := maxHeadings
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
		if left--; left < 0 {
			break
		}
		text := fold(p.innerText(int32(i), maxText))
		match := 0
		for key, whole := range keys {
			switch {
			case text == "":
			case text == key && whole:
				match = max(match, 20)
			case text == key:
				match = max(match, 15)
			case len(text) >= 12 && (strings.HasPrefix(key, text) || strings.HasPrefix(text, key) && len(key) >= 12):
				match = max(match, 10)
			case len(text) >= 20 && strings.Contains(key, text):
				match = max(match, 8)
			}
		}
		if match > 0 && score+match > bestScore {
			best, bestScore = int32(i), score+match
		}
	}
	if best >= 0 {
		return best
	}
	for k := range p.lines {
		l := &p.lines[k]
		if l.chars < 12 || l.chars > 250 || l.links*2 > l.chars {
			continue
		}
		if text := fold(p.text(l)); len(text) >= 12 {
			if _, ok := keys[text]; ok {
				return l.first
			}
		}
	}
	return -1
}

// maxHeadings bounds the headings that are compared with titles.
const maxHeadings = 400

// foldedTitles are the titles, and their parts of some length between the marks
// that part a title from the names of site and section. True is for whole ones.
func foldedTitles(titles []string) map[string]bool {
	keys := map[string]bool{}
	for _, s := range titles {
		for _, part := range titleMark().Split(s, 8) {
			if part = fold(part); len(part) >= 15 && !keys[part] {
				keys[part] = false
			}
		}
		if s = fold(s); s != "" {
			keys[s] = true
		}
	}
	return keys
}

var titleMark = lazyregexp.New(`\s+[|·•»:–—/-]+\s+|[|_]|\s*::\s*|：`)

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
	if heading < 0 && (title == "" || fold(title) == fold(site)) {
		heading = p.nearestHeading(p.nodes[p.body].end)
	}
	if heading >= 0 {
		if s := strings.Trim(p.innerText(heading, maxText), " ¶#"); len(fold(s)) >= 12 || title == "" {
			return s
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
