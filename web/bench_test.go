package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/guard"
)

// BenchmarkFetch fetches a page of 100 kB over the loopback interface, classified and
// not kept.
func BenchmarkFetch(b *testing.B) {
	page := story + strings.Repeat("<p>The keeper walked up the ninety-one steps each evening, and lit the lamp by hand.</p>\n", 1100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, page)
	}))
	defer server.Close()
	f, err := web.New(web.Config{Guard: guard.Config{Allow: []string{"127.0.0.1"}}, HostInterval: -1})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		s, err := f.Fetch(b.Context(), web.Request{URL: server.URL + "/page"})
		if err != nil || s.Outcome != web.OK || int(s.Size) != len(page) {
			b.Fatal(s, err)
		}
	}
}

// TestFetchAllocations keeps the memory that a fetch takes in proportion to the page.
func TestFetchAllocations(t *testing.T) {
	if testing.Short() {
		t.Skip("it fetches some hundred pages")
	}
	r := testing.Benchmark(BenchmarkFetch)
	if r.N == 0 {
		t.Fatal("the benchmark failed")
	}
	t.Logf("%v per fetch, %d allocations, %d bytes", r.NsPerOp(), r.AllocsPerOp(), r.AllocedBytesPerOp())
	if r.AllocsPerOp() > 20_000 || r.AllocedBytesPerOp() > 5<<20 {
		t.Errorf("a fetch of 100 kB takes %d allocations and %d bytes", r.AllocsPerOp(), r.AllocedBytesPerOp())
	}
}
