package corpus

import (
	"slices"
	"testing"
	"time"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

// BenchmarkIndexPostgres indexes the PostgreSQL manual (1,169 pages, 18 MB of HTML) from nothing.
func BenchmarkIndexPostgres(b *testing.B) {
	folder := sharedtest.PostgresManual(b)
	b.ReportAllocs()
	for b.Loop() {
		x, err := Open(b.Context(), b.TempDir(), Options{})
		if err != nil {
			b.Fatal(err)
		}
		report, err := x.Update(b.Context(), folder)
		if err != nil {
			b.Fatal(err)
		}
		if report.Indexed < 1000 || report.Documents != report.Indexed || x.Count() != report.Documents || report.Passages < 5000 {
			b.Fatalf("indexed too little: %+v", report)
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSearch asks the questions of postgres-qa, each first with nothing decoded yet (cold) and then again.
func BenchmarkSearch(b *testing.B) {
	x := postgres(b)
	questions := readLines[question](b, sharedtest.Path(b, "datasets", "postgres-qa", "dev.jsonl"))
	for _, mode := range []string{"cold", "warm"} {
		b.Run(mode, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				for _, q := range questions {
					if mode == "cold" {
						x.snap.postings, x.snap.docs = newPostingCache(), newDocCache()
					}
					start := time.Now()
					hits, err := x.Search(b.Context(), q.Question, 10)
					times = append(times, time.Since(start))
					if err != nil || len(hits) == 0 || hits[0].Snippet == "" {
						b.Fatalf("%s: %d hits, %v", q.ID, len(hits), err)
					}
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
