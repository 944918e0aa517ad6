package pdf

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quarry-sdk/quarry/extract"
)

// Extractor names this reader and its version in documents.
const Extractor = "pdf/1"

// Reader reads PDF files. It may be used by several goroutines, and must be closed.
type Reader struct {
	config Config
	engine *engine
}

// New returns a reader. It does no work: PDFium is started when the first document
// comes.
func New(config Config) (*Reader, error) {
	config, err := config.filled()
	if err != nil {
		return nil, err
	}
	return &Reader{config: config, engine: newEngine(config)}, nil
}

// Close waits for documents that are being read and frees what the reader holds.
func (r *Reader) Close() error { return r.engine.close() }

// WithPassword returns a reader that tries another password, and shares all else with
// r: closing either closes both.
func (r *Reader) WithPassword(password string) *Reader {
	other := *r
	other.config.Password = password
	return &other
}

// Read reads a document. Its errors are, by errors.Is, extract.ErrEncrypted,
// extract.ErrDamaged, extract.ErrTooLarge, extract.ErrUnsupported and
// extract.ErrEmpty, which is of a document without pages; one whose pages have no
// text is returned with its pages and why they cannot be quoted.
func (r *Reader) Read(ctx context.Context, data []byte) (*extract.Document, error) {
	if len(data) > r.config.MaxBytes {
		return nil, fmt.Errorf("read PDF: %w: the file has %d bytes, the limit is %d; raise Config.MaxBytes", extract.ErrTooLarge, len(data), r.config.MaxBytes)
	}
	if err := r.engine.enter(ctx); err != nil {
		return nil, fmt.Errorf("read PDF: %w", err)
	}
	defer r.engine.leave()
	j := &job{config: r.config, engine: r.engine, data: data}
	defer func() { j.in.close() }()
	doc, err := j.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("read PDF: %w", err)
	}
	return doc, nil
}

// Causes of a context's end that are limits of ours.
var (
	errTime     = errors.New("the time limit of the document")
	errPageTime = errors.New("the time limit of a page")
)

// brokenPages is how many pages may break PDFium before the rest is left out.
const brokenPages = 4

// job is the reading of one document.
type job struct {
	config Config
	engine *engine
	data   []byte
	in     *instance
	doc    uint64
}

func (j *job) read(parent context.Context) (*extract.Document, error) {
	ctx, cancel := context.WithTimeoutCause(parent, j.config.Time, errTime)
	defer cancel()
	if err := j.open(ctx); err != nil {
		return nil, err
	}
	doc := &extract.Document{Extractor: Extractor, Format: extract.PDF}
	count, err := j.in.call(ctx, "FPDF_GetPageCount", j.doc)
	if err == nil {
		err = j.in.metadata(ctx, j.doc, j.data, doc)
	}
	if err != nil {
		return nil, blame(err)
	}
	total := int(int32(count))
	if total <= 0 {
		return nil, fmt.Errorf("%w: the document has no pages", extract.ErrEmpty)
	}
	pages, stopped, err := j.pages(ctx, total)
	if err != nil {
		return nil, err
	}
	running(pages)
	headings(pages)
	assemble(doc, pages, j.config.MaxText)
	if stopped != "" {
		doc.Warnings = append(doc.Warnings, extract.Warning{Code: "truncated", Message: fmt.Sprintf("%d of %d pages were read: %s", len(doc.Pages), total, stopped)})
	}
	return doc, nil
}

// pages reads the pages, and says why it stopped before the end.
func (j *job) pages(ctx context.Context, total int) (pages []*page, stopped string, err error) {
	size, broken := 0, 0
	for i := range total {
		if i == j.config.MaxPages {
			return pages, fmt.Sprintf("the limit is %d pages; raise Config.MaxPages", j.config.MaxPages), nil
		}
		p, err := j.page(ctx, i)
		if ctx.Err() != nil {
			if context.Cause(ctx) != errTime {
				return nil, "", context.Cause(ctx)
			}
			if i == 0 {
				return nil, "", fmt.Errorf("%w: its first page took more than %v; raise Config.Time", extract.ErrTooLarge, j.config.Time)
			}
			return pages, fmt.Sprintf("the time limit is %v; raise Config.Time", j.config.Time), nil
		}
		if err != nil {
			p = &page{number: i + 1, unquotable: why(err, j.config.PageTime)}
			broken++
			if broken == brokenPages {
				return append(pages, p), fmt.Sprintf("%d pages could not be read", broken), nil
			}
			j.in.close()
			j.in = nil
			if err := j.open(ctx); err != nil {
				return append(pages, p), "the document could not be opened again behind a page that could not be read", nil
			}
		}
		pages = append(pages, p)
		for _, b := range p.blocks {
			size += len(b.text) + len("\n\n")
		}
		if size > j.config.MaxText {
			return pages, fmt.Sprintf("the limit is %d bytes of text; raise Config.MaxText", j.config.MaxText), nil
		}
	}
	return pages, "", nil
}

func (j *job) page(ctx context.Context, i int) (*page, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, j.config.PageTime, errPageTime)
	defer cancel()
	return j.in.page(ctx, j.doc, i)
}

// why says why a page has no text.
func why(err error, limit time.Duration) string {
	if errors.Is(err, errPageTime) {
		return fmt.Sprintf("the page took more than %v to read", limit)
	}
	return "the page could not be read: " + err.Error()
}

// blame makes an error of the document of one that a call into PDFium returned.
func blame(err error) error {
	switch {
	case errors.Is(err, errTime):
		return fmt.Errorf("%w: opening it took too long; raise Config.Time", extract.ErrTooLarge)
	case errors.Is(err, errMemory):
		return fmt.Errorf("%w: %w; raise Config.MaxMemory", extract.ErrTooLarge, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("%w: %w", extract.ErrDamaged, err)
}
