package extract

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// newXML returns a decoder for XML as it is found: entities of HTML are known, errors
// are forgiven where they can be, and the text is UTF-8 whatever it says of itself.
func newXML(src string) *xml.Decoder {
	d := xml.NewDecoder(strings.NewReader(src))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	return d
}

const (
	// maxValue is the size of the content of one element of XML that is read.
	maxValue = 4 << 20
	// maxXMLDepth is how deep elements may lie in one another.
	maxXMLDepth = 1000
)

// xmlValue returns the text of the element that was just started, up to its end. The
// markup inside of XHTML content is kept.
func xmlValue(d *xml.Decoder) (string, error) {
	var sb strings.Builder
	for depth := 1; depth > 0; {
		token, err := d.Token()
		if err != nil {
			return sb.String(), err
		}
		if sb.Len() > maxValue {
			return sb.String(), d.Skip()
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxXMLDepth {
				return "", fmt.Errorf("%w: it nests more than %d elements", ErrTooLarge, maxXMLDepth)
			}
			sb.WriteString("<" + t.Name.Local)
			for _, a := range t.Attr {
				sb.WriteString(" " + a.Name.Local + `="` + escapeXML(a.Value) + `"`)
			}
			sb.WriteString(">")
		case xml.EndElement:
			if depth--; depth > 0 && !voidElements[t.Name.Local] {
				sb.WriteString("</" + t.Name.Local + ">")
			}
		case xml.CharData:
			if depth > 1 {
				sb.WriteString(escapeXML(string(t)))
			} else {
				sb.Write(t)
			}
		}
	}
	return sb.String(), nil
}

func escapeXML(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// xmlAttr returns an attribute of an element by its local name.
func xmlAttr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
