package article_test

import (
	"testing"

	"golang.org/x/net/html"

	"github.com/quarry-sdk/quarry/extract/internal/article"

	"github.com/quarry-sdk/quarry/extract/internal/measure"
)

// BenchmarkFind finds the articles of the benchmark's pages, without parsing.
func BenchmarkFind(b *testing.B) {
	pages := measure.Benchmark(b, pagesEach)
	roots := make([]*html.Node, len(pages))
	size := 0
	for i, page := range pages {
		roots[i] = parse(b, page.HTML)
		size += len(page.HTML)
	}
	b.ReportAllocs()
	b.SetBytes(int64(size / len(pages)))
	i := 0
	for b.Loop() {
		a := article.Find(roots[i%len(roots)], pages[i%len(roots)].URL)
		if a.Title == "" {
			b.Fatalf("%s has no title", pages[i%len(roots)].URL)
		}
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}
