package extract

import (
	"cmp"
	"context"
	"fmt"
	"net/url"

	"golang.org/x/net/html"
)

// readHTML reads a page.
func (r *Reader) readHTML(ctx context.Context, src string, hint Hint) (*Document, error) {
	root, warnings, err := parseHTML(src, r.options.MaxElements)
	if err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	doc := r.readPage(root, hint)
	doc.Warnings = append(warnings, doc.Warnings...)
	return doc, nil
}

// readPage reads a parsed page.
func (r *Reader) readPage(root *html.Node, hint Hint) *Document {
	head := readHead(root, hint.URL)
	inMain, facts := r.main(root, hint.URL)
	sheet := newStylesheet(root)
	doc, w := r.walkPage(root, sheet, head.base, inMain)
	if revealed := w.faded; revealed > 2000 && revealed > 2*len(doc.Text) {
		// A page whose text is nearly all invisible shows it by a script.
		sheet.ignoreFading = true
		doc, w = r.walkPage(root, sheet, head.base, inMain)
		doc.Warnings = append(doc.Warnings, Warning{"revealed", "Most of the page is invisible until its scripts run; it was read as if they had."})
	}
	if sheet.matches >= maxMatches {
		doc.Warnings = append(doc.Warnings, Warning{"styles", "The page has too many rules of style; text that they hide may have been read."})
	}
	doc.Hidden = w.hidden
	if w.noscript > 0 && len(doc.Text) < 200 && w.noscript > len(doc.Text) {
		doc.Warnings = append(doc.Warnings, Warning{"noscript", fmt.Sprintf("The page has little text but %d bytes for browsers without scripts.", w.noscript)})
	}
	doc.Title, doc.Byline, doc.Dates = facts.title, facts.byline, facts.dates
	if doc.Title == "" {
		doc.Title = head.title
	}
	for _, b := range doc.Blocks {
		if doc.Title == "" && b.Kind == Heading {
			doc.Title = collapse(doc.Text[b.Start:b.End])
		}
	}
	doc.SiteName, doc.Canonical = cmp.Or(facts.siteName, head.siteName), cmp.Or(head.canonical, facts.canonical)
	doc.Language = pageLanguage(cmp.Or(head.language, facts.language), doc.MainText())
	return doc
}

func (r *Reader) walkPage(root *html.Node, sheet *stylesheet, base *url.URL, inMain func(*html.Node) bool) (*Document, *walker) {
	w := &walker{reader: r, sheet: sheet, base: base, inMain: inMain}
	w.limit = r.options.MaxText
	w.kind = blockKind{kind: Paragraph}
	w.walk(root, look{})
	return w.finish(), w
}
