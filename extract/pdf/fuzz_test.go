package pdf_test

import (
	"errors"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/extract/pdf"
)

// FuzzRead reads arbitrary files: no panic, no hang, and what is returned keeps the
// promises of a document.
func FuzzRead(f *testing.F) {
	f.Add(pages("", []string{at(50, 700, 10, "text") + column(50, 600, 10, left...) + column(320, 600, 10, rite...)}))
	f.Add(mapped(at(50, 700, 10, "abc"), map[byte]string{'a': "א", 'b': "\ufb01"}, ""))
	f.Add(file(catalog, "<</Type/Pages/Count 9/Kids[2 0 R 6 0 R]>>", info, regular, bold, "<</Type/Page/Parent 2 0 R/Contents 6 0 R>>"))
	f.Add([]byte("%PDF-1.7\ntrailer<</Root 1 0 R>>"))
	r, err := pdf.New(pdf.Config{CacheDir: cacheDir(), MaxMemory: 64 << 20, MaxPages: 20, Time: 5 * time.Second, PageTime: time.Second})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = r.Close() })
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := r.Read(t.Context(), data)
		if err != nil {
			for _, k := range []error{extract.ErrDamaged, extract.ErrEmpty, extract.ErrEncrypted, extract.ErrTooLarge, extract.ErrUnsupported} {
				if errors.Is(err, k) {
					return
				}
			}
			t.Fatalf("an error of no kind: %v", err)
		}
		checkDocument(t, "fuzz", doc)
	})
}
