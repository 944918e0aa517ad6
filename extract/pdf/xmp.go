package pdf

import (
	"bytes"
	"encoding/xml"
	"strings"
	"time"
)

// packet is what is read of an XMP packet (ISO 16684-1).
type packet struct {
	title, language   string
	creators          []string
	created, modified string
}

const (
	xmpLimit   = 1 << 20
	xmpCreator = 20
	dcSpace    = "http://purl.org/dc/elements/1.1/"
	xmpSpace   = "http://ns.adobe.com/xap/1.0/"
)

// xmpPacket reads the last XMP packet that stands in a file in clear, as the format
// recommends. A compressed or damaged one counts as absent.
func xmpPacket(data []byte) packet {
	var p packet
	start := bytes.LastIndex(data, []byte("<x:xmpmeta"))
	if start < 0 {
		return p
	}
	data = data[start:min(len(data), start+xmpLimit)]
	end := bytes.Index(data, []byte("</x:xmpmeta>"))
	if end < 0 {
		return p
	}
	d := xml.NewDecoder(bytes.NewReader(data[:end+len("</x:xmpmeta>")]))
	var property xml.Name
	for {
		token, err := d.Token()
		if err != nil {
			return p
		}
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Space == dcSpace || t.Name.Space == xmpSpace {
				property = t.Name
			}
			for _, a := range t.Attr {
				p.set(a.Name, a.Value)
			}
		case xml.EndElement:
			if t.Name == property {
				property = xml.Name{}
			}
		case xml.CharData:
			p.set(property, string(t))
		}
	}
}

// set keeps the first value of a property, and all creators.
func (p *packet) set(name xml.Name, value string) {
	value = tidy(value)
	if value == "" || len(value) > scratchSize {
		return
	}
	keep := func(s *string) {
		if *s == "" {
			*s = value
		}
	}
	switch {
	case name.Space == dcSpace && name.Local == "title":
		keep(&p.title)
	case name.Space == dcSpace && name.Local == "language":
		keep(&p.language)
	case name.Space == dcSpace && name.Local == "creator" && len(p.creators) < xmpCreator:
		p.creators = append(p.creators, value)
	case name.Space == xmpSpace && name.Local == "CreateDate":
		keep(&p.created)
	case name.Space == xmpSpace && name.Local == "ModifyDate":
		keep(&p.modified)
	}
}

// xmpDate checks a date of XMP, which is one of RFC 3339 with parts left out.
func xmpDate(s string) string {
	s = strings.TrimSpace(s)
	for _, layout := range []string{time.RFC3339, "2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() >= 1900 && t.Year() <= 2200 {
			return s
		}
	}
	if t, err := time.Parse("2006-01-02T15:04Z07:00", s); err == nil {
		return t.Format(time.RFC3339)
	}
	if t, err := time.Parse("2006-01-02T15:04:05", s); err == nil {
		return t.Format(time.DateOnly)
	}
	return ""
}
