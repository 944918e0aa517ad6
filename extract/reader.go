package extract

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"golang.org/x/net/html"
)

// FormatReader reads a document in one format. Read chooses it and does not trust
// it: what it returns is handed on as it is.
type FormatReader func(ctx context.Context, data []byte, hint Hint) (*Document, error)

// Options are the settings of a Reader. The zero value reads all formats of text;
// PDF, the formats of offices and EPUB are read by those who link their readers.
type Options struct {
	// Formats are readers of formats; one for a format that this package reads
	// itself takes its place. Defaults to none.
	Formats map[Format]FormatReader
	// MaxBytes is the size of a document in bytes above which Read returns
	// ErrTooLarge. Defaults to 64 MiB.
	MaxBytes int
	// MaxElements is the number of HTML elements after which the rest of a page is
	// left out with the warning "truncated". Defaults to 400,000.
	MaxElements int
	// MaxText is the number of bytes of decoded source, and of text, after which the
	// rest is left out with the warning "truncated"; of Markdown an eighth is read.
	// Defaults to 16 MiB.
	MaxText int
	// NoArticle leaves the article of a page alone: its main content is then what lies
	// outside of navigation, header, footer and asides, and its byline and dates are
	// not looked for. That saves about half of the time of readers who use none of
	// these. Defaults to false.
	NoArticle bool
	// Skip tells which HTML elements are left out with all that they contain, beside
	// those that a page hides. The texts are then no longer those of the extractor's
	// name alone. Defaults to none.
	Skip func(n *html.Node) bool
	// Visit is called with each HTML element that is not left out, after its
	// children, and with the bytes of the text that it holds. Both ends are the same
	// where it holds none; the start may lie before white space. Defaults to nothing.
	Visit func(n *html.Node, start, end int)
}

// Reader reads documents. It may be used by several goroutines at once if its
// options' functions may.
type Reader struct {
	options Options
	main    mainFinder
}

// New returns a Reader. It returns an error for a negative limit.
func New(options Options) (*Reader, error) {
	if options.MaxBytes == 0 {
		options.MaxBytes = 64 << 20
	}
	if options.MaxElements == 0 {
		options.MaxElements = 400_000
	}
	if options.MaxText == 0 {
		options.MaxText = 16 << 20
	}
	for _, limit := range []struct {
		name  string
		value int
	}{{"MaxBytes", options.MaxBytes}, {"MaxElements", options.MaxElements}, {"MaxText", options.MaxText}} {
		if limit.value < 0 {
			return nil, fmt.Errorf("extract options: %s is %d; use 0 for the default or a positive number", limit.name, limit.value)
		}
	}
	options.Formats = maps.Clone(options.Formats)
	r := &Reader{options: options, main: findMain}
	if options.NoArticle {
		r.main = outsideFrame
	}
	return r, nil
}

// Read reads a document with the default options.
func Read(ctx context.Context, data []byte, hint Hint) (*Document, error) {
	r, err := New(Options{})
	if err != nil {
		return nil, err
	}
	return r.Read(ctx, data, hint)
}

// Read finds out the format of data and reads it. It returns an error that wraps
// ErrUnsupported for formats that it has no reader for, ErrTooLarge, ErrEmpty for a
// document without text, and ErrDamaged or ErrEncrypted as a format's reader does.
func (r *Reader) Read(ctx context.Context, data []byte, hint Hint) (*Document, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if len(data) > r.options.MaxBytes {
		return nil, fmt.Errorf("read document: %w: it has %d bytes, the limit is %d", ErrTooLarge, len(data), r.options.MaxBytes)
	}
	format, err := hint.Format, error(nil)
	if format == "" {
		if format, err = Sniff(data, hint); err != nil {
			return nil, fmt.Errorf("read document: %w", err)
		}
	}
	if read := r.options.Formats[format]; read != nil {
		return read(ctx, data, hint)
	}
	doc, err := r.read(ctx, data, hint, format)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", format, err)
	}
	if strings.TrimSpace(doc.Text) == "" && len(doc.Links) == 0 {
		return nil, fmt.Errorf("read %s: %w%s", format, ErrEmpty, because(doc))
	}
	return doc, nil
}

// because adds the warnings of a document without text, which say why it has none.
func because(doc *Document) string {
	var sb strings.Builder
	for _, w := range doc.Warnings {
		sb.WriteString("; " + strings.TrimSuffix(w.Message, "."))
	}
	return sb.String()
}

// textReader reads the decoded text of a format into a document.
type textReader func(r *Reader, ctx context.Context, src string, hint Hint) (*Document, error)

// read reads one of this package's own formats.
func (r *Reader) read(ctx context.Context, data []byte, hint Hint, format Format) (*Document, error) {
	var read textReader
	var name string
	syntax := noSyntax
	switch format {
	case HTML:
		read, name, syntax = (*Reader).readHTML, "html/1", htmlSyntax
	case Markdown:
		read, name = (*Reader).readMarkdown, "markdown/1"
	case RST:
		read, name = (*Reader).readRST, "rst/1"
	case Plain:
		read, name = (*Reader).readPlain, "text/1"
	case CSV:
		read, name = (*Reader).readCSV, "csv/1"
	case JSON:
		read, name = (*Reader).readJSON, "json/1"
	case Feed:
		read, name, syntax = (*Reader).readFeed, "feed/1", xmlSyntax
	case Sitemap:
		read, name, syntax = (*Reader).readSitemap, "sitemap/1", xmlSyntax
	default:
		return nil, fmt.Errorf("%w: no reader for it is linked; give one in Options.Formats", ErrUnsupported)
	}
	src, err := decode(data, hint.ContentType, syntax)
	if err != nil {
		return nil, err
	}
	var truncated []Warning
	if len(src.text) > r.options.MaxText {
		src.text = cutText(src.text, r.options.MaxText)
		truncated = append(truncated, Warning{"truncated", fmt.Sprintf("Only the first %d bytes of the source were read.", len(src.text))})
	}
	doc, err := read(r, ctx, src.text, hint)
	if err != nil {
		return nil, err
	}
	doc.Extractor, doc.Format = name, format
	doc.Charset, doc.CharsetSource = src.charset, src.source
	doc.Warnings = append(append(src.warnings, truncated...), doc.Warnings...)
	if doc.Language == "" && format != Sitemap && format != JSON {
		doc.Language = DetectLanguage(doc.Text)
	}
	return doc, nil
}

// cutText returns at most n bytes of s, whole characters.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
