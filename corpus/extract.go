package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path"
	"strings"
)

// formats maps a lower-case extension to the format it stands for.
var formats = map[string]string{
	".html": "html", ".htm": "html", ".xhtml": "html",
	".md": "markdown", ".markdown": "markdown", ".mdown": "markdown", ".mkd": "markdown",
	".txt": "text", ".text": "text",
	".rst": "rst", ".rest": "rst",
}

func formatOf(name string) string { return formats[strings.ToLower(path.Ext(name))] }

var errNoText = errors.New("no text after extraction")

// read extracts the document in data. The name, a path below the corpus folder, decides the format.
func read(name, id string, data []byte, passageSize int) (*Document, error) {
	doc := &Document{ID: id, Path: name, Format: formatOf(name), Hash: hashOf(data)}
	src, err := decode(data, doc.Format == "html")
	if err != nil {
		return nil, err
	}
	var e *extract
	switch doc.Format {
	case "html":
		e, err = extractHTML(src)
	case "markdown":
		e, err = extractMarkdown(src)
	case "rst":
		e, err = extractRST(src)
	default:
		e, err = extractPlain(src)
	}
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(e.text) == "" {
		return nil, errNoText
	}
	doc.Title = e.title
	if doc.Title == "" {
		doc.Title = strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	doc.Text = e.text
	doc.Sections = e.sections(doc.Title)
	doc.links = outLinks(name, e)
	doc.passages = split(doc.Text, doc.Sections, e.linked, passageSize)
	return doc, nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
