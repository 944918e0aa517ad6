package cli

import (
	"context"
	"path/filepath"

	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/extract/formats"
)

// reader reads documents of all formats. It is made when it is first asked for, and
// what is costly in it waits for the first document that needs it.
func (a *app) reader() (*formats.Reader, error) {
	a.documentsMu.Lock()
	defer a.documentsMu.Unlock()
	if a.documents == nil {
		r, err := formats.Open(formats.Config{CacheDir: filepath.Join(a.home(), "cache", "pdf")})
		if err != nil {
			return nil, err
		}
		a.documents = r
	}
	return a.documents, nil
}

// closeReader ends what reader has made.
func (a *app) closeReader() {
	if a.documents != nil {
		_ = a.documents.Close() // it holds nothing that could be lost
	}
}

// fileFormats are the readers of files that a corpus may have beside texts.
func (a *app) fileFormats() (map[extract.Format]extract.FormatReader, error) {
	r, err := a.reader()
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context, data []byte, hint extract.Hint) (*extract.Document, error) {
		return r.Read(ctx, data, hint)
	}
	all := map[extract.Format]extract.FormatReader{}
	for _, f := range []extract.Format{extract.PDF, extract.DOCX, extract.PPTX, extract.XLSX, extract.EPUB} {
		all[f] = read
	}
	return all, nil
}
