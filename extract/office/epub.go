package office

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/quarry-sdk/quarry/extract"
)

// maxSpine bounds the documents of a book.
const maxSpine = 10_000

// epub reads a book (EPUB 3.3): the documents of its spine, in order.
func (a *archive) epub(w *writer, container string, readHTML func(context.Context, []byte, string) (*extract.Document, error)) error {
	if readHTML == nil {
		return fmt.Errorf("%w: an EPUB needs Config.ReadHTML to read its documents", extract.ErrUnsupported)
	}
	if err := a.unprotected(); err != nil {
		return err
	}
	root := ""
	err := a.each(container, func(_ *walker, e xml.StartElement) error {
		if e.Name.Local == "rootfile" && root == "" {
			root = attr(e, "full-path")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if root == "" || !a.has(root) {
		return fmt.Errorf("%w: its container names no package document", extract.ErrDamaged)
	}
	p, err := a.openBook(key(root), w.doc)
	if err != nil {
		return err
	}
	for i, item := range p.spine {
		name, ok := p.manifest[item.id]
		if !ok || !a.has(name) {
			w.warn("damaged", "document %d of the spine is missing", i+1)
			continue
		}
		data, err := a.all(name)
		if err != nil {
			return err
		}
		address := (&url.URL{Scheme: "epub", Path: "/" + name}).String()
		doc, err := readHTML(a.ctx, data, address)
		first := len(w.doc.Blocks)
		if err == nil {
			err = w.merge(doc, item.linear)
		} else if a.ctx.Err() != nil {
			return context.Cause(a.ctx)
		} else if !errors.Is(err, extract.ErrEmpty) { // a cover is an image
			w.warn("damaged", "document %d of the spine, %s: %v", i+1, path.Base(name), err)
			err = nil
		} else {
			err = nil
		}
		label := ""
		if doc != nil {
			label = tidy(doc.Title)
		}
		w.page(i+1, first, label)
		if err != nil {
			return err
		}
	}
	return nil
}

// unprotected refuses books whose documents are encrypted; only the fonts of others
// may be obfuscated.
func (a *archive) unprotected() error {
	const name = "META-INF/encryption.xml"
	if !a.has(name) {
		return nil
	}
	algorithm := ""
	return a.each(name, func(_ *walker, e xml.StartElement) error {
		switch e.Name.Local {
		case "EncryptionMethod":
			algorithm = attr(e, "Algorithm")
		case "CipherReference":
			if algorithm != "http://www.idpf.org/2008/embedding" && algorithm != "http://ns.adobe.com/pdf/enc#RC" {
				return fmt.Errorf("%w: the book is protected (DRM), and such books are not opened", extract.ErrEncrypted)
			}
		}
		return nil
	})
}

// book is what a package document says.
type book struct {
	manifest map[string]string // parts by identifier
	spine    []spineItem
}

type spineItem struct {
	id     string
	linear bool
}

func (a *archive) openBook(root string, doc *extract.Document) (*book, error) {
	b := &book{manifest: map[string]string{}}
	var authors []string
	err := a.each(root, func(w *walker, e xml.StartElement) error {
		metadata := strings.HasPrefix(e.Name.Space, "http://purl.org/dc/elements/") ||
			e.Name.Local == "meta" && attr(e, "property") == "dcterms:modified"
		if metadata {
			raw, err := w.text()
			if err != nil {
				return err
			}
			value := tidy(raw)
			switch e.Name.Local {
			case "title":
				if doc.Title == "" {
					doc.Title = value
				}
			case "creator":
				if value != "" && len(authors) < 20 {
					authors = append(authors, value)
				}
			case "language":
				if doc.Language == "" {
					doc.Language = value
				}
			case "date":
				switch attr(e, "event") {
				case "", "publication", "original-publication":
					addDate(doc, extract.Published, value)
				case "modification":
					addDate(doc, extract.Updated, value)
				}
			case "meta":
				addDate(doc, extract.Updated, value)
			}
			return nil
		}
		switch e.Name.Local {
		case "item":
			href, err := url.PathUnescape(attr(e, "href"))
			if err == nil && (attr(e, "media-type") == "application/xhtml+xml" || attr(e, "media-type") == "text/html") {
				b.manifest[attr(e, "id")] = resolve(root, href)
			}
		case "itemref":
			if len(b.spine) < maxSpine {
				b.spine = append(b.spine, spineItem{attr(e, "idref"), attr(e, "linear") != "no"})
			}
		}
		return nil
	})
	doc.Byline = strings.Join(authors, ", ")
	return b, err
}

// merge adds a document of a book.
func (w *writer) merge(doc *extract.Document, main bool) error {
	next := 0
	for _, b := range doc.Blocks {
		p := passage{text: []byte(doc.Text[b.Start:b.End])}
		for next < len(doc.Links) && doc.Links[next].Start < b.Start {
			next++
		}
		for ; next < len(doc.Links) && doc.Links[next].End <= b.End; next++ {
			if l := doc.Links[next]; address(l.URL) != "" {
				p.links = append(p.links, extract.Link{Start: l.Start - b.Start, End: l.End - b.Start, URL: l.URL})
			}
		}
		if err := w.block(b.Kind, b.Level, main, p); err != nil {
			return err
		}
	}
	w.doc.Hidden += doc.Hidden
	w.doc.Warnings = append(w.doc.Warnings, doc.Warnings...)
	return nil
}
