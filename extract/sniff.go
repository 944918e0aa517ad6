package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// Sniff finds out the format of data: by the bytes first, then the Content-Type
// header, then the suffix of the name or address. It returns an error that wraps
// ErrEmpty, ErrEncrypted or ErrUnsupported and says what the bytes are.
func Sniff(data []byte, hint Hint) (Format, error) {
	if len(data) == 0 {
		return "", fmt.Errorf("%w: it has no bytes", ErrEmpty)
	}
	if bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) {
		return PDF, nil
	}
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) || bytes.HasPrefix(data, []byte("PK\x05\x06")) {
		return sniffZip(data)
	}
	if bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) {
		return sniffCompound(data)
	}
	if what := knownBinary(data); what != "" {
		return "", fmt.Errorf("%w: it is %s", ErrUnsupported, what)
	}
	hinted := hintedFormat(hint)
	if format, what := sniffText(beginning(data), data, hinted); what != "" {
		return "", fmt.Errorf("%w: it is %s", ErrUnsupported, what)
	} else if format != "" {
		return format, nil
	}
	media := mediaType(hint.ContentType)
	if binaryHead(data) {
		switch kind, _, _ := strings.Cut(media, "/"); kind {
		case "image", "audio", "video", "font":
			return "", fmt.Errorf("%w: it is declared to be %s", ErrUnsupported, media)
		}
		return "", fmt.Errorf("%w: binary content of no known kind", ErrUnsupported)
	}
	switch hinted {
	case "", PDF, DOCX, PPTX, XLSX, EPUB, JSON, Feed, Sitemap: // the bytes say that it is not
		return Plain, nil
	}
	return hinted, nil
}

// beginning returns the beginning of a text, decoded if it is in UTF-16, without what may
// come before its first word.
func beginning(data []byte) string {
	text := data[:min(len(data), 8192)]
	if name, n := byteOrderMark(text); n > 0 {
		text = decodeAs(text[n:], name)
	} else if name := guessUTF16(text); name != "" {
		text = decodeAs(text, name)
	}
	return string(text)
}

// sniffText recognises the formats of text that show themselves. what is what data is
// instead, if it is of no use.
func sniffText(text string, data []byte, hinted Format) (format Format, what string) {
	isXML := false
	rest := strings.TrimLeft(text, blanks)
	if rest == "" {
		return "", ""
	}
	for {
		switch {
		case strings.HasPrefix(rest, "<!--"):
			_, after, ok := strings.Cut(rest, "-->")
			if !ok {
				return startsHTML(hinted), ""
			}
			rest = strings.TrimLeft(after, blanks)
			continue
		case strings.HasPrefix(rest, "<?"):
			isXML = isXML || strings.HasPrefix(rest, "<?xml")
			_, after, ok := strings.Cut(rest, ">")
			if !ok {
				return "", ""
			}
			rest = strings.TrimLeft(after, blanks)
			continue
		case hasPrefixFold(rest, "<!doctype"):
			declaration, after, ok := strings.Cut(rest, ">")
			if !ok || hasPrefixFold(strings.TrimLeft(declaration[9:], blanks), "html") {
				return HTML, ""
			}
			if i := strings.Index(declaration, "["); i >= 0 { // an internal subset
				if _, after, ok = strings.Cut(rest, "]"); !ok {
					return "", ""
				}
				_, after, _ = strings.Cut(after, ">")
			}
			rest = strings.TrimLeft(after, blanks)
			continue
		}
		break
	}
	if strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "[") {
		return sniffJSON(data, hinted), ""
	}
	if !strings.HasPrefix(rest, "<") {
		return "", ""
	}
	name := tagName(rest[1:])
	if _, local, ok := strings.Cut(name, ":"); ok {
		name = local
	}
	switch name {
	case "html":
		return HTML, ""
	case "rss", "feed", "rdf":
		return Feed, ""
	case "urlset", "sitemapindex":
		return Sitemap, ""
	case "svg":
		if hinted != HTML {
			return "", "an SVG image"
		}
	}
	if isXML {
		if hinted == HTML {
			return HTML, ""
		}
		return Plain, ""
	}
	switch name {
	case "head", "body", "title", "meta", "script", "style", "link", "base", "frameset",
		"div", "p", "table", "h1", "h2", "h3", "span", "a", "ul", "ol", "article", "main", "section", "header", "nav", "font",
		"center", "br", "b", "i", "img", "form", "iframe", "pre", "blockquote", "dl", "strong", "em":
		return startsHTML(hinted), ""
	}
	return "", ""
}

// startsHTML is the format of what begins as a page could, but as a text with some
// markup could as well.
func startsHTML(hinted Format) Format {
	switch hinted {
	case Markdown, RST, Plain, CSV:
		return ""
	}
	return HTML
}

// sniffJSON tells whether data is JSON, or a feed in it.
func sniffJSON(data []byte, hinted Format) Format {
	if name, n := byteOrderMark(data); n > 0 {
		data = decodeAs(data[n:], name)
	}
	if !json.Valid(data) && hinted != JSON {
		return ""
	}
	if bytes.Contains(data[:min(len(data), 1024)], []byte("://jsonfeed.org/version/")) || bytes.Contains(data[:min(len(data), 1024)], []byte(`:\/\/jsonfeed.org\/version\/`)) {
		return Feed
	}
	if hinted == Markdown || hinted == RST {
		return ""
	}
	return JSON
}

// binaryHead reports whether data begins with bytes that no text has.
func binaryHead(data []byte) bool {
	if _, n := byteOrderMark(data); n > 0 || guessUTF16(data) != "" {
		return false
	}
	data = data[:min(len(data), 4096)]
	controls := 0
	for _, c := range data {
		switch {
		case c == 0:
			return true
		case c < 32 && !isBlank(c) && c != 0x1b:
			controls++
		}
	}
	return controls*20 > len(data)
}

// mediaType returns the type of a Content-Type header without its parameters.
func mediaType(header string) string {
	media, _, _ := strings.Cut(header, ";")
	media, _, _ = strings.Cut(media, ",")
	return strings.ToLower(strings.TrimSpace(media))
}

var mediaTypes = map[string]Format{
	"text/html": HTML, "application/xhtml+xml": HTML, "application/pdf": PDF, "text/markdown": Markdown, "text/x-markdown": Markdown,
	"text/x-rst": RST, "text/prs.fallenstein.rst": RST, "text/csv": CSV, "text/tab-separated-values": CSV,
	"application/json": JSON, "text/json": JSON, "application/ld+json": JSON, "application/x-ndjson": JSON,
	"application/rss+xml": Feed, "application/atom+xml": Feed, "application/feed+json": Feed, "application/epub+zip": EPUB,
}

var suffixes = map[string]Format{
	".html": HTML, ".htm": HTML, ".xhtml": HTML, ".xht": HTML, ".shtml": HTML, ".pdf": PDF,
	".md": Markdown, ".markdown": Markdown, ".mdown": Markdown, ".mkd": Markdown, ".rst": RST, ".rest": RST,
	".txt": Plain, ".text": Plain, ".csv": CSV, ".tsv": CSV, ".tab": CSV, ".json": JSON, ".jsonl": JSON, ".ndjson": JSON,
	".geojson": JSON, ".rss": Feed, ".atom": Feed, ".docx": DOCX, ".pptx": PPTX, ".xlsx": XLSX, ".epub": EPUB,
}

// hintedFormat returns the format that the header tells, or else the suffix. A header
// that only says that it is text leaves it to the suffix what kind of.
func hintedFormat(hint Hint) Format {
	media := mediaType(hint.ContentType)
	if format, ok := mediaTypes[media]; ok {
		return format
	}
	if strings.HasSuffix(media, "+json") {
		return JSON
	}
	name := hint.Name
	if name == "" {
		if u, err := url.Parse(hint.URL); err == nil {
			name = u.Path
		}
	}
	if format, ok := suffixes[strings.ToLower(path.Ext(name))]; ok {
		if media != "text/plain" || format != HTML {
			return format
		}
	}
	if media == "text/plain" {
		return Plain
	}
	return ""
}
