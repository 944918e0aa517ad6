package extract

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

// shingles counts the runs of four words of a text.
func shingles(text string) map[string]int {
	words := regexp.MustCompile(`[\p{L}\p{N}_]+`).FindAllString(text, -1)
	counts := make(map[string]int)
	if len(words) > 0 && len(words) < 4 {
		counts[strings.Join(words, " ")]++
	}
	for i := 0; i+4 <= len(words); i++ {
		counts[strings.Join(words[i:i+4], " ")]++
	}
	return counts
}

// TestWholeText holds the text of news pages against what people say is their
// article: hardly anything of it may be missing. All text of a page without any rule
// has a recall of 0.994.
func TestWholeText(t *testing.T) {
	t.Parallel()
	dir := sharedtest.Path(t, "pages", "article-extraction-benchmark")
	var truth map[string]struct {
		ArticleBody string `json:"articleBody"`
		URL         string `json:"url"`
	}
	if err := json.Unmarshal(read(t, filepath.Join(dir, "ground-truth.json")), &truth); err != nil {
		t.Fatal(err)
	}
	var sum float64
	n := 0
	for id, want := range truth {
		z, err := gzip.NewReader(bytes.NewReader(read(t, filepath.Join(dir, "html", id+".html.gz"))))
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		doc := readString(t, string(page), Hint{URL: want.URL, ContentType: "text/html"})
		have := shingles(doc.Text)
		found, all := 0, 0
		for s, k := range shingles(want.ArticleBody) {
			found += min(k, have[s])
			all += k
		}
		if all == 0 {
			continue
		}
		n++
		recall := float64(found) / float64(all)
		sum += recall
		if recall < 0.9 {
			t.Logf("%.3f %s %d bytes hidden", recall, want.URL, doc.Hidden)
		}
	}
	t.Logf("recall %.4f on %d pages", sum/float64(n), n)
	if sum/float64(n) < 0.99 {
		t.Errorf("recall %.4f", sum/float64(n))
	}
}
