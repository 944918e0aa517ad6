// Package measure scores the main texts of pages for tests, by the metric and on the
// pages of scrapinghub/article-extraction-benchmark, as shared/pages/README.md has
// them.
package measure

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

// word is Python's \w+ for str patterns: letters, numbers of any kind, and the
// underscore.
var word = regexp.MustCompile(`[\p{L}\p{N}_]+`)

// overlap is the share of true positives, false positives and false negatives
// among the shingles of four words of a text and what was found of it, as
// shared/pages/README.md defines it.
type overlap struct{ tp, fp, fn float64 }

func compare(want, got string) overlap {
	a, b := shingles(want), shingles(got)
	var o overlap
	for s, n := range a {
		o.tp += float64(min(n, b[s]))
		o.fn += float64(max(0, n-b[s]))
	}
	for s, n := range b {
		o.fp += float64(max(0, n-a[s]))
	}
	if sum := o.tp + o.fp + o.fn; sum > 0 {
		o.tp, o.fp, o.fn = o.tp/sum, o.fp/sum, o.fn/sum
	}
	return o
}

func shingles(text string) map[string]int {
	words := word.FindAllString(text, -1)
	found := map[string]int{}
	if len(words) > 0 && len(words) < 4 {
		found[strings.Join(words, " ")]++
	}
	for i := 0; i+4 <= len(words); i++ {
		found[strings.Join(words[i:i+4], " ")]++
	}
	return found
}

// Tally sums up the pages of a collection.
type Tally struct {
	Pages, Equal          int
	precision, recall     float64
	withFound, withWanted float64
}

// Add adds a page: its label, and what was found.
func (s *Tally) Add(want, got string) {
	o := compare(want, got)
	s.Pages++
	if slices.Equal(word.FindAllString(want, -1), word.FindAllString(got, -1)) {
		s.Equal++
	}
	ratio := func(part, other float64) float64 {
		switch {
		case o.fp == 0 && o.fn == 0:
			return 1
		case o.tp == 0:
			return 0
		}
		return part / (part + other)
	}
	if o.tp+o.fp > 0 {
		s.withFound++
		s.precision += ratio(o.tp, o.fp)
	}
	if o.tp+o.fn > 0 {
		s.withWanted++
		s.recall += ratio(o.tp, o.fn)
	}
}

// F1 is the measure, the harmonic mean of precision and recall.
func (s *Tally) F1() (f, precision, recall float64) {
	if s.withFound == 0 || s.withWanted == 0 {
		return 0, 0, 0
	}
	precision, recall = s.precision/s.withFound, s.recall/s.withWanted
	if precision+recall == 0 {
		return 0, 0, 0
	}
	return 2 * precision * recall / (precision + recall), precision, recall
}

// Page is a page with its label. HTML is as it was stored; all are UTF-8.
type Page struct {
	ID   string
	URL  string
	Body string
	HTML string
}

// Benchmark reads the pages of the benchmark, one of every so many.
func Benchmark(t testing.TB, every int) []Page {
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
	var pages []Page
	for i, id := range slices.Sorted(maps.Keys(truth)) {
		if i%every != 0 {
			continue
		}
		pages = append(pages, Page{id, truth[id].URL, truth[id].ArticleBody, gunzip(t, filepath.Join(dir, "html", id+".html.gz"))})
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

// Peers are the figures of shared/pages/README.md for the same 136 pages.
var Peers = []struct {
	Name                  string
	F1, Precision, Recall float64
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
