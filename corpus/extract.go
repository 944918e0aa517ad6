package corpus

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path"
	"strings"

	"github.com/quarry-sdk/quarry/extract"
)

var (
	errBinary = errors.New("binary content")
	errEmpty  = errors.New("empty file")
	errNoText = errors.New("no text after extraction")
)

// reading is what is used of a document that was read.
type reading struct {
	title  string
	text   string
	marks  []mark
	linked []link
	pages  []extract.Page
}

// link is a hyperlink and the bytes that belong to it.
type link struct {
	start, end int
	href       string
}

// read extracts the document in data. The name, a path below the corpus folder, decides the format.
func read(name, id string, data []byte, opts *Options) (*Document, error) {
	format := opts.formatOf(name)
	doc := &Document{ID: id, Path: name, Format: string(format), Hash: hashOf(data)}
	e, err := extractText(format, data, opts.Formats)
	if err != nil {
		return nil, err
	}
	doc.Title = e.title
	if doc.Title == "" {
		doc.Title = strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	doc.Text = e.text
	doc.Pages = e.pages
	doc.Sections = e.sections(doc.Title)
	doc.links = outLinks(name, e)
	doc.passages = split(doc.Text, doc.Sections, e.linked, opts.PassageSize)
	return doc, nil
}

// extractText reads data by the extractor of its format, without the navigation that
// surrounds the text of a page. The size of the file was limited before.
func extractText(format extract.Format, data []byte, more map[extract.Format]extract.FormatReader) (*reading, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errEmpty
	}
	var o layout
	r, err := extract.New(extract.Options{
		Formats: more, NoArticle: true,
		MaxBytes: len(data), MaxElements: len(data), MaxText: 8*len(data) + 1000, Skip: dropped, Visit: o.visit,
	})
	if err != nil {
		return nil, err
	}
	doc, err := r.Read(context.Background(), data, extract.Hint{Format: format})
	switch {
	case errors.Is(err, extract.ErrEmpty):
		return nil, errNoText
	case errors.Is(err, extract.ErrUnsupported):
		return nil, errBinary
	case err != nil:
		return nil, err
	case strings.TrimSpace(doc.Text) == "":
		return nil, errNoText
	}
	e := &reading{title: collapse(doc.Title), text: doc.Text, marks: o.all(doc), pages: doc.Pages}
	for _, l := range doc.Links {
		e.linked = append(e.linked, link{l.Start, l.End, l.URL})
	}
	return e, nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
