package extract

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// feed is what is read of RSS, Atom and JSON Feed.
type feed struct {
	feedItem
	items []feedItem
}

// feedItem is an entry of a feed, or what a feed says of itself.
type feedItem struct {
	title, link, author, published, updated string
	summary, content                        string // HTML
	language                                string
}

// readFeed reads RSS (2.0, its ancestors, and 1.0), Atom (RFC 4287) and JSON Feed.
// Each entry is a heading that links to it, its date and author, and its content, or
// its summary if it has no content.
func (r *Reader) readFeed(ctx context.Context, src string, hint Hint) (*Document, error) {
	var f feed
	var broken error
	if strings.HasPrefix(strings.TrimLeft(src, blanks), "{") {
		broken = f.readJSON(src)
	} else {
		broken = f.readXML(ctx, src)
	}
	if broken != nil && len(f.items) == 0 {
		return nil, errors.Join(ErrDamaged, broken)
	}
	base, _ := url.Parse(hint.URL)
	w := &walker{reader: r, sheet: &stylesheet{empty: true}, base: base, inMain: func(*html.Node) bool { return true }}
	w.limit = r.options.MaxText
	w.item(f.feedItem, 1)
	for _, item := range f.items {
		if w.full {
			break
		}
		w.item(item, 2)
	}
	doc := w.finish()
	doc.Hidden = w.hidden
	doc.Title, doc.Byline, doc.Language = collapse(plainOf(f.title)), f.author, languageTag(f.language)
	doc.Dates = feedDates(f.feedItem)
	if broken != nil {
		doc.Warnings = append(doc.Warnings, Warning{"damaged", fmt.Sprintf("The feed ends early: %v.", broken)})
	}
	return doc, nil
}

// item writes an entry.
func (w *walker) item(item feedItem, level int) {
	w.block(2)
	start, end := w.whole(blockKind{kind: Heading, level: level, main: true}, plainOf(item.title))
	if link := resolve(w.base, item.link); link != "" && end > start {
		w.links = append(w.links, Link{start, end, link})
	}
	w.block(2)
	w.whole(blockKind{kind: Paragraph, main: true}, item.author)
	date := item.published
	first(&date, item.updated)
	w.whole(blockKind{kind: Paragraph, main: true}, date)
	body := item.content
	first(&body, item.summary)
	if body == "" {
		return
	}
	root, _, err := parseHTML(body, w.reader.options.MaxElements)
	if err != nil {
		return
	}
	outer := w.base
	if u, err := url.Parse(item.link); err == nil && item.link != "" && w.base != nil {
		w.base = w.base.ResolveReference(u)
	}
	w.kind = blockKind{kind: Paragraph}
	w.walk(root, look{})
	w.base = outer
}

// plainOf returns the text of a title, which may hold markup.
func plainOf(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	root, _, err := parseHTML(s, 1000)
	if err != nil {
		return s
	}
	var sb strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			sb.WriteString(n.Data)
		}
	}
	return sb.String()
}

// feedDates are the dates that a feed states of itself.
func feedDates(item feedItem) []Date {
	var list []Date
	for _, d := range []struct {
		kind DateKind
		raw  string
	}{{Published, item.published}, {Updated, item.updated}} {
		if v := feedDate(d.raw); v != "" {
			list = append(list, Date{Kind: d.kind, Value: v, Source: "feed", Raw: strings.TrimSpace(d.raw)})
		}
	}
	return list
}

// feedDate brings a date of RFC 822 or RFC 3339 to the latter form.
func feedDate(raw string) string {
	raw = collapse(raw)
	for _, layout := range []string{time.RFC3339, time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST",
		"2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04 -0700", "2006-01-02T15:04:05", "2006-01-02"} {
		t, err := time.Parse(layout, raw)
		if err != nil {
			continue
		}
		if layout == "2006-01-02" {
			return raw
		}
		if name, _ := t.Zone(); strings.HasSuffix(layout, "MST") && name != "GMT" && name != "UTC" && name != "UT" || layout == "2006-01-02T15:04:05" {
			return t.Format("2006-01-02") // the zone is not known
		}
		return t.Format(time.RFC3339)
	}
	return ""
}

// readXML reads RSS and Atom.
func (f *feed) readXML(ctx context.Context, src string) error {
	d := newXML(src)
	current := &f.feedItem
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.EndElement:
			if t.Name.Local == "item" || t.Name.Local == "entry" {
				current = &f.feedItem
			}
		case xml.StartElement:
			switch t.Name.Local {
			case "rss", "RDF", "feed", "channel":
				first(&f.language, xmlAttr(t, "lang"))
			case "item", "entry":
				f.items = append(f.items, feedItem{})
				current = &f.items[len(f.items)-1]
			case "image", "textinput", "textInput", "source", "cloud", "items", "thumbnail":
				if err := d.Skip(); err != nil {
					return err
				}
			default:
				if err := current.readElement(d, t); err != nil {
					return err
				}
			}
		}
	}
}

// readElement reads an element of a feed or of an entry.
func (item *feedItem) readElement(d *xml.Decoder, t xml.StartElement) error {
	value, err := xmlValue(d)
	if space := t.Name.Space; strings.Contains(space, "search.yahoo.com/mrss") || strings.Contains(space, "itunes") {
		return err
	}
	trimmed := strings.TrimSpace(value)
	switch t.Name.Local {
	case "title":
		first(&item.title, value)
	case "link":
		if href := xmlAttr(t, "href"); href != "" {
			if rel := xmlAttr(t, "rel"); rel == "" || rel == "alternate" {
				first(&item.link, href)
			}
		} else {
			first(&item.link, trimmed)
		}
	case "guid":
		if strings.HasPrefix(trimmed, "http") && xmlAttr(t, "isPermaLink") != "false" {
			first(&item.link, trimmed)
		}
	case "description", "summary", "subtitle", "tagline":
		first(&item.summary, asHTML(t, value))
	case "encoded", "content":
		first(&item.content, asHTML(t, value))
	case "pubDate", "published", "issued", "date":
		first(&item.published, trimmed)
	case "lastBuildDate", "updated", "modified":
		first(&item.updated, trimmed)
	case "author", "creator":
		first(&item.author, collapse(plainOf(value)))
	case "language":
		first(&item.language, trimmed)
	}
	return err
}

// asHTML returns the value of an element as HTML; Atom marks what is plain text.
func asHTML(t xml.StartElement, value string) string {
	if xmlAttr(t, "type") == "text" {
		return escapeXML(value)
	}
	return value
}

// readJSON reads JSON Feed (version 1.1 of its specification).
func (f *feed) readJSON(src string) error {
	type author struct{ Name string }
	var doc struct {
		Title, Description, Language string
		Home                         string `json:"home_page_url"`
		Authors                      []author
		Items                        []struct {
			Title, URL, Summary string
			HTML                string `json:"content_html"`
			Text                string `json:"content_text"`
			Published           string `json:"date_published"`
			Modified            string `json:"date_modified"`
			Author              author
			Authors             []author
		}
	}
	if err := json.Unmarshal([]byte(src), &doc); err != nil {
		return err
	}
	f.feedItem = feedItem{title: doc.Title, link: doc.Home, summary: doc.Description, language: doc.Language}
	for _, a := range doc.Authors {
		first(&f.author, a.Name)
	}
	for _, i := range doc.Items {
		item := feedItem{title: i.Title, link: i.URL, published: i.Published, updated: i.Modified, summary: escapeXML(i.Summary), content: i.HTML, author: i.Author.Name}
		for _, a := range i.Authors {
			first(&item.author, a.Name)
		}
		first(&item.content, escapeXML(i.Text))
		f.items = append(f.items, item)
	}
	return nil
}
