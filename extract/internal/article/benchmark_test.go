package article_test

import (
	"crypto/sha256"
	"testing"

	"github.com/quarry-sdk/quarry/extract/internal/measure"
)

// TestBenchmark holds the main text against people's labels. The rules were begun
// with the first half of the pages in sight, and both were looked at later.
func TestBenchmark(t *testing.T) {
	t.Parallel()
	var all, plain measure.Tally
	var halves [2]measure.Tally
	for _, page := range measure.Benchmark(t, pagesEach) {
		got, _ := mainText(t, page.HTML, page.URL)
		all.Add(page.Body, got)
		halves[sha256.Sum256([]byte(page.ID))[0]&1].Add(page.Body, got)
		plain.Add(page.Body, render(parse(t, page.HTML), everything))
	}
	t.Logf("%-26s %6s %9s %6s", "extractor", "F1", "precision", "recall")
	row := func(name string, f1, precision, recall float64) {
		t.Logf("%-26s %6.4f %9.4f %6.4f", name, f1, precision, recall)
	}
	for _, own := range []struct {
		name string
		*measure.Tally
	}{{"this package", &all}, {"  first half", &halves[0]}, {"  second half", &halves[1]}, {"all text", &plain}} {
		f, p, r := own.F1()
		row(own.name, f, p, r)
	}
	for _, p := range measure.Peers {
		row(p.Name, p.F1, p.Precision, p.Recall)
	}
	t.Logf("%d of %d pages equal word for word", all.Equal, all.Pages)
	if f, _, _ := all.F1(); f < 0.985 && !raceEnabled {
		t.Errorf("F1 is %.4f, want at least 0.985", f)
	}
	// The measure itself is right if all text scores what html-text does.
	if f, _, _ := plain.F1(); (f < 0.64 || f > 0.68) && !raceEnabled {
		t.Errorf("F1 of all text is %.4f, want about 0.659: the measure is not the benchmark's", f)
	}
}
