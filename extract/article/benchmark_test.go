package article_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

type labelled struct {
	ID   string
	URL  string
	Body string
	HTML string
}

// benchmark reads the pages of scrapinghub/article-extraction-benchmark.
func benchmark(t testing.TB) []labelled {
	t.Helper()
	dir := sharedtest.Path(t, "pages", "article-extraction-benchmark")
	src, err := os.ReadFile(filepath.Join(dir, "ground-truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var truth map[string]struct{ ArticleBody, URL string }
	if err := json.Unmarshal(src, &truth); err != nil {
		t.Fatal(err)
	}
	var pages []labelled
	for i, id := range slices.Sorted(maps.Keys(truth)) {
		if raceEnabled && i%8 != 0 {
			continue
		}
		pages = append(pages, labelled{id, truth[id].URL, truth[id].ArticleBody, gunzip(t, filepath.Join(dir, "html", id+".html.gz"))})
	}
	return pages
}

func gunzip(t testing.TB, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	src, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// peers are the figures of shared/pages/README.md for the same 136 pages.
var peers = []struct {
	name                  string
	f1, precision, recall float64
}{
	{"AutoExtract (Zyte, 2019)", 0.972, 0.984, 0.960},
	{"rs_trafilatura", 0.968, 0.947, 0.991},
	{"go_trafilatura", 0.962, 0.939, 0.986},
	{"Diffbot (2019)", 0.959, 0.964, 0.954},
	{"trafilatura 2.0.0", 0.955, 0.932, 0.980},
	{"go_readability fork", 0.944, 0.908, 0.983},
	{"go_domdistiller", 0.924, 0.897, 0.952},
	{"html-text", 0.659, 0.493, 0.994},
}

// TestBenchmark holds the main text against people's labels. The rules were begun
// with the first half of the pages in sight, and both were looked at later.
func TestBenchmark(t *testing.T) {
	t.Parallel()
	var all, plain tally
	var halves [2]tally
	for _, page := range benchmark(t) {
		got, _ := mainText(t, page.HTML, page.URL)
		all.add(page.Body, got)
		halves[sha256.Sum256([]byte(page.ID))[0]&1].add(page.Body, got)
		plain.add(page.Body, render(parse(t, page.HTML), everything))
	}
	t.Logf("%-26s %6s %9s %6s", "extractor", "F1", "precision", "recall")
	row := func(name string, f1, precision, recall float64) {
		t.Logf("%-26s %6.4f %9.4f %6.4f", name, f1, precision, recall)
	}
	for _, own := range []struct {
		name string
		*tally
	}{{"this package", &all}, {"  first half", &halves[0]}, {"  second half", &halves[1]}, {"all text", &plain}} {
		f, p, r := own.f1()
		row(own.name, f, p, r)
	}
	for _, p := range peers {
		row(p.name, p.f1, p.precision, p.recall)
	}
	t.Logf("%d of %d pages equal word for word", all.equal, all.pages)
	if f, _, _ := all.f1(); f < 0.985 && !raceEnabled {
		t.Errorf("F1 is %.4f, want at least 0.985", f)
	}
	// The measure itself is right if all text scores what html-text does.
	if f, _, _ := plain.f1(); (f < 0.64 || f > 0.68) && !raceEnabled {
		t.Errorf("F1 of all text is %.4f, want about 0.659: the measure is not the benchmark's", f)
	}
}
