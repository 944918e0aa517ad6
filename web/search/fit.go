package search

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// fit makes a query keep to a provider's limits. Note says what that changed for
// the worse; the text is empty if nothing of it fits.
func fit(q Query, l Limits) (sent Query, note string) {
	sent = q
	if l.MaxResults > 0 {
		sent.Max = min(q.Max, l.MaxResults)
	}
	suffix := ""
	if l.SiteWords && !l.Sites {
		suffix = siteWords(q)
	}
	words := strings.Fields(q.Text)
	total := len(words)
	fits := func() bool {
		text := strings.Join(words, " ") + suffix
		return (l.QueryRunes == 0 || utf8.RuneCountInString(text) <= l.QueryRunes) &&
			(l.QueryWords == 0 || len(strings.Fields(text)) <= l.QueryWords)
	}
	for len(words) > 0 && !fits() {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		sent.Text = ""
		return sent, ""
	}
	if len(words) < total {
		note = fmt.Sprintf("the last %d words of the query were left out, since the provider takes no more", total-len(words))
	}
	sent.Text = strings.Join(words, " ") + suffix
	return sent, note
}

// siteWords narrow a query down by its text.
func siteWords(q Query) string {
	var b strings.Builder
	for i, site := range q.Sites {
		if i > 0 {
			b.WriteString(" OR")
		}
		b.WriteString(" site:" + site)
	}
	for _, site := range q.NotSites {
		b.WriteString(" -site:" + site)
	}
	return b.String()
}
