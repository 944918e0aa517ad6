package office

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/quarry-sdk/quarry/extract"
)

// Config says how office files are read; the limits hold for each file.
type Config struct {
	// MaxBytes bounds the size of a file. Defaults to 64 MiB.
	MaxBytes int
	// MaxParts bounds the parts of a file. Defaults to 20,000.
	MaxParts int
	// MaxText bounds the text in bytes. What follows is left out, with a warning.
	// Defaults to 16 MiB.
	MaxText int
	// MaxUnpacked bounds the bytes of all parts that are read, unpacked. Defaults to
	// 64 MiB.
	MaxUnpacked int64
	// ReadHTML reads an XHTML document of an EPUB; url is its address within the
	// book. Defaults to none, and EPUB is refused.
	ReadHTML func(ctx context.Context, data []byte, url string) (*extract.Document, error)
}

// version is that of this reader; a document names it behind its format, as in
// "docx/1".
const version = "/1"

// Reader reads office files. It may be used by several goroutines.
type Reader struct{ config Config }

// New returns a reader.
func New(config Config) (*Reader, error) {
	if config.MaxBytes < 0 || config.MaxParts < 0 || config.MaxText < 0 || config.MaxUnpacked < 0 {
		return nil, errors.New("office: a limit of the config is negative; leave it zero for its default")
	}
	if config.MaxBytes == 0 {
		config.MaxBytes = 64 << 20
	}
	if config.MaxParts == 0 {
		config.MaxParts = 20_000
	}
	if config.MaxText == 0 {
		config.MaxText = 16 << 20
	}
	if config.MaxUnpacked == 0 {
		config.MaxUnpacked = 64 << 20
	}
	return &Reader{config}, nil
}

// Read reads a file in the format that its parts say. Its errors are, by errors.Is,
// extract.ErrDamaged, extract.ErrEncrypted, extract.ErrTooLarge,
// extract.ErrUnsupported and extract.ErrEmpty.
func (r *Reader) Read(ctx context.Context, data []byte) (doc *extract.Document, err error) {
	format := extract.Format("office file")
	defer func() {
		if p := recover(); p != nil {
			doc, err = nil, fmt.Errorf("%w: %v", extract.ErrDamaged, p)
		}
		if err != nil {
			err = fmt.Errorf("read %s: %w", format, err)
		}
	}()
	a, err := r.open(ctx, data)
	if err != nil {
		return nil, err
	}
	format, main, err := a.detect()
	if err != nil {
		return nil, err
	}
	w := &writer{doc: &extract.Document{Extractor: string(format) + version, Format: format}, limit: r.config.MaxText}
	switch format {
	case extract.DOCX:
		err = a.docx(w, main)
	case extract.PPTX:
		err = a.pptx(w, main)
	case extract.XLSX:
		err = a.xlsx(w, main)
	case extract.EPUB:
		err = a.epub(w, main, r.config.ReadHTML)
	}
	if err != nil && !errors.Is(err, errFull) {
		return nil, err
	}
	if format != extract.EPUB {
		if err := a.properties(w.doc); err != nil {
			return nil, err
		}
	}
	w.finish()
	if w.doc.Text == "" {
		return nil, extract.ErrEmpty
	}
	return w.doc, nil
}

// Detect tells the format of a file by its parts.
func (r *Reader) Detect(ctx context.Context, data []byte) (extract.Format, error) {
	a, err := r.open(ctx, data)
	if err != nil {
		return "", fmt.Errorf("detect the format of an office file: %w", err)
	}
	format, _, err := a.detect()
	if err != nil {
		return "", fmt.Errorf("detect the format of an office file: %w", err)
	}
	return format, nil
}

// compound is how a file of the Compound File Binary format begins, in which older
// formats and encrypted new ones are.
var compound = []byte{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1}

func (r *Reader) open(ctx context.Context, data []byte) (*archive, error) {
	if len(data) > r.config.MaxBytes {
		return nil, fmt.Errorf("%w: the file has %d bytes, the limit is %d; raise Config.MaxBytes", extract.ErrTooLarge, len(data), r.config.MaxBytes)
	}
	if bytes.HasPrefix(data, compound) {
		if bytes.Contains(data, []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")) {
			return nil, fmt.Errorf("%w; save it without one, encrypted office files are not opened", extract.ErrEncrypted)
		}
		return nil, fmt.Errorf("%w: a file of Office 97 to 2003; save it in a newer format", extract.ErrUnsupported)
	}
	return openArchive(ctx, data, r.config.MaxParts, r.config.MaxUnpacked)
}
