package office

import (
	"encoding/xml"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/extract"
)

// propertyLimit bounds a property in bytes.
const propertyLimit = 4096

// properties fills in what the file says of itself (ECMA-376 part 2, 11).
func (a *archive) properties(doc *extract.Document) error {
	top, err := a.relations("")
	if err != nil {
		return err
	}
	name := a.related(top, "core-properties")
	if name == "" {
		return nil
	}
	return a.each(name, func(w *walker, e xml.StartElement) error {
		if w.depth != 2 {
			return nil
		}
		raw, err := w.text()
		if err != nil {
			return err
		}
		switch value := tidy(raw); e.Name.Local {
		case "title":
			doc.Title = value
		case "creator":
			doc.Byline = value
		case "language":
			if value != "" {
				doc.Language = value
			}
		case "created":
			addDate(doc, extract.Published, value)
		case "modified":
			addDate(doc, extract.Updated, value)
		}
		return nil
	})
}

func tidy(s string) string {
	if len(s) > propertyLimit {
		s = strings.ToValidUTF8(s[:propertyLimit], "")
	}
	return strings.Join(strings.Fields(s), " ")
}

// addDate adds a date of W3CDTF, as far as it is known.
func addDate(doc *extract.Document, kind extract.DateKind, raw string) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02", "2006-01", "2006"} {
		t, err := time.Parse(layout, raw)
		if err != nil || t.Year() < 1900 || t.Year() > 2200 {
			continue
		}
		if layout == "2006-01-02T15:04Z07:00" {
			layout = time.RFC3339
		}
		doc.Dates = append(doc.Dates, extract.Date{Kind: kind, Value: t.Format(layout), Source: "properties", Raw: raw})
		return
	}
}
