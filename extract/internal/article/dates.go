package article

import (
	"strings"
	"sync"
)

// dater collects the dates of a page.
type dater struct {
	*page
	above bool // what is added stands over the headline
	lang  string
	found []dated
}

func (d *dater) add(kind DateKind, source, raw string, told bool) {
	raw = strings.Join(strings.Fields(raw), " ")
	if raw == "" || len(d.found) >= maxStamps {
		return
	}
	m, ok := parseStamp(raw, d.lang)
	if !ok {
		return
	}
	if source == "text" && !told && m.day == 0 {
		return // a month alone is an archive's or an issue's
	}
	for _, f := range d.found {
		if f.kind == kind && f.source == source && (f.m == m || !told && f.above == d.above) {
			return
		}
	}
	if len(raw) > 120 {
		raw = raw[:120]
	}
	d.found = append(d.found, dated{kind, m, source, strings.ToValidUTF8(raw, ""), told, d.above})
}

// Names of meta elements that hold dates, the most exact first.
var (
	publishedMeta = sync.OnceValue(func() []string {
		return strings.Fields("article:published_time og:article:published_time og:published_time article:published datepublished date.published " +
			"originalpublicationdate parsely-pub-date sailthru.date citation_publication_date citation_online_date citation_date cxenseparse:recs:publishtime cxenseparse:publishtime " +
			"bt:pubdate ptime pubdate publishdate publish_date publish-date publication_date publication-date published published_time published_at published-date dcterms.issued dc.date.issued " +
			"dcterms.created dc.date.created dcterms.date dc.date dc:date date.created datecreated article:created displaydate dateposted article_date_original article.published date")
	})
	updatedMeta = sync.OnceValue(func() []string {
		return strings.Fields("article:modified_time og:article:modified_time og:updated_time article:updated_time article:updated article:modified datemodified date.modified dateupdated lastmod " +
			"lastmodified last-modified-date dcterms.modified dc.date.modified dc.modified modified modified_time updated updated_time revised utime last-modified last_updated article.updated")
	})
)

// dates finds the dates of the page and puts the most trustworthy of a kind
// first: those that programs were meant to read before those for people.
func (p *page) dates(h *head, t *thing, zone region) []Date {
	d := &dater{page: p, lang: h.lang}
	d.add(Published, "json-ld", t.published, true)
	d.add(Published, "json-ld", t.created, false)
	d.add(Updated, "json-ld", t.modified, true)
	for _, name := range publishedMeta() {
		d.add(Published, "meta", h.first(name), true)
	}
	for _, name := range updatedMeta() {
		d.add(Updated, "meta", h.first(name), true)
	}
	d.microdata(zone)
	d.timeElements(zone)
	d.visible(zone)
	d.address()
	return d.weigh()
}
