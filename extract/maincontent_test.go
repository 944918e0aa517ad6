package extract

import (
	"testing"

	"github.com/quarry-sdk/quarry/extract/internal/measure"
)

// TestMainContent scores the main text of documents, as a reader of this package gets
// it, by the benchmark's own metric.
func TestMainContent(t *testing.T) {
	t.Parallel()
	every := 1
	if raceEnabled {
		every = 8
	}
	var main, all measure.Tally
	for _, page := range measure.Benchmark(t, every) {
		doc, err := Read(t.Context(), []byte(page.HTML), Hint{URL: page.URL, ContentType: "text/html; charset=utf-8"})
		if err != nil {
			t.Errorf("%s: %v", page.ID, err)
			continue
		}
		main.Add(page.Body, doc.MainText())
		all.Add(page.Body, doc.Text)
	}
	t.Logf("%-26s %6s %9s %6s", "extractor", "F1", "precision", "recall")
	for _, own := range []struct {
		name string
		*measure.Tally
	}{{"Document.MainText", &main}, {"Document.Text", &all}} {
		f, p, r := own.F1()
		t.Logf("%-26s %6.4f %9.4f %6.4f", own.name, f, p, r)
	}
	for _, p := range measure.Peers {
		t.Logf("%-26s %6.4f %9.4f %6.4f", p.Name, p.F1, p.Precision, p.Recall)
	}
	if f, _, _ := main.F1(); f < 0.98 && !raceEnabled {
		t.Errorf("F1 is %.4f, want at least 0.98", f)
	}
	if _, _, r := all.F1(); r < 0.99 && !raceEnabled {
		t.Errorf("recall of the whole text is %.4f: it misses what people read", r)
	}
}
