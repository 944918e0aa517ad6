// Package formats reads documents in all formats that Quarry knows: it gives the
// readers of PDF, DOCX, PPTX, XLSX and EPUB to package extract, which reads the
// formats of text.
//
//	reader, err := formats.Open(formats.Config{CacheDir: ".quarry/cache"})
//	if err != nil {
//		return err
//	}
//	defer reader.Close()
//	doc, err := reader.Read(ctx, data, extract.Hint{URL: address, ContentType: header})
//
// It links PDFium, 11 MB; a program that reads pages of the web alone needs package
// extract only.
package formats

import (
	"context"
	"fmt"

	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/extract/office"
	"github.com/quarry-sdk/quarry/extract/pdf"
)

// Config says how documents are read.
type Config struct {
	// CacheDir is a folder of this user alone for the compiled reader of PDF, some
	// 20 MB; see pdf.Config. Defaults to no cache.
	CacheDir string
	// Options are those of package extract. A format that has a reader in
	// Options.Formats is read by that one.
	Options extract.Options
	// Password opens encrypted PDF files. Defaults to none.
	Password string
}

// Reader reads documents. It may be used by many goroutines at once.
type Reader struct {
	*extract.Reader
	pdf *pdf.Reader
}

// Open returns a reader, which has to be closed. What is costly begins with the
// first document that needs it.
func Open(c Config) (*Reader, error) {
	text, err := extract.New(c.Options)
	if err != nil {
		return nil, err
	}
	books, err := office.New(office.Config{ReadHTML: func(ctx context.Context, data []byte, url string) (*extract.Document, error) {
		return text.Read(ctx, data, extract.Hint{Format: extract.HTML, URL: url})
	}})
	if err != nil {
		return nil, err
	}
	pages, err := pdf.New(pdf.Config{CacheDir: c.CacheDir, Password: c.Password})
	if err != nil {
		return nil, err
	}
	all := map[extract.Format]extract.FormatReader{}
	for format, read := range map[extract.Format]func(context.Context, []byte) (*extract.Document, error){
		extract.PDF: pages.Read, extract.DOCX: books.Read, extract.PPTX: books.Read, extract.XLSX: books.Read, extract.EPUB: books.Read,
	} {
		all[format] = func(ctx context.Context, data []byte, _ extract.Hint) (*extract.Document, error) {
			return read(ctx, data)
		}
	}
	for format, read := range c.Options.Formats {
		all[format] = read
	}
	c.Options.Formats = all
	r := &Reader{pdf: pages}
	if r.Reader, err = extract.New(c.Options); err != nil {
		return nil, fmt.Errorf("open readers: %w", err)
	}
	return r, nil
}

// Close ends the readers. It waits for documents that are being read.
func (r *Reader) Close() error { return r.pdf.Close() }
