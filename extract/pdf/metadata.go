package pdf

import (
	"context"
	"fmt"
	"strings"

	"github.com/quarry-sdk/quarry/extract"
)

// metadata fills in what the document says of itself: its information dictionary
// first, then its XMP packet.
func (in *instance) metadata(ctx context.Context, handle uint64, data []byte, doc *extract.Document) error {
	get := func(key string) (string, error) {
		p, err := in.store(ctx, []byte(key))
		if err != nil {
			return "", err
		}
		text, err := in.wide(ctx, "FPDF_GetMetaText", handle, uint64(p))
		return tidy(text), err
	}
	var values [4]string
	for i, key := range []string{"Title", "Author", "CreationDate", "ModDate"} {
		text, err := get(key)
		if err != nil {
			return err
		}
		values[i] = text
	}
	language, err := in.wide(ctx, "FPDFCatalog_GetLanguage", handle)
	if err != nil {
		return err
	}
	packet := xmpPacket(data)
	doc.Title = first(values[0], packet.title)
	doc.Byline = first(values[1], strings.Join(packet.creators, ", "))
	doc.Language = first(tag(language), tag(packet.language))
	for _, d := range []struct {
		kind     extract.DateKind
		raw, xmp string
	}{{extract.Published, values[2], packet.created}, {extract.Updated, values[3], packet.modified}} {
		if value := date(d.raw); value != "" {
			doc.Dates = append(doc.Dates, extract.Date{Kind: d.kind, Value: value, Source: "properties", Raw: d.raw})
		} else if value := xmpDate(d.xmp); value != "" {
			doc.Dates = append(doc.Dates, extract.Date{Kind: d.kind, Value: value, Source: "properties", Raw: d.xmp})
		}
	}
	return nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// tidy drops the controls of a string of the properties.
func tidy(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7F || r == 0xFFFD {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// tag returns a language tag in the form of BCP 47, or nothing if it is none.
func tag(s string) string {
	s = strings.ReplaceAll(strings.TrimSpace(s), "_", "-")
	primary, _, _ := strings.Cut(s, "-")
	if len(primary) < 2 || len(primary) > 8 || len(s) > 35 || strings.EqualFold(primary, "und") {
		return ""
	}
	for _, r := range s {
		if r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') {
			return ""
		}
	}
	return s
}

// date reads a date of PDF (ISO 32000-1, 7.9.4): D:YYYYMMDDHHmmSSOHH'mm', of which
// all behind the year may be absent.
func date(raw string) string {
	s := strings.TrimPrefix(strings.TrimSpace(raw), "D:")
	digits := 0
	for digits < len(s) && digits < 14 && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	zone := s[digits:]
	part := func(from, low, high int) (string, bool) {
		if digits < from+2 {
			return "", false
		}
		n := int(s[from]-'0')*10 + int(s[from+1]-'0')
		return s[from : from+2], n >= low && n <= high
	}
	if digits < 4 || s[:4] < "1900" || s[:4] > "2200" {
		return ""
	}
	value := s[:4]
	for _, p := range []struct {
		from, low, high int
	}{{4, 1, 12}, {6, 1, 31}} {
		text, ok := part(p.from, p.low, p.high)
		if !ok {
			return value
		}
		value += "-" + text
	}
	hour, ok1 := part(8, 0, 23)
	minute, ok2 := part(10, 0, 59)
	if !ok1 || !ok2 {
		return value
	}
	second, ok := part(12, 0, 59)
	if !ok {
		second = "00"
	}
	offset, ok := offset(zone)
	if !ok { // a time of nowhere says only the day
		return value
	}
	return fmt.Sprintf("%sT%s:%s:%s%s", value, hour, minute, second, offset)
}

// offset reads O HH' mm'.
func offset(zone string) (string, bool) {
	zone = strings.ReplaceAll(strings.ReplaceAll(zone, "'", ""), ":", "")
	if strings.HasPrefix(zone, "Z") {
		return "Z", true
	}
	if len(zone) == 3 {
		zone += "00"
	}
	if len(zone) < 5 || zone[0] != '+' && zone[0] != '-' {
		return "", false
	}
	for _, c := range zone[1:5] {
		if c < '0' || c > '9' {
			return "", false
		}
	}
	if zone[1:3] > "14" || zone[3:5] > "59" {
		return "", false
	}
	return zone[:3] + ":" + zone[3:5], true
}
