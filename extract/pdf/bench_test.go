package pdf_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/extract/pdf"
)

// BenchmarkRead reads a book of 117 pages.
func BenchmarkRead(b *testing.B) {
	root, _, _ := sharedFiles(b)
	data, err := os.ReadFile(filepath.Join(root, "sample-files", "GeoTopo-komprimiert.pdf"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := read(b, nil, ""); err == nil { // started
		b.Fatal("nothing is read")
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		doc, err := read(b, data, "")
		if err != nil || len(doc.Text) < 100_000 {
			b.Fatal(err)
		}
		n += len(doc.Pages)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "pages/s")
}

// BenchmarkSmall reads a page of one line, for which an instance is made.
func BenchmarkSmall(b *testing.B) {
	data := pages("", []string{at(50, 700, 10, "text")})
	_, _ = read(b, nil, "")
	for b.Loop() {
		if doc, err := read(b, data, ""); err != nil || doc.Text != "text" {
			b.Fatal(err)
		}
	}
}

// BenchmarkStart measures the first document of a process: cold compiles PDFium,
// cached loads it.
func BenchmarkStart(b *testing.B) {
	start := func(b *testing.B, dir string) {
		for b.Loop() {
			began := time.Now()
			r, err := pdf.New(pdf.Config{CacheDir: dir})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := r.Read(b.Context(), pages("", []string{""})); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(time.Since(began).Seconds(), "s/start")
			if err := r.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("cold", func(b *testing.B) { start(b, "") })
	b.Run("cached", func(b *testing.B) { start(b, cacheDir()) })
}
