package article_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quarry-sdk/quarry/extract/internal/article"

	"github.com/quarry-sdk/quarry/extract/internal/measure"
)

// shownDates reads the labels of testdata/dates.tsv.
func shownDates(t *testing.T) map[string]map[article.DateKind]string {
	t.Helper()
	src, err := os.ReadFile("testdata/dates.tsv")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]map[article.DateKind]string{}
	for line := range strings.Lines(string(src)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] != "#" {
			shown[f[0]] = map[article.DateKind]string{}
			for i, kind := range []article.DateKind{article.Published, article.Updated} {
				if f[i+1] != "-" {
					shown[f[0]][kind] = f[i+1]
				}
			}
		}
	}
	return shown
}

// sameDay tells whether a value may be the day that a page shows. A page shows
// the day of its own zone, so that a value of another may be one day off.
func sameDay(value, day string) bool {
	want, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return false
	}
	if len(value) < len(time.DateOnly) {
		return strings.HasPrefix(day, value)
	}
	got, err := time.Parse(time.DateOnly, value[:len(time.DateOnly)])
	return err == nil && got.Sub(want).Abs() <= 24*time.Hour
}

// ratio counts answers for precision and recall.
type ratio struct{ right, wrong, missing int }

func (r ratio) precision() float64 { return float64(r.right) / float64(max(1, r.right+r.wrong)) }
func (r ratio) recall() float64 {
	return float64(r.right) / float64(max(1, r.right+r.wrong+r.missing))
}

// TestDates holds dates against what people read on the pages: the first of each
// kind, and the first of each source.
func TestDates(t *testing.T) {
	t.Parallel()
	shown := shownDates(t)
	first := map[article.DateKind]*ratio{article.Published: {}, article.Updated: {}}
	sources := map[string]*ratio{}
	for _, page := range measure.Benchmark(t, pagesEach) {
		want := shown[page.ID]
		if want == nil {
			continue
		}
		_, a := mainText(t, page.HTML, page.URL)
		for kind, day := range want {
			seen := map[string]bool{}
			for _, d := range a.Dates {
				if d.Kind != kind || seen[d.Source] {
					continue
				}
				if sources[d.Source] == nil {
					sources[d.Source] = &ratio{}
				}
				counts := []*ratio{sources[d.Source]}
				if len(seen) == 0 {
					counts = append(counts, first[kind])
				}
				seen[d.Source] = true
				for _, r := range counts {
					if sameDay(d.Value, day) {
						r.right++
					} else {
						r.wrong++
						t.Logf("%.8s %s is %s, found %s in %s (%s)", page.ID, kind, day, d.Value, d.Source, d.Raw)
					}
				}
			}
			if len(seen) == 0 {
				first[kind].missing++
				t.Logf("%.8s %s is %s, found nothing", page.ID, kind, day)
			}
			if !seen["text"] && !seen["time"] {
				t.Logf("%.8s %s is %s, not seen in the text", page.ID, kind, day)
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(first)) {
		r := first[kind]
		t.Logf("%-10s precision %.3f recall %.3f of %d", kind, r.precision(), r.recall(), r.right+r.wrong+r.missing)
		if !raceEnabled && (r.precision() < 0.97 || r.recall() < 0.95) {
			t.Errorf("%s: precision %.3f, recall %.3f, want 0.97 and 0.95", kind, r.precision(), r.recall())
		}
	}
	for _, source := range slices.Sorted(maps.Keys(sources)) {
		r := sources[source]
		t.Logf("%-10s precision %.3f of %d", source, r.precision(), r.right+r.wrong)
	}
}

// bare takes from a page what it says of its dates to programs, so that what
// people read is left.
func bare(root *html.Node) {
	var gone []*html.Node
	for n := range root.Descendants() {
		if n.DataAtom == atom.Script || n.DataAtom == atom.Meta {
			gone = append(gone, n)
		}
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
			return a.Key == "itemprop" || a.Key == "datetime" || a.Key == "content" || strings.HasPrefix(a.Key, "data-")
		})
	}
	for _, n := range gone {
		n.Parent.RemoveChild(n)
	}
}

// TestDatesShown finds dates where only people can.
func TestDatesShown(t *testing.T) {
	t.Parallel()
	shown := shownDates(t)
	first := map[article.DateKind]*ratio{article.Published: {}, article.Updated: {}}
	for _, page := range measure.Benchmark(t, pagesEach) {
		for kind, day := range shown[page.ID] {
			root := parse(t, page.HTML)
			bare(root)
			found := ""
			a := article.Find(root, "")
			for _, d := range a.Dates {
				if d.Kind == kind && found == "" {
					found = d.Value
				}
			}
			switch {
			case found == "":
				first[kind].missing++
				t.Logf("%.8s %s is %s, found nothing", page.ID, kind, day)
			case sameDay(found, day):
				first[kind].right++
			default:
				first[kind].wrong++
				t.Logf("%.8s %s is %s, found %v", page.ID, kind, day, a.Dates)
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(first)) {
		r := first[kind]
		t.Logf("%-10s precision %.3f recall %.3f of %d", kind, r.precision(), r.recall(), r.right+r.wrong+r.missing)
		if !raceEnabled && (r.precision() < 0.95 || r.recall() < 0.85) {
			t.Errorf("%s: precision %.3f, recall %.3f, want 0.95 and 0.85", kind, r.precision(), r.recall())
		}
	}
}
