package web

import (
	"bytes"
	"mime"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"
)

// sniffLen is how many bytes the type of a body is told from.
const sniffLen = 1024

// readable are the types that text can be read from, beside text/*.
var readable = []string{
	"application/pdf", "application/json", "application/xml", "application/xhtml+xml", "application/rss+xml",
	"application/atom+xml", "application/ld+json", "application/feed+json", "application/epub+zip",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// isReadable tells whether text can be read from a type.
func isReadable(mediaType string) bool {
	if strings.HasPrefix(mediaType, "text/") {
		return true
	}
	for _, r := range readable {
		if mediaType == r {
			return true
		}
	}
	return false
}

// isPage tells whether a type is that of pages.
func isPage(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// suffixes are the types of names' endings.
var suffixes = map[string]string{
	".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml", ".txt": "text/plain", ".md": "text/markdown",
	".markdown": "text/markdown", ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".json": "application/json",
	".xml": "application/xml", ".rss": "application/rss+xml", ".atom": "application/atom+xml", ".pdf": "application/pdf",
	".rst": "text/x-rst", ".epub": "application/epub+zip",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// mediaType tells the type of a body: by its bytes, then by the header, then by the
// ending of the URL's path.
func mediaType(body []byte, header http.Header, urlPath string) string {
	head := body[:min(len(body), sniffLen)]
	declared, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	ending := suffixes[strings.ToLower(path.Ext(urlPath))]
	switch {
	case bytes.Contains(head, []byte("%PDF-")):
		return "application/pdf"
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return zipType(body, declared, ending)
	}
	found, _, _ := mime.ParseMediaType(http.DetectContentType(head))
	switch {
	case found == "text/html" && !isXHTML(declared):
		return "text/html"
	case found == "text/xml" || found == "text/html":
		return xmlType(head, declared)
	case found != "text/plain" && found != "application/octet-stream":
		return found // an image, a film, a font, an archive
	case found == "application/octet-stream" && !isText(head):
		if isReadable(ending) && ending != "application/pdf" && strings.HasPrefix(ending, "text/") && !bytes.ContainsRune(head, 0) {
			return ending // a charset that is not UTF-8
		}
		if isPage(declared) || strings.HasPrefix(declared, "text/") && !bytes.ContainsRune(head, 0) {
			return declared
		}
		return "application/octet-stream"
	}
	// It is text of some kind, and the bytes do not tell which.
	switch {
	case declared != "" && declared != "text/plain" && declared != "application/octet-stream" && isReadable(declared) && declared != "application/pdf":
		return declared
	case strings.HasSuffix(declared, "+json"):
		return "application/json"
	case ending != "" && strings.HasPrefix(ending, "text/") || ending == "application/json" || ending == "application/xml":
		return ending
	}
	return "text/plain"
}

func isXHTML(declared string) bool { return declared == "application/xhtml+xml" }

// xmlType tells the kinds of XML apart.
func xmlType(head []byte, declared string) string {
	lower := bytes.ToLower(head)
	switch {
	case bytes.Contains(lower, []byte("<html")):
		if isXHTML(declared) {
			return declared
		}
		return "text/html"
	case bytes.Contains(lower, []byte("<rss")) || bytes.Contains(lower, []byte("<rdf:rdf")):
		return "application/rss+xml"
	case bytes.Contains(lower, []byte("<feed")):
		return "application/atom+xml"
	case bytes.Contains(lower, []byte("<svg")):
		return "image/svg+xml"
	}
	return "application/xml"
}

// zipType tells apart the formats that are ZIP files by the names at the beginning.
func zipType(body []byte, declared, ending string) string {
	head := body[:min(len(body), 64<<10)]
	switch {
	case bytes.Contains(head[:min(len(head), 128)], []byte("application/epub+zip")):
		return "application/epub+zip"
	case bytes.Contains(head, []byte("word/")):
		return suffixes[".docx"]
	case bytes.Contains(head, []byte("ppt/")):
		return suffixes[".pptx"]
	case bytes.Contains(head, []byte("xl/")):
		return suffixes[".xlsx"]
	}
	for _, t := range []string{declared, ending} {
		if t == suffixes[".docx"] || t == suffixes[".pptx"] || t == suffixes[".xlsx"] || t == suffixes[".epub"] {
			return t
		}
	}
	return "application/zip"
}

// isText tells whether bytes are UTF-8 without control characters, a character cut
// at the end aside.
func isText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 {
			return len(head) < utf8.UTFMax && !utf8.FullRune(head)
		}
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != 0x1b {
			return false
		}
		head = head[n:]
	}
	return true
}

// hopeless says why the first bytes of a body are those of something that no text
// can be read from; it returns "" where they may be of something else.
func hopeless(head []byte, header http.Header, urlPath string) string {
	found := mediaType(head, header, urlPath)
	for _, kind := range []string{"image/", "audio/", "video/", "font/"} {
		if strings.HasPrefix(found, kind) {
			return "it is " + found
		}
	}
	return ""
}
