package extract

import (
	"bytes"
	"compress/gzip"
	"io"
	"path/filepath"
	"testing"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

// BenchmarkHTML reads the pages of three collections.
func BenchmarkHTML(b *testing.B) {
	var pages [][]byte
	size := 0
	for _, pattern := range []string{"article-extraction-benchmark/html/*.gz", "readability/*/source.html", "trafilatura/html/*.html"} {
		names, err := filepath.Glob(filepath.Join(sharedtest.Path(b, "pages"), filepath.FromSlash(pattern)))
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range names {
			data := read(b, name)
			if filepath.Ext(name) == ".gz" {
				z, err := gzip.NewReader(bytes.NewReader(data))
				if err != nil {
					b.Fatal(err)
				}
				if data, err = io.ReadAll(z); err != nil {
					b.Fatal(err)
				}
			}
			pages = append(pages, data)
			size += len(data)
		}
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		text := 0
		for _, page := range pages {
			doc, err := Read(b.Context(), page, Hint{Format: HTML, URL: "https://page.example/"})
			if err != nil {
				b.Fatal(err)
			}
			text += len(doc.Text)
		}
		if text < 500_000 {
			b.Fatalf("only %d bytes of text in %d pages", text, len(pages))
		}
	}
	b.ReportMetric(float64(len(pages)), "pages")
}
