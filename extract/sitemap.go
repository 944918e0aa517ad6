package extract

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// readSitemap reads a sitemap or an index of sitemaps (sitemaps.org). Each address is
// a row of the address, which is a link, and the date of its last change if it has
// one; its versions in other languages follow in rows of address and language.
func (r *Reader) readSitemap(ctx context.Context, src string, hint Hint) (*Document, error) {
	base, _ := url.Parse(hint.URL)
	b := &builder{limit: r.options.MaxText, kind: blockKind{kind: TableRow, main: true}}
	row := func(address, more string) {
		b.startRow()
		b.text(address)
		start, end := b.here()
		if u := resolve(base, address); u != "" && end > start {
			b.links = append(b.links, Link{start, end, u})
		}
		b.cell()
		b.text(more)
		b.endRow()
	}
	d := newXML(src)
	var address, changed string
	var alternates [][2]string
	for !b.full {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			doc := b.finish()
			if doc.Text == "" {
				return nil, errors.Join(ErrDamaged, err)
			}
			doc.Warnings = append(doc.Warnings, Warning{"damaged", fmt.Sprintf("The sitemap ends early: %v.", err)})
			return doc, nil
		}
		switch t := token.(type) {
		case xml.EndElement:
			if t.Name.Local == "url" || t.Name.Local == "sitemap" {
				if address != "" {
					row(address, changed)
				}
				for _, a := range alternates {
					row(a[0], a[1])
				}
				address, changed, alternates = "", "", nil
			}
		case xml.StartElement:
			switch t.Name.Local {
			case "loc", "lastmod":
				value, _ := xmlValue(d) // an error comes again with the next token
				if t.Name.Local == "lastmod" {
					first(&changed, collapse(value))
				} else if !strings.Contains(t.Name.Space, "image") && !strings.Contains(t.Name.Space, "video") {
					first(&address, collapse(value))
				}
			case "link":
				if href := collapse(xmlAttr(t, "href")); href != "" {
					alternates = append(alternates, [2]string{href, xmlAttr(t, "hreflang")})
				}
			}
		}
	}
	return b.finish(), nil
}
